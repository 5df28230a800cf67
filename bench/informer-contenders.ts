/**
 * Who syncs the objects of `bench/list-server.ts`: each function resolves when all of them are in memory, and
 * returns what holds them there.
 *
 * @module
 */
import { get } from "node:https";
import { CoreV1Api, KubeConfig, ListWatch, Watch, type V1ConfigMap } from "@kubernetes/client-node";
import { systemClock } from "../src/clock.ts";
import { silentLogger } from "../src/log.ts";
import { Cache } from "../src/runtime/cache/cache.ts";
import { RestClient } from "../src/runtime/client/rest-client.ts";
import { HttpsTransport } from "../src/runtime/transport/https-transport.ts";

/** Where the server is. */
export interface BenchServer {
  readonly port: number;
  readonly ca: string;
}

/** What a contender holds, and how it lets go. */
export interface Synced {
  readonly held: unknown;
  stop(): Promise<void>;
}

const NAMESPACE = "bench";
const CONFIG_MAPS = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
};

async function ours({ port, ca }: BenchServer, watchList: boolean): Promise<Synced> {
  const credentials = {
    get: () => Promise.resolve({ token: "bench" }),
    invalidate: () => undefined,
  };
  const transport = new HttpsTransport(
    { server: `https://127.0.0.1:${port}`, ca, credentials, namespace: NAMESPACE },
    "bench",
  );
  const rest = new RestClient(transport, systemClock);
  const cache = new Cache(rest, systemClock, silentLogger, { namespaces: [NAMESPACE], watchList });
  const { informers } = cache.informersFor(CONFIG_MAPS);
  const stop = new AbortController();
  const running = cache.start(stop.signal);
  await cache.synced();
  return {
    held: [...informers.values()].map(({ indexer }) => indexer.size),
    async stop() {
      stop.abort();
      await running;
      transport.close();
    },
  };
}

async function clientNode({ port, ca }: BenchServer): Promise<Synced> {
  const config = new KubeConfig();
  const cluster = {
    name: "bench",
    server: `https://127.0.0.1:${port}`,
    caData: Buffer.from(ca).toString("base64"),
    skipTLSVerify: false,
  };
  config.loadFromClusterAndUser(cluster, { name: "bench", token: "bench" });
  const api = config.makeApiClient(CoreV1Api);
  const informer = new ListWatch<V1ConfigMap>(
    `/api/v1/namespaces/${NAMESPACE}/configmaps`,
    new Watch(config),
    () => api.listNamespacedConfigMap({ namespace: NAMESPACE }),
    false,
  );
  await informer.start();
  return { held: informer.list(NAMESPACE), stop: () => informer.stop() };
}

async function bare({ port, ca }: BenchServer): Promise<Synced> {
  const path = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
  const text = await new Promise<string>((resolve, reject) => {
    get({ host: "127.0.0.1", port, ca, path, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => {
        resolve(Buffer.concat(chunks).toString("utf8"));
      });
    }).on("error", reject);
  });
  return { held: JSON.parse(text) as unknown, stop: () => Promise.resolve() };
}

/** By name. */
export const CONTENDERS: Readonly<Record<string, (server: BenchServer) => Promise<Synced>>> = {
  "watch list": (server) => ours(server, true),
  list: (server) => ours(server, false),
  "client-node": clientNode,
  bare,
};
