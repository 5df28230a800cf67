import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { systemClock } from "../../src/clock.ts";
import { messageOf } from "../../src/errors.ts";
import {
  controllerFor,
  createManager,
  loadClusterConfig,
  mergePatch,
  type Client,
  type ObjectKey,
} from "../../src/index.ts";
import { ConfigMap, Namespace } from "../../src/k8s.ts";
import { LiveClient } from "../../src/runtime/client/live-client.ts";
import { RestClient } from "../../src/runtime/rest/rest-client.ts";
import { eventually, FaultyTransport, HttpsTransport, silentLogger } from "../../src/testing.ts";
import { Random } from "../../test/support/random.ts";
import { defineMeasure, SEED } from "../programs/program.ts";
import { ServedControlPlane } from "../programs/served-control-plane.ts";

const FAULTS = { refuse: 0.002, reset: 0.002, cut: 0.002, status: { 429: 0.002, 500: 0.002 } };
const NAMESPACE = "soak";
const SAMPLE_MS = 5000;
const CUT_MS = 30_000;
// The first part of the run fills pools and caches, and is not measured.
const WARM_UP = 0.25;
const MAX_SLOPE_PERCENT = 1;

interface Sample {
  readonly atMs: number;
  readonly heapBytes: number;
  readonly resources: number;
}

/** The resources that keep the event loop alive, except for the pipes to the server's process. */
function resources(): string[] {
  return process.getActiveResourcesInfo().filter((name) => !/Pipe|Process/.test(name));
}

function sample(): Sample {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return {
    atMs: systemClock.monotonicMs(),
    heapBytes: process.memoryUsage().heapUsed,
    resources: resources().length,
  };
}

/** The slope of a straight line through the samples, in percent of their mean per minute. */
function slopePercent(samples: readonly Sample[]): number {
  const mean = (values: readonly number[]): number =>
    values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanMs = mean(samples.map(({ atMs }) => atMs));
  const meanBytes = mean(samples.map(({ heapBytes }) => heapBytes));
  let above = 0;
  let below = 0;
  for (const { atMs, heapBytes } of samples) {
    above += (atMs - meanMs) * (heapBytes - meanBytes);
    below += (atMs - meanMs) ** 2;
  }
  return (100 * 60_000 * (above / below)) / meanBytes;
}

const keyOf = (index: number): ObjectKey => ({ namespace: NAMESPACE, name: `object-${index}` });

/** Changes, deletes or creates one object, as a user would. */
async function write(
  client: Client,
  revision: number,
  objects: number,
  random: Random,
): Promise<void> {
  const key = keyOf(random.below(objects));
  const data = { wanted: `revision ${revision}`, filler: "x".repeat(500) };
  const known = await client.find(ConfigMap, key);
  if (!known) await client.create(ConfigMap, { metadata: { ...key }, data });
  else if (random.below(20) === 0) await client.delete(ConfigMap, key);
  else await client.patch(ConfigMap, key, mergePatch({ data: { wanted: data.wanted } }));
}

async function fill(client: Client, objects: number): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < objects) {
      const key = keyOf(next++);
      const data = { wanted: "revision 0", filler: "x".repeat(500) };
      await client.create(ConfigMap, { metadata: { ...key }, data });
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

/** Starts the operator whose reconciler copies one field of each object to another. */
function startOperator(transport: FaultyTransport) {
  const manager = createManager({
    transport,
    clock: systemClock,
    log: silentLogger,
    cache: { namespaces: [NAMESPACE] },
  });
  const counts = { reconciles: 0 };
  controllerFor(manager)
    .for(ConfigMap)
    .withOptions({ maxConcurrentReconciles: 10 })
    .complete({
      async reconcile({ key }) {
        counts.reconciles++;
        const object = await manager.client.find(ConfigMap, key);
        const wanted = object?.data?.["wanted"];
        if (wanted === undefined || object?.data?.["done"] === wanted) return;
        await manager.client.patch(ConfigMap, key, mergePatch({ data: { done: wanted } }));
      },
    });
  const stop = new AbortController();
  const running = manager.start(stop.signal).then(
    () => undefined,
    (error: unknown) => messageOf(error),
  );
  /** Ends it; returns its failure, if it had one. */
  const end = async (): Promise<string | undefined> => {
    stop.abort();
    return running;
  };
  return { manager, counts, end };
}

/** Compares the server's objects with those of the operator's cache and of its reconciler. */
async function compare(user: Client, cache: Client) {
  const listed = await user.live.list(ConfigMap, { namespace: NAMESPACE });
  const cached = new Map(
    (await cache.list(ConfigMap, { namespace: NAMESPACE })).map(({ metadata }) => [
      metadata.name,
      metadata.resourceVersion,
    ]),
  );
  const unequal =
    listed.filter(({ metadata }) => cached.get(metadata.name) !== metadata.resourceVersion).length +
    Math.max(0, cached.size - listed.length);
  const behind = listed.filter(({ data }) => data?.["done"] !== data?.["wanted"]).length;
  return { objects: listed.length, behind, unequal };
}

export const program = defineMeasure({
  about:
    "Runs an operator under writes and network faults for a long time: its heap, handles and final state.",
  needs: [],
  options: {
    minutes: { type: "number", default: 10, about: "duration" },
    objects: { type: "number", default: 5000, about: "number of objects" },
    rate: { type: "number", default: 50, about: "writes per second" },
    seed: SEED,
  },
  run: async ({ values: { minutes, objects, rate, seed } }) => {
    const clock = systemClock;
    const random = new Random(seed);
    const server = await ServedControlPlane.start();
    const config = loadClusterConfig({ kubeconfigText: server.kubeconfig });
    const userTransport = new HttpsTransport(config, "user");
    const user = new LiveClient(new RestClient(userTransport, clock), { fieldManager: "user" });
    await user.create(Namespace, { metadata: { name: NAMESPACE } });
    await fill(user, objects);
    const transport = new FaultyTransport(new HttpsTransport(config, "soak"), clock, FAULTS);
    const { manager, counts, end } = startOperator(transport);
    await manager.cache.synced();

    const beganMs = clock.monotonicMs();
    const samples: Sample[] = [];
    let writes = 0;
    let refused = 0;
    let cuts = 0;
    let sampleAtMs = 0;
    let cutAtMs = CUT_MS;
    for (;;) {
      const passedMs = clock.monotonicMs() - beganMs;
      if (passedMs >= minutes * 60_000) break;
      if (passedMs >= cutAtMs) {
        cutAtMs += CUT_MS;
        cuts++;
        server.dropConnections();
      }
      if (passedMs >= sampleAtMs) {
        sampleAtMs += SAMPLE_MS;
        samples.push(sample());
      }
      await write(user, ++writes, objects, random).catch(() => {
        // A cut connection ended the write; later ones make up for it.
        refused++;
      });
      const dueMs = (writes * 1000) / rate;
      await clock.sleep(Math.max(0, dueMs - (clock.monotonicMs() - beganMs)));
    }

    transport.healthy = true;
    let atRest = await compare(user, manager.client);
    await eventually(
      async () => {
        atRest = await compare(user, manager.client);
        if (atRest.behind + atRest.unequal > 0) throw new Error("not at rest yet");
      },
      { timeoutMs: 90_000, intervalMs: 2000 },
    ).catch(() => undefined);
    const restMs = clock.monotonicMs() - beganMs - minutes * 60_000;
    const failure = await end();
    userTransport.close();
    await server.stop();
    await clock.sleep(1000);
    const left = resources();

    const warm = samples.slice(Math.floor(samples.length * WARM_UP));
    const slope = slopePercent(warm);
    const megabytes = (bytes = 0): string => `${(bytes / 2 ** 20).toFixed(1)} MB`;
    const faults = Object.entries(transport.counts).map(([name, count]) => `${name} ${count}`);
    const handles = samples.map((one) => one.resources);
    const verdicts: [string, boolean, string][] = [
      ["the operator ran to its end", failure === undefined, failure ?? "yes"],
      ["the cache is the server's state", atRest.unequal === 0, `${atRest.unequal} differ`],
      ["every object is reconciled", atRest.behind === 0, `${atRest.behind} are not`],
      [
        `the heap grows by less than ${MAX_SLOPE_PERCENT} % a minute`,
        slope < MAX_SLOPE_PERCENT,
        `${slope.toFixed(3)} %`,
      ],
      ["no socket and no timer is left", left.length === 0, left.join(", ") || "none"],
    ];
    console.log(
      [
        `writes            ${writes} (${refused} met a cut)`,
        `reconciles        ${counts.reconciles}`,
        `faults            ${faults.join(", ")}; ${cuts} cuts of all connections`,
        `objects at rest   ${atRest.objects}, after ${(restMs / 1000).toFixed(1)} s`,
        `heap              ${megabytes(warm[0]?.heapBytes)} after warm-up, ${megabytes(warm.at(-1)?.heapBytes)} at the end`,
        `handles           ${handles[0] ?? 0} at the start, at most ${Math.max(...handles)}, ${handles.at(-1) ?? 0} at the end`,
        ...verdicts.map(([what, holds, found]) => `${holds ? "ok  " : "FAIL"} ${what}: ${found}`),
      ].join("\n"),
    );
    const broken = verdicts.filter(([, holds]) => !holds).map(([what]) => what);
    if (broken.length > 0) throw new Error(`does not hold: ${broken.join("; ")}`);
  },
});
