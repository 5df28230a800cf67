/**
 * The life of one container: started, ready, ended, restarted after a wait.
 *
 * Pure: its new status follows from its last one and the time.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#container-states
 */
import { createHash } from "node:crypto";
import { formatDuration } from "../../../kube/values/duration.ts";
import { msOf, timeOf } from "../../../kube/values/times.ts";
import { present } from "../../../present.ts";
import type { ContainerState, ContainerStatus, Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Container } from "../../builtin/shared/pods/pod-shapes.ts";
import type { Program } from "./simulation.ts";

const FIRST_BACK_OFF_MS = 10_000;
const LONGEST_BACK_OFF_MS = 300_000;
/** After running so long, a container restarts without backoff. */
const FORGIVEN_AFTER_MS = 600_000;

export interface Note {
  readonly type: "Normal" | "Warning";
  readonly reason: string;
  readonly message: string;
}

const normal = (reason: string, message: string): Note => ({ type: "Normal", reason, message });

/** A note of something that went wrong. */
export const warning = (reason: string, message: string): Note => ({
  type: "Warning",
  reason,
  message,
});

/** A container and the rules for running it. */
export interface ContainerRun {
  readonly pod: Pod;
  readonly container: Container;
  readonly program: Program;
  /** The reason why it cannot start, such as a missing Secret. */
  configProblem(): string | undefined;
  readonly nowMs: number;
}

/** The next status, of a container or a pod. */
export interface Step<Status = ContainerStatus> {
  readonly status: Status;
  readonly notes: readonly Note[];
  /** When the status changes by time alone, in milliseconds. */
  readonly wakeAtMs?: number;
}

type Terminated = NonNullable<ContainerState["terminated"]>;

/** The state in which a container that has begun is now, or was before its restart. */
export const begunState = ({
  state,
  lastState,
}: ContainerStatus): ContainerState["running"] | Terminated =>
  state?.running ?? state?.terminated ?? lastState?.terminated;

const terminatedState = (
  exitCode: number,
  rest: Omit<Terminated, "exitCode" | "reason">,
): Terminated => ({ exitCode, reason: exitCode === 0 ? "Completed" : "Error", ...rest });

/** The status of a container that has not started. */
export function waitingStatus(
  { name, image = "" }: Container,
  reason: string,
  message?: string,
): ContainerStatus {
  return {
    name,
    image,
    imageID: "",
    ready: false,
    started: false,
    restartCount: 0,
    state: { waiting: { reason, ...present({ message }) } },
    lastState: {},
  };
}

/** The status of a container that was stopped, if it ran. */
export function stopped(status: ContainerStatus, exitCode: number, nowMs: number): ContainerStatus {
  const { state, containerID } = status;
  if (!state?.running) return { ...status, ready: state?.terminated ? status.ready : false };
  const terminated = terminatedState(exitCode, {
    finishedAt: timeOf(nowMs),
    ...present({ startedAt: state.running.startedAt, containerID }),
  });
  return { ...status, ready: false, started: false, state: { terminated } };
}

/** The status of a container by now. A start is reported on its own, before an end that follows at once. */
export function nextStep(known: ContainerStatus | undefined, run: ContainerRun): Step {
  if (!known || !begunState(known)) return started(run, 0);
  const { running, terminated } = known.state ?? {};
  if (running) return whileRunning(known, run, running.startedAt);
  const last = terminated ?? known.lastState?.terminated;
  return last ? afterEnd(known, last, run) : started(run, known.restartCount);
}

const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The id of a container of a pod, which stays the same. */
const containerId = ({ metadata: { uid = "" } }: Pod, { name }: Container): string =>
  `containerd://${digestOf(`${uid}/${name}`)}`;

function started(run: ContainerRun, restartCount: number, last?: Terminated): Step {
  const { pod, container, program, nowMs } = run;
  const lastState = last ? { terminated: last } : {};
  const problem = run.configProblem();
  if (problem !== undefined) {
    const waiting = waitingStatus(container, "CreateContainerConfigError", problem);
    return {
      status: { ...waiting, restartCount, lastState },
      notes: [warning("Failed", `Error: ${problem}`)],
    };
  }
  const { name, image = "" } = container;
  const status: ContainerStatus = {
    name,
    image,
    imageID: `${image.replace(/[:@][^/]*$/, "")}@sha256:${digestOf(image)}`,
    containerID: containerId(pod, container),
    ...readiness(program, 0),
    restartCount,
    state: { running: { startedAt: timeOf(nowMs) } },
    lastState,
  };
  return withWake(status, nowMs, run, [
    normal("Pulled", `Container image "${image}" already present on machine`),
    normal("Created", `Container created: ${name}`),
    normal("Started", `Container started: ${name}`),
  ]);
}

function readiness(
  { startedAfterMs, readyAfterMs }: Program,
  elapsedMs: number,
): { ready: boolean; started: boolean } {
  const isStarted = elapsedMs >= startedAfterMs;
  const isReady = readyAfterMs !== undefined && elapsedMs >= Math.max(readyAfterMs, startedAfterMs);
  return { ready: isStarted && isReady, started: isStarted };
}

function whileRunning(known: ContainerStatus, run: ContainerRun, startedAt = ""): Step {
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

/** The earliest of these times, when something changes by time alone. */
export const earliest = (times: readonly number[]): Pick<Step, "wakeAtMs"> =>
  times.length === 0 ? {} : { wakeAtMs: Math.min(...times) };

function withWake(
  status: ContainerStatus,
  startedMs: number,
  { program, nowMs }: ContainerRun,
  notes: readonly Note[],
): Step {
  const { end, startedAfterMs, readyAfterMs } = program;
  const times = [end?.afterMs, startedAfterMs, readyAfterMs]
    .filter((ms) => ms !== undefined)
    .map((ms) => startedMs + ms)
    .filter((ms) => ms > nowMs);
  return { status, notes, ...earliest(times) };
}

/**
 * The next status of a terminated container: it stays terminated, or restarts, at once the first
 * time and then after ever longer waits.
 */
function afterEnd(known: ContainerStatus, last: Terminated, run: ContainerRun): Step {
  const { pod, container, program, nowMs } = run;
  if (!program.restarts(last.exitCode)) return { status: { ...known, ready: false }, notes: [] };
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
  const message = `back-off ${formatDuration(waitMs)} restarting failed container=${container.name} pod=${podText}`;
  const state = { waiting: { reason: "CrashLoopBackOff", message } };
  const note = `Back-off restarting failed container ${container.name} in pod ${podText}`;
  return {
    status: { ...known, ready: false, started: false, state, lastState: { terminated: last } },
    notes: known.state?.waiting?.message === message ? [] : [warning("BackOff", note)],
    wakeAtMs: dueMs,
  };
}
