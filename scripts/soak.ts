/**
 * An operator under load and faults for a long time: `npm run soak -- [--minutes N] [--objects N]
 * [--rate N] [--seed N]`.
 *
 * Its reconciler copies one field of each object to another. A tenth of the writers' changes are
 * deletions and creations, 1 % of the operator's requests fail in one way or another, and every
 * half minute all connections are cut. At the end everything comes to rest, and the cache must
 * equal the server's objects. Exits with 1 when a check fails.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { systemClock, VirtualClock } from "../src/clock.ts";
import { messageOf } from "../src/errors.ts";
import {
  controllerFor,
  createManager,
  loadClusterConfig,
  mergePatch,
  type Client,
  type ObjectKey,
} from "../src/index.ts";
import { ConfigMap, Namespace } from "../src/k8s.ts";
import { LiveClient } from "../src/runtime/client/live-client.ts";
import { RestClient } from "../src/runtime/rest/rest-client.ts";
import { eventually, FaultyTransport, HttpsTransport, silentLogger } from "../src/testing.ts";

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    objects: { type: "string", default: "5000" },
    rate: { type: "string", default: "50" },
    seed: { type: "string", default: "1" },
  },
});
const MINUTES = Number(values.minutes);
const OBJECTS = Number(values.objects);
const WRITES_PER_SECOND = Number(values.rate);
const SEED = Number(values.seed);
const FAULTS = { refuse: 0.002, reset: 0.002, cut: 0.002, status: { 429: 0.002, 500: 0.002 } };
const NAMESPACE = "soak";
const SAMPLE_MS = 5000;
const CUT_MS = 30_000;
// The first part of the run fills pools and caches, and is not measured.
const WARM_UP = 0.25;
const MAX_SLOPE_PERCENT = 1;

const { gc: collect } = globalThis as { gc?: () => void };
if (!collect) throw new Error("run it with --expose-gc, as `npm run soak` does");

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
  collect?.();
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

const dice = new VirtualClock({ seed: SEED });
const draw = (below: number): number => Math.floor(dice.random() * below);
const keyOf = (index: number): ObjectKey => ({ namespace: NAMESPACE, name: `object-${index}` });

/** Changes, deletes or creates one object, as a user would. */
async function write(client: Client, revision: number): Promise<void> {
  const key = keyOf(draw(OBJECTS));
  const data = { wanted: `revision ${revision}`, filler: "x".repeat(500) };
  const known = await client.find(ConfigMap, key);
  if (!known) await client.create(ConfigMap, { metadata: { ...key }, data });
  else if (draw(20) === 0) await client.delete(ConfigMap, key);
  else await client.patch(ConfigMap, key, mergePatch({ data: { wanted: data.wanted } }));
}

async function fill(client: Client): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < OBJECTS) {
      const key = keyOf(next++);
      const data = { wanted: "revision 0", filler: "x".repeat(500) };
      await client.create(ConfigMap, { metadata: { ...key }, data });
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
}

const server = spawn(process.execPath, ["scripts/run-ts.mjs", "scripts/soak-server.ts"], {
  stdio: ["pipe", "pipe", "inherit"],
});
const [line] = (await once(createInterface(server.stdout), "line")) as [string];
const config = loadClusterConfig({ kubeconfigText: JSON.parse(line) as string });
const userTransport = new HttpsTransport(config, "user");
const user = new LiveClient(new RestClient(userTransport, systemClock), { fieldManager: "user" });
await user.create(Namespace, { metadata: { name: NAMESPACE } });
await fill(user);
console.log(`${OBJECTS} objects, ${MINUTES} minutes, ${WRITES_PER_SECOND} writes/s, seed ${SEED}`);

const clock = systemClock;
const transport = new FaultyTransport(new HttpsTransport(config, "soak"), clock, FAULTS);
const manager = createManager({
  transport,
  clock,
  log: silentLogger,
  cache: { namespaces: [NAMESPACE] },
});
let reconciles = 0;
controllerFor(manager)
  .for(ConfigMap)
  .withOptions({ maxConcurrentReconciles: 10 })
  .complete({
    async reconcile({ key }) {
      reconciles++;
      const object = await manager.client.find(ConfigMap, key);
      const wanted = object?.data?.["wanted"];
      if (wanted === undefined || object?.data?.["done"] === wanted) return;
      await manager.client.patch(ConfigMap, key, mergePatch({ data: { done: wanted } }));
    },
  });
const stop = new AbortController();
let failure: unknown;
const running = manager.start(stop.signal).catch((error: unknown) => {
  failure = error;
});
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
  if (passedMs >= MINUTES * 60_000) break;
  if (passedMs >= cutAtMs) {
    cutAtMs += CUT_MS;
    cuts++;
    server.stdin.write("cut\n");
  }
  if (passedMs >= sampleAtMs) {
    sampleAtMs += SAMPLE_MS;
    samples.push(sample());
  }
  await write(user, ++writes).catch(() => {
    // A cut connection ended the write; later ones make up for it.
    refused++;
  });
  const dueMs = (writes * 1000) / WRITES_PER_SECOND;
  await clock.sleep(Math.max(0, dueMs - (clock.monotonicMs() - beganMs)));
}

transport.healthy = true;
/** The versions of the server's objects, and whether the reconciler is done with each. */
async function rest(): Promise<{ objects: number; behind: number; unequal: number }> {
  const listed = await user.live.list(ConfigMap, { namespace: NAMESPACE });
  const cached = new Map(
    (await manager.client.list(ConfigMap, { namespace: NAMESPACE })).map((object) => [
      object.metadata.name,
      object.metadata.resourceVersion,
    ]),
  );
  const unequal =
    listed.filter(({ metadata }) => cached.get(metadata.name) !== metadata.resourceVersion).length +
    Math.max(0, cached.size - listed.length);
  const behind = listed.filter(({ data }) => data?.["done"] !== data?.["wanted"]).length;
  return { objects: listed.length, behind, unequal };
}
let atRest = await rest();
await eventually(
  async () => {
    atRest = await rest();
    if (atRest.behind + atRest.unequal > 0) throw new Error("not at rest yet");
  },
  { timeoutMs: 90_000, intervalMs: 2000 },
).catch(() => undefined);
const restMs = clock.monotonicMs() - beganMs - MINUTES * 60_000;

stop.abort();
await running;
userTransport.close();
server.stdin.end();
await once(server, "exit");
await clock.sleep(1000);
const left = resources();

const warm = samples.slice(Math.floor(samples.length * WARM_UP));
const slope = slopePercent(warm);
const megabytes = (bytes = 0): string => `${(bytes / 2 ** 20).toFixed(1)} MB`;
const faults = Object.entries(transport.counts).map(([name, count]) => `${name} ${count}`);
const verdicts: [string, boolean, string][] = [
  [
    "the operator ran to its end",
    failure === undefined,
    failure === undefined ? "yes" : messageOf(failure),
  ],
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
    `reconciles        ${reconciles}`,
    `faults            ${faults.join(", ")}; ${cuts} cuts of all connections`,
    `objects at rest   ${atRest.objects}, after ${(restMs / 1000).toFixed(1)} s`,
    `heap              ${megabytes(warm[0]?.heapBytes)} after warm-up, ${megabytes(warm.at(-1)?.heapBytes)} at the end`,
    `handles           ${samples[0]?.resources ?? 0} at the start, at most ${Math.max(...samples.map(({ resources: count }) => count))}, ${samples.at(-1)?.resources ?? 0} at the end`,
    ...verdicts.map(([what, holds, found]) => `${holds ? "ok  " : "FAIL"} ${what}: ${found}`),
  ].join("\n"),
);
if (verdicts.some(([, holds]) => !holds)) process.exitCode = 1;
