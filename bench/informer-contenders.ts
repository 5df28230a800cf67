/**
 * The contenders that load the objects of `bench/list-server.ts`: each function resolves when all
 * of them are in memory, and returns their holder.
 */
import { get } from "node:https";
import {
  CoreV1Api,
  KubeConfig,
  ListWatch,
  Watch,
  type V1ConfigMap,
  type V1Pod,
} from "@kubernetes/client-node";
import { systemClock } from "../src/clock.ts";
import { silentLogger } from "../src/log.ts";
import { InformerCache } from "../src/runtime/cache/cache.ts";
import { RestClient } from "../src/runtime/rest/rest-client.ts";
import { HttpsTransport } from "../src/runtime/transport/https-transport.ts";
import type { ServerAddress } from "./bench-server.ts";

/** The address of the server, and its objects. */
export interface BenchServer extends ServerAddress {
  readonly kind: string;
  readonly plural: string;
}

/** The objects that a contender holds, and the way to release them. */
export interface Synced {
  readonly held: unknown;
  stop(): Promise<void>;
}

const NAMESPACE = "bench";
async function ours({ port, ca, kind, plural }: BenchServer, watchList: boolean): Promise<Synced> {
  const credentials = {
    get: () => Promise.resolve({ token: "bench" }),
    invalidate: () => undefined,
  };
  const transport = new HttpsTransport(
    { server: `https://127.0.0.1:${port}`, ca, credentials, namespace: NAMESPACE },
    "bench",
  );
  const rest = new RestClient(transport, systemClock);
  const cache = new InformerCache(rest, systemClock, silentLogger, {
    namespaces: [NAMESPACE],
    watchList,
  });
  const { informers } = cache.informersFor({
    group: "",
    version: "v1",
    kind,
    plural,
    namespaced: true,
  });
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

async function clientNode({ port, ca, plural }: BenchServer): Promise<Synced> {
  const config = new KubeConfig();
  const cluster = {
    name: "bench",
    server: `https://127.0.0.1:${port}`,
    caData: Buffer.from(ca).toString("base64"),
    skipTLSVerify: false,
  };
  config.loadFromClusterAndUser(cluster, { name: "bench", token: "bench" });
  const api = config.makeApiClient(CoreV1Api);
  const informer = new ListWatch<V1ConfigMap | V1Pod>(
    `/api/v1/namespaces/${NAMESPACE}/${plural}`,
    new Watch(config),
    () =>
      plural === "pods"
        ? api.listNamespacedPod({ namespace: NAMESPACE })
        : api.listNamespacedConfigMap({ namespace: NAMESPACE }),
    false,
  );
  await informer.start();
  return { held: informer.list(NAMESPACE), stop: () => informer.stop() };
}

async function bare(server: BenchServer): Promise<Synced> {
  const text = await fetchText(server);
  return { held: JSON.parse(text) as unknown, stop: () => Promise.resolve() };
}

function fetchText({ port, ca, plural }: BenchServer): Promise<string> {
  const path = `/api/v1/namespaces/${NAMESPACE}/${plural}`;
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, ca, path, agent: false }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => {
        chunks.push(chunk);
      });
      response.on("end", () => {
        resolve(Buffer.concat(chunks).toString("utf8"));
      });
    }).on("error", reject);
  });
}

/** The contenders by name. */
export const CONTENDERS: Readonly<Record<string, (server: BenchServer) => Promise<Synced>>> = {
  "watch list": (server) => ours(server, true),
  list: (server) => ours(server, false),
  "client-node": clientNode,
  bare,
};
