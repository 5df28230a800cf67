/**
 * An operator at work, against one on controller-runtime in the same run and on the same control plane: how many
 * reconciles a second that find nothing to do (each comes again after a millisecond), how many that patch a status, and
 * how long from a write to its reconcile. And the work queue alone.
 *
 * @module
 */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { systemClock } from "../src/clock.ts";
import { WorkQueue } from "../src/runtime/queue/work-queue.ts";
import { has, median, run } from "./measure.ts";

const OBJECTS = 2000;
const ROUNDS = 3;
const NO_OPS = 50_000;
const RATES = [100, 1000];
const SECONDS = 5;
const QUEUE_OPERATIONS = 1_000_000;

interface Result {
  readonly perSecond?: number;
  readonly p50Ms?: number;
  readonly p99Ms?: number;
}

/** A program that is talked with by lines. */
interface Peer {
  readonly child: ChildProcess;
  say(line: string): void;
  next(): Promise<string>;
}

function start(command: string, args: readonly string[]): Peer {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines: Interface = createInterface(child.stdout);
  const iterator = lines[Symbol.asyncIterator]();
  return {
    child,
    say(line) {
      child.stdin.write(`${line}\n`);
    },
    async next() {
      const line = await iterator.next();
      if (line.done) throw new Error(`${command} ${args.join(" ")} ended`);
      return line.value;
    },
  };
}

const node = (script: string, ...args: string[]): Peer =>
  start(process.execPath, ["scripts/run-ts.mjs", script, ...args]);

/** Operations of a second: a key is added, taken and done. */
async function queueRate(keys: number): Promise<number> {
  const queue = new WorkQueue(systemClock);
  const names = Array.from({ length: keys }, (_, index) => `default/object-${index}`);
  const began = performance.now();
  for (let done = 0; done < QUEUE_OPERATIONS; done += keys) {
    for (const name of names) queue.add(name);
    for (let taken = 0; taken < keys; taken++) {
      const key = await queue.get();
      if (key !== undefined) queue.done(key);
    }
  }
  return (QUEUE_OPERATIONS * 1000) / (performance.now() - began);
}

/** Goals: 10 times the reconciles without work, 1.5 times those with a patch; 10 ms for 99 of 100 at 100 writes a second. */
export async function benchReconciles(): Promise<void> {
  for (const keys of [1, 100_000]) {
    console.log(`queue, ${keys} keys: ${(await queueRate(keys)).toFixed(0)} keys a second`);
  }
  const folder = mkdtempSync(join(tmpdir(), "tsop-bench-"));
  const kubeconfig = join(folder, "kubeconfig");
  const server = node("bench/reconcile-server.ts", folder, String(OBJECTS));
  try {
    await server.next();
    const contenders = new Map<string, (...args: string[]) => Peer>([
      ["tsop", (...args) => node("bench/reconcile-operator.ts", kubeconfig, ...args)],
    ]);
    if (has("go", "version")) {
      const program = join(folder, "reconcile");
      run("go", ["build", "-o", program, "./reconcile"], "bench/informer-go");
      contenders.set("controller-runtime", (...args) => start(program, [kubeconfig, ...args]));
    } else console.log("reconciles: no Go here, so no controller-runtime");

    let round = 1;
    for (const [mode, title, count, goal] of [
      ["noop", "reconciles a second without work", NO_OPS, 10],
      ["patch", "reconciles a second with a status patch", OBJECTS, 1.5],
    ] as const) {
      const rates = new Map<string, number[]>();
      for (let turn = 0; turn < ROUNDS; turn++) {
        for (const [name, operator] of contenders) {
          const peer = operator(mode, String(++round), String(count));
          const { perSecond = NaN } = JSON.parse(await peer.next()) as Result;
          rates.set(name, [...(rates.get(name) ?? []), perSecond]);
          await ended(peer);
        }
      }
      const [ours = NaN, theirs] = [...rates.values()].map(median);
      const ratio = theirs === undefined ? "" : verdict(ours, theirs, goal);
      console.log(`${title}: ${ours.toFixed(0)}${ratio}`);
    }
    // Once for nothing, so that the first one does not meet a server whose code is cold.
    server.say("100 3");
    await server.next();
    for (const rate of RATES) {
      for (const [name, operator] of contenders) {
        const peer = operator("latency", "0", "0");
        await peer.next();
        server.say(`${rate} ${SECONDS}`);
        await server.next();
        await systemClock.sleep(1000);
        peer.say("");
        const { p50Ms = NaN, p99Ms = NaN } = JSON.parse(await peer.next()) as Result;
        const times = `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
        console.log(`from a write to its reconcile, ${rate} writes a second, ${name}: ${times}`);
        await ended(peer);
      }
    }
  } finally {
    server.child.stdin?.end();
    await ended(server);
    rmSync(folder, { recursive: true });
  }
}

async function ended({ child }: Peer): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
}

function verdict(ours: number, theirs: number, goal: number): string {
  const ratio = ours / theirs;
  return `, controller-runtime ${theirs.toFixed(0)}: ${ratio.toFixed(2)}x  goal ${goal}x ${ratio >= goal ? "met" : "MISSED"}`;
}
