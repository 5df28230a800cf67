import type { SentObject } from "../../../../../kube/object.ts";
import type { TableRowCondition } from "../../../../kinds.ts";
import { at, listAt, numberAt, textAt } from "../../../at.ts";
import { ageOf } from "../../../../../kube/values/age.ts";
import { conditionOf } from "../../../tables/cells.ts";

interface PodSummary {
  readonly ready: string;
  readonly status: string;
  readonly restarts: Restarts;
}

/** How often containers restarted, and when the last of them ended, RFC 3339; empty for never. */
interface Restarts {
  readonly count: number;
  readonly last: string;
}

function restartsOf(containers: readonly unknown[]): Restarts {
  const ends = containers.map((one) => textAt(one, "lastState.terminated.finishedAt"));
  const counts = containers.map((one) => numberAt(one, "restartCount"));
  return { count: counts.reduce((sum, count) => sum + count, 0), last: ends.sort().at(-1) ?? "" };
}

/** The reason of the state, else `Signal:9` or `ExitCode:1`. */
function terminationText(terminated: unknown): string {
  const signal = numberAt(terminated, "signal");
  return textAt(
    terminated,
    "reason",
    signal === 0 ? `ExitCode:${numberAt(terminated, "exitCode")}` : `Signal:${signal}`,
  );
}

const hasTrueCondition = (pod: SentObject, type: string): boolean =>
  textAt(conditionOf(pod, type), "status") === "True";

const isTrue = (container: unknown, field: string): boolean => at(container, field) === true;

const hasSucceeded = (container: unknown): boolean =>
  at(container, "state.terminated") !== undefined &&
  numberAt(container, "state.terminated.exitCode") === 0;

/** The status of a pod whose init container at `index` has not finished. */
function initStatus(pod: SentObject, container: unknown, index: number): string {
  const terminated = at(container, "state.terminated");
  if (terminated) return `Init:${terminationText(terminated)}`;
  const waiting = textAt(container, "state.waiting.reason");
  return waiting !== "" && waiting !== "PodInitializing"
    ? `Init:${waiting}`
    : `Init:${index}/${listAt(pod, "spec.initContainers").length}`;
}

/** The status by the containers, `before` when they tell nothing, and how many are ready. */
function summarizeContainers(pod: SentObject, before: string): { status: string; ready: number } {
  let status = before;
  let ready = 0;
  let error = "";
  for (const container of listAt(pod, "status.containerStatuses").toReversed()) {
    const waiting = textAt(container, "state.waiting.reason");
    const terminated = at(container, "state.terminated");
    if (waiting !== "") {
      status = waiting;
    } else if (terminated) {
      status = terminationText(terminated);
      if (numberAt(terminated, "exitCode") !== 0) error = status;
    } else if (isTrue(container, "ready") && at(container, "state.running")) {
      ready += 1;
    }
  }
  // Only some containers have completed: the others determine the status.
  if (status === "Completed") {
    if (ready > 0 && hasTrueCondition(pod, "Ready")) status = "Running";
    else if (error !== "") status = error;
    else if (ready > 0) status = "NotReady";
  }
  return { status, ready };
}

export function summarize(pod: SentObject): PodSummary {
  const phase = textAt(pod, "status.phase");
  const sidecars = new Set(
    listAt(pod, "spec.initContainers")
      .filter((container) => textAt(container, "restartPolicy") === "Always")
      .map((container) => textAt(container, "name")),
  );
  const total = listAt(pod, "spec.containers").length + sidecars.size;
  const isSidecar = (container: unknown): boolean => sidecars.has(textAt(container, "name"));
  const runs = (container: unknown): boolean =>
    !hasSucceeded(container) && isSidecar(container) && isTrue(container, "started");

  const isGated = textAt(conditionOf(pod, "PodScheduled"), "reason") === "SchedulingGated";
  let status = isGated ? "SchedulingGated" : textAt(pod, "status.reason", phase);
  const all = listAt(pod, "status.initContainerStatuses");
  const stuck = all.findIndex((container) => !hasSucceeded(container) && !runs(container));
  const seen = stuck === -1 ? all : all.slice(0, stuck + 1);
  if (stuck !== -1) status = initStatus(pod, all[stuck], stuck);
  let ready = seen.filter((container) => runs(container) && isTrue(container, "ready")).length;
  let restarts = restartsOf(seen);
  if (stuck === -1 || hasTrueCondition(pod, "Initialized")) {
    const containers = summarizeContainers(pod, status);
    ready += containers.ready;
    status = containers.status;
    restarts = restartsOf([...seen.filter(isSidecar), ...listAt(pod, "status.containerStatuses")]);
  }

  if (pod.metadata.deletionTimestamp !== undefined) {
    if (textAt(pod, "status.reason") === "NodeLost") status = "Unknown";
    else if (phase !== "Succeeded" && phase !== "Failed") status = "Terminating";
  }
  return { ready: `${ready}/${total}`, status, restarts };
}

export function restartsText(pod: SentObject, nowMs: number): string {
  const { count, last } = summarize(pod).restarts;
  return count === 0 || last === "" ? String(count) : `${count} (${ageOf(last, nowMs)} ago)`;
}

export function readinessGates(pod: SentObject): string {
  const gates = listAt(pod, "spec.readinessGates");
  if (gates.length === 0) return "<none>";
  const met = gates.filter((gate) => hasTrueCondition(pod, textAt(gate, "conditionType")));
  return `${met.length}/${gates.length}`;
}

export function completed(pod: SentObject): readonly TableRowCondition[] {
  const phase = textAt(pod, "status.phase");
  if (phase !== "Succeeded" && phase !== "Failed") return [];
  const message = phase === "Succeeded" ? "The pod has completed successfully." : "The pod failed.";
  return [{ type: "Completed", status: "True", reason: phase, message }];
}
