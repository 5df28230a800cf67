/**
 * What a pod does in the simulation: written in an annotation, for tests of what an operator makes of it.
 *
 * @module
 */
import type { Pod } from "../builtin/strategies/pod-shapes.ts";

/**
 * The annotation of a pod, or of a template: `fail` or `fail:3` (the exit code), `slow:30` (ready after so many
 * seconds), `never-ready`, `run` (stays up even in a Job).
 */
const ANNOTATION = "tsop.dev/simulate";
const FIRST_RESTART_MS = 10_000;
const LONGEST_RESTART_MS = 300_000;

/** What becomes of a pod's containers. */
export interface PodScript {
  readonly kind: "run" | "fail" | "slow" | "never-ready";
  /** With `slow`: when it is ready, after its start. */
  readonly afterMs: number;
  /** With `fail`: how its containers end. */
  readonly exitCode: number;
  /** Whether it goes on although a Job waits for its end. */
  readonly staysUp: boolean;
}

const RUNS: PodScript = { kind: "run", afterMs: 0, exitCode: 0, staysUp: false };

/** The script of a pod; one that is not understood is as good as none. */
export function scriptOf({ metadata }: Pod): PodScript {
  const [word = "", argument = ""] = (metadata.annotations?.[ANNOTATION] ?? "").split(":");
  const number = /^\d+$/.test(argument) ? Number(argument) : undefined;
  switch (word) {
    case "fail":
      return { ...RUNS, kind: "fail", exitCode: number ?? 1 };
    case "slow":
      return { ...RUNS, kind: "slow", afterMs: (number ?? 10) * 1000 };
    case "never-ready":
      return { ...RUNS, kind: "never-ready" };
    case "run":
      return { ...RUNS, staysUp: true };
    default:
      return RUNS;
  }
}

/** How long after its start a pod is restarted for the next time: the waits so far, each twice the last. */
export function restartDelayMs(restarts: number): number {
  let sum = 0;
  for (let count = 0; count < restarts; count++) {
    sum += Math.min(FIRST_RESTART_MS * 2 ** count, LONGEST_RESTART_MS);
  }
  return sum;
}
