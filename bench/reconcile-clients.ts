/** Clients without an operator: the minimal cost of patches, and writers with a steady rate. */
import { Agent, request } from "node:https";
import { CustomObjectsApi, KubeConfig } from "@kubernetes/client-node";
import { systemClock } from "../src/clock.ts";
import type { ServerAddress } from "./bench-server.ts";
import { kubeconfigOf } from "./peers.ts";
import { GROUP, NAMESPACE, nameOf, PLURAL, VERSION } from "./reconcile-objects.ts";

/** The rate of an operation. */
export interface Rate {
  readonly perSecond: number;
  /** The processor time of one operation, in microseconds. */
  readonly cpuUs: number;
}

/** The output of `bench/reconcile-server.ts`. */
export interface ReconcileServer extends ServerAddress {
  /** The path of its objects. */
  readonly collection: string;
}

/** Sends a minimal patch; resolves when the answer is parsed. */
function barePatch(
  { port, collection }: ReconcileServer,
  agent: Agent,
  path: string,
  patch: object,
): Promise<void> {
  const body = JSON.stringify(patch);
  const headers = {
    "Content-Type": "application/merge-patch+json",
    "Content-Length": String(body.length),
  };
  return new Promise((resolve, reject) => {
    request(
      { agent, host: "127.0.0.1", port, method: "PATCH", path: `${collection}/${path}`, headers },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          JSON.parse(Buffer.concat(chunks).toString("utf8"));
          resolve();
        });
      },
    )
      .on("error", reject)
      .end(body);
  });
}

// The limit of concurrent requests: on a busy machine a steady writer would open a thousand
// connections.
const CONNECTIONS = 50;

const agentOf = ({ ca }: ReconcileServer): Agent =>
  new Agent({ keepAlive: true, ca, noDelay: true, maxSockets: CONNECTIONS });

/** Runs `work` with ascending numbers in that many workers; the first quarter is not counted. */
async function rateOf(
  count: number,
  workers: number,
  work: (index: number) => Promise<unknown>,
): Promise<Rate> {
  let next = 0;
  const workUntil = async (until: number): Promise<void> => {
    while (next < until) await work(next++);
  };
  const all = (until: number): Promise<unknown> =>
    Promise.all(Array.from({ length: workers }, () => workUntil(until)));
  await all(count / 4);
  const before = process.cpuUsage();
  const began = performance.now();
  await all(next + count);
  const { user, system } = process.cpuUsage(before);
  return {
    perSecond: (count * 1000) / (performance.now() - began),
    cpuUs: (user + system) / count,
  };
}

/** Patches the status as fast as `node:https` can send requests. */
export async function barePatches(
  server: ReconcileServer,
  objects: number,
  workers: number,
  count: number,
): Promise<Rate> {
  const agent = agentOf(server);
  const rate = await rateOf(count, workers, (index) => {
    const patch = { status: { observedGeneration: index } };
    return barePatch(server, agent, `${nameOf(index % objects)}/status`, patch);
  });
  agent.destroy();
  return rate;
}

/** The same with `@kubernetes/client-node`. */
export async function clientNodePatches(
  server: ReconcileServer,
  objects: number,
  workers: number,
  count: number,
): Promise<Rate> {
  const config = new KubeConfig();
  config.loadFromString(kubeconfigOf(server));
  const api = config.makeApiClient(CustomObjectsApi);
  return rateOf(count, workers, (index) =>
    api.patchNamespacedCustomObjectStatus({
      group: GROUP,
      version: VERSION,
      namespace: NAMESPACE,
      plural: PLURAL,
      name: nameOf(index % objects),
      body: [{ op: "replace", path: "/status", value: { observedGeneration: index } }],
    }),
  );
}

/** Writes at that rate, the objects in turns, with the time of the write in each. */
export async function writeSteadily(
  server: ReconcileServer,
  objects: number,
  rate: number,
  seconds: number,
): Promise<void> {
  const agent = agentOf(server);
  const beganMs = systemClock.monotonicMs();
  const running = new Set<Promise<void>>();
  for (let written = 0; written < rate * seconds; written++) {
    const leftMs = beganMs + (written * 1000) / rate - systemClock.monotonicMs();
    if (leftMs > 0.5) await systemClock.sleep(leftMs);
    // The clock that all processes share; a monotonic clock of one process would drift.
    const at = String(systemClock.now());
    const write = barePatch(server, agent, nameOf(written % objects), { spec: { at } });
    running.add(write);
    void write.finally(() => running.delete(write));
  }
  await Promise.all(running);
  agent.destroy();
}
