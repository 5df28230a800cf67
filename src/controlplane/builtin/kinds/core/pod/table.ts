/** Pods as a table. */
import type { SentObject } from "../../../../../kube/object.ts";
import type { TableRowCondition } from "../../../../kinds.ts";
import { at, listAt, numberAt, textAt } from "../../../at.ts";
import { ageOf } from "../../../../../kube/values/age.ts";
import { conditionOf } from "../../../tables/cells.ts";

interface PodSummary {
  readonly ready: string;
  readonly status: string;
  readonly restarts: number;
  /** The time at which a container last ended, RFC 3339; empty when none has. */
  readonly lastRestart: string;
}

/** Sums up the restarts of containers. */
class Restarts {
  count = 0;
  last = "";

  add(container: unknown): void {
    this.count += numberAt(container, "restartCount");
    const finished = textAt(container, "lastState.terminated.finishedAt");
    if (finished > this.last) this.last = finished;
  }
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

/** The state of the init containers. */
interface InitSummary {
  /** The status to show while an init container has not finished. */
  readonly status: string | undefined;
  readonly ready: number;
  /** The restarts of all init containers, and of the sidecars alone. */
  readonly restarts: Restarts;
  readonly sidecarRestarts: Restarts;
}

function summarizeInit(pod: SentObject, sidecars: ReadonlySet<string>): InitSummary {
  const restarts = new Restarts();
  const sidecarRestarts = new Restarts();
  let ready = 0;
  for (const [index, container] of listAt(pod, "status.initContainerStatuses").entries()) {
    const isSidecar = sidecars.has(textAt(container, "name"));
    restarts.add(container);
    if (isSidecar) sidecarRestarts.add(container);
    const terminated = at(container, "state.terminated");
    if (terminated && numberAt(terminated, "exitCode") === 0) continue;
    if (isSidecar && at(container, "started") === true) {
      if (at(container, "ready") === true) ready += 1;
      continue;
    }
    const waiting = textAt(container, "state.waiting.reason");
    const status = terminated
      ? `Init:${terminationText(terminated)}`
      : waiting !== "" && waiting !== "PodInitializing"
        ? `Init:${waiting}`
        : `Init:${index}/${listAt(pod, "spec.initContainers").length}`;
    return { status, ready, restarts, sidecarRestarts };
  }
  return { status: undefined, ready, restarts, sidecarRestarts };
}

function summarizeContainers(
  pod: SentObject,
  before: string,
  restarts: Restarts,
): { status: string; ready: number } {
  let status = before;
  let ready = 0;
  let error = "";
  for (const container of [...listAt(pod, "status.containerStatuses")].reverse()) {
    restarts.add(container);
    const waiting = textAt(container, "state.waiting.reason");
    const terminated = at(container, "state.terminated");
    if (waiting !== "") {
      status = waiting;
    } else if (terminated) {
      status = terminationText(terminated);
      if (numberAt(terminated, "exitCode") !== 0) error = status;
    } else if (at(container, "ready") === true && at(container, "state.running")) {
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
  let status = textAt(pod, "status.reason", phase);
  const isGated = listAt(pod, "status.conditions").some(
    (condition) =>
      textAt(condition, "type") === "PodScheduled" &&
      textAt(condition, "reason") === "SchedulingGated",
  );
  if (isGated) status = "SchedulingGated";

  const sidecars = new Set(
    listAt(pod, "spec.initContainers")
      .filter((container) => textAt(container, "restartPolicy") === "Always")
      .map((container) => textAt(container, "name")),
  );
  const total = listAt(pod, "spec.containers").length + sidecars.size;
  const init = summarizeInit(pod, sidecars);
  let { ready, restarts } = init;
  status = init.status ?? status;
  if (init.status === undefined || hasTrueCondition(pod, "Initialized")) {
    restarts = init.sidecarRestarts;
    const containers = summarizeContainers(pod, status, restarts);
    ready += containers.ready;
    status = containers.status;
  }

  if (pod.metadata.deletionTimestamp !== undefined) {
    if (textAt(pod, "status.reason") === "NodeLost") status = "Unknown";
    else if (phase !== "Succeeded" && phase !== "Failed") status = "Terminating";
  }
  return {
    ready: `${ready}/${total}`,
    status,
    restarts: restarts.count,
    lastRestart: restarts.last,
  };
}

export function restartsText(pod: SentObject, nowMs: number): string {
  const { restarts, lastRestart } = summarize(pod);
  return restarts === 0 || lastRestart === ""
    ? String(restarts)
    : `${restarts} (${ageOf(lastRestart, nowMs)} ago)`;
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
