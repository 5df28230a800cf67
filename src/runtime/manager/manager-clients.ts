/**
 * The clients of a manager: one transport, and on it the cache, the client of the reconcilers, the
 * manager's own client, and their observers.
 */
import { systemClock, type Clock } from "../../clock.ts";
import type { Logger } from "../../log.ts";
import { InformerCache } from "../cache/cache.ts";
import { CachedClient, type CachedReadsObserver } from "../client/cached-client.ts";
import type { Client } from "../client/client.ts";
import { LiveClient, writeDefaults } from "../client/live-client.ts";
import { RestClient, type ExchangeObserver } from "../rest/rest-client.ts";
import { logWarning, warningHandler } from "../rest/warnings.ts";
import { observersAsOne, type ReconcileObserver } from "../controller/reconcile-observer.ts";
import { ReconcileScopes } from "../controller/reconcile-scopes.ts";
import { EventBroadcaster } from "../events/recorder.ts";
import type { ReconcileTap } from "../rest/reconcile-tap.ts";
import { Journal } from "../journal/journal.ts";
import { TrustLog } from "./trust-log.ts";
import { UsedRights } from "../journal/used-rights.ts";
import { Recorder, recordingsOfEnvironment } from "../replay/recorder.ts";
import type { Replay } from "../replay/replay.ts";
import { TappedClock } from "../replay/tapped-clock.ts";
import { FencedTransport } from "../transport/fenced-transport.ts";
import { TracedTransport } from "../tracing/traced-transport.ts";
import { Tracing } from "../tracing/tracing.ts";
import type { Transport } from "../transport/transport.ts";
import { debugOfEnvironment } from "../journal/debug-endpoint.ts";
import type { ManagerOptions } from "./manager-options.ts";
import { OperatorMetrics } from "../metrics/metrics.ts";

interface ClientParts {
  readonly options: ManagerOptions;
  readonly transport: Transport;
  readonly log: Logger;
  readonly replay: Replay | undefined;
  /** The time until which this process may write; absent without leader election. */
  readonly endsAtMs: () => number | undefined;
}

/** The parts that the debug endpoint shows. */
export interface DebugParts {
  readonly endpoint: NonNullable<ManagerOptions["debug"]>;
  readonly journal: Journal;
  readonly usedRights: UsedRights;
}

export class ManagerClients {
  readonly clock: Clock;
  /** The clock that reconcilers get: their questions to it may be recorded. */
  readonly shownClock: Clock;
  readonly metrics: OperatorMetrics;
  readonly scopes: ReconcileScopes;
  readonly transport: Transport;
  /** Allows writes only while this process is the leader. */
  readonly fenced: FencedTransport;
  readonly observe: ExchangeObserver;
  readonly cache: InformerCache;
  readonly client: Client;
  /** Writes for the manager itself: neither fenced nor a dry run. */
  readonly own: Client;
  readonly events: EventBroadcaster;
  readonly tracing: Tracing | undefined;
  readonly observer: ReconcileObserver | undefined;
  readonly debug: DebugParts | undefined;

  constructor({ options, transport, log, replay, endsAtMs }: ClientParts) {
    const name = options.name ?? "tsop";
    const clock = options.clock ?? transport.clock ?? systemClock;
    this.clock = clock;
    const endpoint = replay ? undefined : (debugOfEnvironment(process.env) ?? options.debug);
    const recordings = replay
      ? undefined
      : (recordingsOfEnvironment(process.env) ?? options.recordings);
    const recorder = recordings && new Recorder(recordings, name, log);
    const areTapped = recorder !== undefined || replay !== undefined;
    this.scopes = new ReconcileScopes(clock, { areNoted: endpoint !== undefined, areTapped });
    const tapOf = (): ReconcileTap | undefined => this.scopes.tap;
    this.shownClock = areTapped ? new TappedClock(clock, tapOf) : clock;
    this.metrics = new OperatorMetrics(clock);
    this.tracing = options.tracing && new Tracing(options.tracing, clock);
    transport.observeTrust?.(new TrustLog({ log, metrics: this.metrics, clock, cluster: "" }));
    const usedRights = endpoint && new UsedRights();
    const counted = usedRights ? usedRights.count(transport) : transport;
    this.transport = this.tracing ? new TracedTransport(counted, this.tracing) : counted;
    const observe = this.metrics.requests(new URL(this.transport.server).host);
    this.observe = observe;
    // The elector must be able to write before it is the leader, and the caches only read.
    const onWarning = warningHandler(options.warnings, logWarning(log.child({ logger: "client" })));
    const open = new RestClient(this.transport, clock, { observe, onWarning });
    this.own = new LiveClient(open, { fieldManager: name });
    this.fenced = new FencedTransport(this.transport, clock, endsAtMs);
    this.cache = new InformerCache(
      open,
      clock,
      log.child({ logger: "cache" }),
      options.cache,
      tapOf,
    );
    this.metrics.informers(() => this.cache.health());
    const { middlewares = [] } = options;
    const rest = new RestClient(this.fenced, clock, {
      observe,
      onWarning,
      middlewares: [...middlewares, this.scopes.middleware],
    });
    const live = new LiveClient(rest, writeDefaults(name, options), this.cache);
    const journal = endpoint && new Journal(clock, this.cache);
    this.client = new CachedClient(live, this.cache, journal && noteIn(this.scopes));
    this.events = new EventBroadcaster(live, clock, log.child({ logger: "events" }));
    this.debug = endpoint && journal && usedRights && { endpoint, journal, usedRights };
    const observers = [this.tracing, journal, recorder, replay];
    this.observer = observersAsOne(observers.filter((one) => one !== undefined));
  }
}

/** Records the reads from the cache that a reconcile makes. */
function noteIn(scopes: ReconcileScopes): CachedReadsObserver {
  return (resource, key, found) => scopes.notes?.readCached(resource, key, found);
}
