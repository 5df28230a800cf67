/**
 * The control plane under load, against a real one (where it has been built) in the same run.
 *
 * Both get the same requests from a client in a process of its own, in turns. Runs the result of
 * `npm run build`.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { startControlPlane } from "../src/controlplane/control-plane.ts";
import type { Job, JobResult } from "./control-plane-client.ts";
import { median } from "./measure.ts";
import { isRealBuilt, startReal, untilInterrupted } from "./real-control-plane.ts";

const REAL_PORT = 16_700;
const OBJECTS = 10_000;
const SIZES = [100, 1000, 10_000, 100_000];
const FORKED = 1000;
const FORKS = 20;

/** A running control plane. */
interface Contender {
  readonly name: string;
  readonly kubeconfig: string;
  readonly processIds: readonly number[];
  stop(): Promise<void> | void;
}

/**
 * Ends a contender with this process, also after an interrupt. @returns a function that cancels
 * this
 *
 * @returns takes it back
 */
function stopAtExit(stop: () => void): () => void {
  process.on("exit", stop);
  return () => process.off("exit", stop);
}

async function startOurs(folder: string): Promise<Contender> {
  const kubeconfig = join(folder, "kubeconfig");
  const args = ["bin/tsop.js", "cluster", "--json", "--port", "0", "--kubeconfig", kubeconfig];
  const child: ChildProcess = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (!child.stdout || child.pid === undefined) throw new Error("tsop cluster does not start");
  const release = stopAtExit(() => child.kill("SIGKILL"));
  await once(createInterface(child.stdout), "line");
  return {
    name: "tsop",
    kubeconfig,
    processIds: [child.pid],
    async stop() {
      release();
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

/** The real control plane, where it has been built. */
function findReal(): Contender | undefined {
  if (!isRealBuilt()) return undefined;
  const { kubeconfig, processIds, stop } = startReal(REAL_PORT);
  return { name: "etcd and kube-apiserver", kubeconfig, processIds, stop };
}

/** Runs a client for the job. */
async function work(kubeconfig: string, job: Job): Promise<JobResult> {
  const args = [
    "scripts/run-ts.mjs",
    "bench/control-plane-client.ts",
    kubeconfig,
    JSON.stringify(job),
  ];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`${job.operation} failed`);
  return JSON.parse(Buffer.concat(chunks).toString("utf8")) as JobResult;
}

/** The memory of the processes, in MB; `NaN` where the system does not report it. */
function memoryMb({ processIds }: Contender): number {
  if (process.platform !== "linux") return NaN;
  const kilobytes = processIds.map((id) => {
    const status = readFileSync(`/proc/${id}/status`, "utf8");
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]);
  });
  return kilobytes.reduce((sum, part) => sum + part, 0) / 1024;
}

interface Measurement {
  readonly title: string;
  /** The job of each round. */
  readonly job: Job;
  /** The number of turns of each; 1 when absent. A slow phase of the machine then affects both. */
  readonly rounds?: number;
  /** The goal: the factor by which it must be faster than the real one. */
  readonly goal?: number;
}

const MEASUREMENTS: readonly Measurement[] = [
  {
    title: `creates, 16 writers, to ${OBJECTS} objects`,
    job: { operation: "create", count: OBJECTS / 4, parallel: 16, objects: 0 },
    rounds: 4,
    goal: 3,
  },
  {
    title: "status patches, 10 writers",
    job: { operation: "status", count: 4000, parallel: 10, objects: OBJECTS },
    rounds: 3,
    goal: 4,
  },
  {
    title: "server-side applies, 10 writers",
    job: { operation: "apply", count: 2000, parallel: 10, objects: OBJECTS },
  },
  {
    title: "gets, 10 readers",
    job: { operation: "get", count: 6000, parallel: 10, objects: OBJECTS },
  },
  {
    title: "pages of 500, 2 readers",
    job: { operation: "page", count: 60, parallel: 2, objects: OBJECTS },
  },
  {
    title: `lists of all ${OBJECTS}, 2 readers`,
    job: { operation: "list", count: 6, parallel: 2, objects: OBJECTS },
  },
  {
    title: "events to 100 watches, one object after another",
    job: { operation: "fan-out", count: 100, parallel: 100, objects: OBJECTS },
  },
];

const shown = ({ perSecond, p50Ms, p99Ms }: JobResult): string =>
  `${perSecond.toFixed(perSecond < 100 ? 1 : 0)}/s (p50 ${p50Ms.toFixed(1)}, p99 ${p99Ms.toFixed(1)} ms)`;

function verdict(ratio: number, goal: number | undefined, isMet: boolean): string {
  const wanted = goal === undefined ? "" : `, goal ${goal}x ${isMet ? "met" : "MISSED"}`;
  return `  ${ratio.toFixed(2)}x${wanted}`;
}

async function benchLoad(folder: string): Promise<void> {
  const ours = await startOurs(folder);
  const real = findReal();
  try {
    for (const one of real ? [ours, real] : [ours]) {
      await work(one.kubeconfig, { operation: "prepare", count: 1, parallel: 1, objects: 0 });
    }
    for (const measurement of MEASUREMENTS) {
      const { title, goal } = measurement;
      const pairs = await takeTurns(measurement, ours, real);
      const peers = pairs.flatMap(({ peer }) => peer ?? []);
      const ratio = median(pairs.map(({ own, peer }) => own.perSecond / (peer?.perSecond ?? NaN)));
      const against = real ? `  ${real.name} ${shown(middle(peers))}` : "";
      const end = real ? verdict(ratio, goal, ratio >= (goal ?? 0)) : "";
      const result = middle(pairs.map(({ own }) => own));
      console.log(`${title.padEnd(50)} ${shown(result)}${against}${end}`);
      if (measurement.job.operation === "create") reportMemory(ours, real);
    }
  } finally {
    await ours.stop();
    await real?.stop();
  }
}

/** The results of one round. */
interface Pair {
  readonly own: JobResult;
  readonly peer?: JobResult;
}

async function takeTurns(
  { job, rounds = 1 }: Measurement,
  ours: Contender,
  real: Contender | undefined,
): Promise<Pair[]> {
  const pairs: Pair[] = [];
  for (let round = 0; round < rounds; round++) {
    // A created object does not exist yet.
    const isNew = job.operation === "create";
    const turn = isNew ? { ...job, objects: job.objects + round * job.count } : job;
    const own = await work(ours.kubeconfig, turn);
    pairs.push(real ? { own, peer: await work(real.kubeconfig, turn) } : { own });
  }
  return pairs;
}

/** The result with the median rate. */
function middle(results: readonly JobResult[]): JobResult {
  const sorted = results.toSorted((a, b) => a.perSecond - b.perSecond);
  const found = sorted[sorted.length >> 1];
  if (!found) throw new Error("no result");
  return found;
}

function reportMemory(ours: Contender, real: Contender | undefined): void {
  const held = memoryMb(ours);
  const peer = real ? memoryMb(real) : NaN;
  const against = real
    ? `  ${real.name} ${peer.toFixed(0)} MB${verdict(held / peer, 0.15, held / peer <= 0.15)}`
    : "";
  console.log(`${"memory with them".padEnd(50)} ${held.toFixed(0)} MB${against}`);
}

/** The rate of each operation with more and more objects. */
async function benchGrowth(folder: string): Promise<void> {
  const ours = await startOurs(folder);
  try {
    await work(ours.kubeconfig, { operation: "prepare", count: 1, parallel: 1, objects: 0 });
    let objects = 0;
    for (const size of SIZES) {
      const run = (operation: Job["operation"], count: number): Promise<JobResult> =>
        work(ours.kubeconfig, { operation, count, parallel: 10, objects });
      const creates = await run("create", size - objects);
      objects = size;
      const status = await run("status", 1000);
      const gets = await run("get", 2000);
      const pages = await run("page", 20);
      const rates = Object.entries({ creates, status, gets, pages })
        .map(([name, { perSecond }]) => `${name} ${perSecond.toFixed(0)}/s`)
        .join("  ");
      console.log(`${`${size} objects`.padEnd(50)} ${rates}  ${memoryMb(ours).toFixed(0)} MB`);
    }
  } finally {
    await ours.stop();
  }
}

/** Goal: a copy of a cluster of 1,000 objects within 10 ms. */
async function benchFork(folder: string): Promise<void> {
  const controlPlane = await startControlPlane();
  const kubeconfig = join(folder, "fork-kubeconfig");
  writeFileSync(kubeconfig, controlPlane.kubeconfig, { mode: 0o600 });
  await work(kubeconfig, { operation: "prepare", count: 1, parallel: 1, objects: 0 });
  await work(kubeconfig, { operation: "create", count: FORKED, parallel: 4, objects: 0 });
  const times: number[] = [];
  for (let turn = 0; turn < FORKS; turn++) {
    const began = performance.now();
    const copy = await controlPlane.fork();
    times.push(performance.now() - began);
    await copy.stop();
  }
  await controlPlane.stop();
  const took = median(times);
  console.log(
    `${`fork of ${FORKED} objects`.padEnd(50)} ${took.toFixed(1)} ms  goal 10 ms ${took < 10 ? "met" : "MISSED"}`,
  );
}

/** Goals: 3 times the creates and 4 times the status patches of the real one with 0.15 of its memory. */
export async function benchControlPlane(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "tsop-bench-"));
  try {
    await untilInterrupted(async () => {
      await benchFork(folder);
      await benchLoad(folder);
      await benchGrowth(folder);
    });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
