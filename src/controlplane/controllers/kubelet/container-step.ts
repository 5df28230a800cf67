/**
 * The life of one container: started, ready, ended, restarted after a wait.
 *
 * Pure: its new status follows from its last one and the time.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#container-states
 */
import type { ContainerStatus, Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Container } from "../../builtin/shared/pods/shapes.ts";
import { formatDuration } from "../../../kube/values/duration.ts";
import { msOf, timeOf } from "../../../kube/values/times.ts";
import type { CommandEnd } from "./commands.ts";
import {
  begunStatus,
  containerId,
  type Terminated,
  terminatedState,
  waitingStatus,
} from "./container-statuses.ts";

const FIRST_BACK_OFF_MS = 10_000;
const LONGEST_BACK_OFF_MS = 300_000;
/** After running so long, a container restarts without backoff. */
const FORGIVEN_AFTER_MS = 600_000;

/** The behaviour of a container from its start on. */
export interface Program {
  /** The end of the container; `undefined` when it stays up. */
  readonly end: CommandEnd | undefined;
  /** How many milliseconds after its start its startup probe succeeds. */
  readonly startedAfterMs: number;
  /**
   * How many milliseconds after its start it is ready; `undefined` when time alone does not make it so.
   */
  readonly readyAfterMs: number | undefined;
}

/** An event about the pod. */
export interface Note {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

/** A container and the rules for running it. */
export interface ContainerRun {
  readonly pod: Pod;
  readonly container: Container;
  readonly program: Program;
  /** Whether it is restarted after an end with that exit code. */
  restarts(exitCode: number): boolean;
  /** The reason why it cannot start, such as a missing Secret. */
  configProblem(): string | undefined;
  readonly nowMs: number;
}

/** The next status of a container. */
export interface ContainerStep {
  readonly status: ContainerStatus;
  readonly notes: readonly Note[];
  /** When the status changes by time alone, in milliseconds. */
  readonly wakeAtMs?: number;
}

/**
 * The status of a container by now. A start is reported on its own, before an end that follows at
 * once.
 */
export function nextStep(known: ContainerStatus | undefined, run: ContainerRun): ContainerStep {
  const begun = known?.state?.running ?? known?.state?.terminated ?? known?.lastState?.terminated;
  if (!known || !begun) return started(run, 0);
  const { running, terminated } = known.state ?? {};
  if (running) return whileRunning(known, run, running.startedAt);
  const last = terminated ?? known.lastState?.terminated;
  return last ? afterEnd(known, last, run) : started(run, known.restartCount);
}

function started(run: ContainerRun, restartCount: number, last?: Terminated): ContainerStep {
  const { pod, container, program, nowMs } = run;
  const problem = run.configProblem();
  if (problem !== undefined) {
    const waiting = waitingStatus(container, "CreateContainerConfigError", problem);
    return {
      status: { ...waiting, restartCount, ...(last ? { lastState: { terminated: last } } : {}) },
      notes: [{ type: "Warning", reason: "Failed", message: `Error: ${problem}` }],
    };
  }
  const status = begunStatus(pod, container, {
    ...readiness(program, 0),
    restartCount,
    state: { running: { startedAt: timeOf(nowMs) } },
    ...(last ? { lastState: { terminated: last } } : {}),
  });
  const { name, image = "" } = container;
  return withWake(status, nowMs, run, [
    normal("Pulled", `Container image "${image}" already present on machine`),
    normal("Created", `Container created: ${name}`),
    normal("Started", `Container started: ${name}`),
  ]);
}

const normal = (reason: string, message: string): Note => ({ type: "Normal", reason, message });

function readiness(
  { startedAfterMs, readyAfterMs }: Program,
  elapsedMs: number,
): { ready: boolean; started: boolean } {
  const isStarted = elapsedMs >= startedAfterMs;
  const isReady = readyAfterMs !== undefined && elapsedMs >= Math.max(readyAfterMs, startedAfterMs);
  return { ready: isStarted && isReady, started: isStarted };
}

function whileRunning(known: ContainerStatus, run: ContainerRun, startedAt = ""): ContainerStep {
  const { pod, container, program, nowMs } = run;
  const startedMs = msOf(startedAt);
  const { end } = program;
  if (end?.afterMs === undefined || nowMs - startedMs < end.afterMs) {
    const status = { ...known, ...readiness(program, nowMs - startedMs) };
    return withWake(status, startedMs, run, []);
  }
  const terminated = terminatedState(end.exitCode, {
    startedAt,
    finishedAt: timeOf(Math.max(startedMs, Math.min(nowMs, startedMs + end.afterMs))),
    containerID: containerId(pod, container),
  });
  const status = { ...known, ready: false, started: false, state: { terminated } };
  return afterEnd(status, terminated, run);
}

function withWake(
  status: ContainerStatus,
  startedMs: number,
  { program, nowMs }: ContainerRun,
  notes: readonly Note[],
): ContainerStep {
  const { end, startedAfterMs, readyAfterMs } = program;
  const times = [end?.afterMs, startedAfterMs, readyAfterMs]
    .filter((ms) => ms !== undefined)
    .map((ms) => startedMs + ms)
    .filter((ms) => ms > nowMs);
  return times.length === 0 ? { status, notes } : { status, notes, wakeAtMs: Math.min(...times) };
}

/**
 * The next status of a terminated container: it stays terminated, or restarts, at once the first
 * time and then after ever longer waits.
 */
function afterEnd(known: ContainerStatus, last: Terminated, run: ContainerRun): ContainerStep {
  const { pod, container, nowMs } = run;
  if (!run.restarts(last.exitCode)) return { status: { ...known, ready: false }, notes: [] };
  const { restartCount } = known;
  const ranMs = msOf(last.finishedAt) - msOf(last.startedAt);
  const waitMs =
    restartCount === 0 || ranMs >= FORGIVEN_AFTER_MS
      ? 0
      : Math.min(FIRST_BACK_OFF_MS * 2 ** (restartCount - 1), LONGEST_BACK_OFF_MS);
  const dueMs = msOf(last.finishedAt) + waitMs;
  if (nowMs >= dueMs) {
    const again = started(run, restartCount + 1, last);
    const { running } = again.status.state ?? {};
    if (!running) return again;
    const next = whileRunning(again.status, run, running.startedAt);
    return { ...next, notes: [...again.notes, ...next.notes] };
  }
  const { name = "", namespace = "", uid = "" } = pod.metadata;
  const podText = `${name}_${namespace}(${uid})`;
  const waiting = {
    reason: "CrashLoopBackOff",
    message: `back-off ${formatDuration(waitMs)} restarting failed container=${container.name} pod=${podText}`,
  };
  const isNews = known.state?.waiting?.message !== waiting.message;
  return {
    status: {
      ...known,
      ready: false,
      started: false,
      state: { waiting },
      lastState: { terminated: last },
    },
    notes: isNews
      ? [
          {
            type: "Warning",
            reason: "BackOff",
            message: `Back-off restarting failed container ${container.name} in pod ${podText}`,
          },
        ]
      : [],
    wakeAtMs: dueMs,
  };
}
