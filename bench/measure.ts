/**
 * The common parts of all benchmarks: interleaved runs, medians, one line for each result.
 *
 * A figure alone says little on a shared machine; a ratio against a peer or a physical limit of the
 * same run does.
 */
import { spawnSync } from "node:child_process";
import { cpus } from "node:os";

/** The median of some numbers. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? NaN)
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

/**
 * Runs each contender `rounds` times, in turns, and returns the median of each, in milliseconds.
 */
export async function compare(
  contenders: Readonly<Record<string, () => unknown>>,
  rounds: number,
): Promise<Record<string, number>> {
  const times: Record<string, number[]> = {};
  for (let round = 0; round <= rounds; round++) {
    for (const [name, run] of Object.entries(contenders)) {
      const began = performance.now();
      const own = await run();
      const took = typeof own === "number" ? own : performance.now() - began;
      // The first round warms caches and is not counted.
      if (round > 0) (times[name] ??= []).push(took);
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, all]) => [name, median(all)]));
}

/** Runs a program to its end; throws with its output when it fails. */
export function run(command: string, args: readonly string[], cwd = process.cwd()): void {
  const { status, stderr, stdout, error } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw error ?? new Error(`${command} ${args.join(" ")}: ${stderr}${stdout}`);
}

/** Whether a program is on this machine. */
export function has(command: string, ...args: string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0;
}

/** One result: ours, the peer, their ratio and the goal. */
export function report(
  title: string,
  ours: number,
  peer: number,
  peerName: string,
  goal?: number,
): void {
  const ratio = ours / peer;
  const verdict = goal === undefined ? "" : `  goal ${goal}x ${ratio <= goal ? "met" : "MISSED"}`;
  console.log(
    `${title.padEnd(44)} ${ours.toFixed(0).padStart(6)} ms  ${peerName} ${peer.toFixed(0)} ms  ${ratio.toFixed(2)}x${verdict}`,
  );
}

/** The machine in a line. */
export function machine(): string {
  const [cpu] = cpus();
  return `${cpu?.model.trim() ?? "unknown CPU"}, ${cpus().length} cores, Node ${process.version}`;
}
