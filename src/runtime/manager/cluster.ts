/**
 * A second cluster beside the manager's own: a client and a cache, which run as long as the
 * manager.
 *
 * @see https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/cluster
 */
import { type CacheOptions, InformerCache } from "../cache/cache.ts";
import type { Cache } from "../cache/cache-view.ts";
import { CachedClient } from "../client/cached-client.ts";
import type { Client } from "../client/client.ts";
import { LiveClient, writeDefaults } from "../client/live-client.ts";
import { RestClient } from "../rest/rest-client.ts";
import type { ClusterConfig } from "../transport/cluster-config.ts";
import { HttpsTransport } from "../transport/https-transport.ts";
import { TracedTransport } from "../tracing/traced-transport.ts";
import type { Transport } from "../transport/transport.ts";
import { insideOf } from "./inside.ts";
import { TrustLog } from "./trust-log.ts";
import type { Manager } from "./manager.ts";

/** The options of another cluster. */
export interface ClusterOptions {
  /** The name in metrics and health checks. */
  readonly name: string;
  /** The configuration: `loadClusterConfig({ kubeconfigText })`. */
  readonly config: ClusterConfig;
  /** The field manager there, in managedFields; the cluster's name when absent. */
  readonly fieldManager?: string;
  readonly cache?: CacheOptions;
  /** For tests: the transport to the API server, instead of `config`. */
  readonly transport?: Transport;
}

/** A cluster beside the manager's own. */
export interface Cluster {
  readonly name: string;
  /** Reads kinds that are watched there from its cache, and others from its server. */
  readonly client: Client;
  readonly cache: Cache;
}

/**
 * Makes a second cluster, with a cache of its own that runs as long as the manager. Its watches
 * feed controllers here.
 *
 * Writes of a reconcile that timed out are refused there as they are here. The leader's Lease is in
 * the manager's own cluster: a process that lost it may still write to the other cluster until its
 * reconciles have ended.
 *
 * @example
 * const edge = createCluster(manager, { name: "edge", config: loadClusterConfig({ context: "edge" }) });
 * controllerFor(manager).for(Web).watches(Secret, { map: (secret) => [keyOf(secret)], cluster: edge });
 *
 * @throws TsopError `controller-exists` when something of the manager has that name
 */
export function createCluster(manager: Manager, options: ClusterOptions): Cluster {
  const { name, config, cache: cacheOptions = {}, fieldManager = name } = options;
  const { clock } = manager;
  const { metrics, scopes, tracing } = insideOf(manager);
  const way = options.transport ?? new HttpsTransport(config, fieldManager);
  const transport = tracing ? new TracedTransport(way, tracing) : way;
  const log = manager.log.child({ cluster: name });
  way.observeTrust?.(new TrustLog({ log, metrics, clock, cluster: name }));
  const observe = metrics.requests(new URL(transport.server).host);
  const reads = new RestClient(transport, clock, { observe });
  const cache = new InformerCache(reads, clock, log, cacheOptions);
  const rest = new RestClient(transport, clock, { observe, middlewares: [scopes.middleware] });
  const live = new LiveClient(rest, writeDefaults(fieldManager, {}), cache);
  metrics.informers(() =>
    cache.health().map((one) => ({ ...one, resource: `${one.resource} of ${name}` })),
  );
  manager.addReadyCheck(`informers of ${name}`, () => {
    const bad = cache.health().filter(({ synced, problem }) => !synced || problem !== undefined);
    const [first] = bad;
    if (first) throw new Error(first.problem ?? `${first.resource}: ${first.state}`);
  });
  manager.add({
    name: `cluster ${name}`,
    needLeaderElection: false,
    async start(signal) {
      try {
        await cache.start(signal);
      } finally {
        transport.close();
      }
    },
  });
  return { name, client: new CachedClient(live, cache), cache };
}
