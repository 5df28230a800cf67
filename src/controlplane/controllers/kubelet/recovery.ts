/** The runtime of a pod that was running before this kubelet: after a restart, and in a fork. */
import { msOf } from "../../../kube/values/times.ts";
import { present } from "../../../present.ts";
import type { ContainerStatus, Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { PodParts } from "./pod-parts.ts";
import { Process } from "./program/process.ts";
import { PodRuntime } from "./runtime/pod-runtime.ts";
import { type RuntimeContainer, latest, placeOf } from "./runtime/runtime-state.ts";
import type { Simulation } from "./simulation.ts";

type Terminated = NonNullable<NonNullable<ContainerStatus["state"]>["terminated"]>;

const statusesOf = ({ status = {} }: Pod): ContainerStatus[] => [
  ...(status.initContainerStatuses ?? []),
  ...(status.containerStatuses ?? []),
  ...(status.ephemeralContainerStatuses ?? []),
];

/** The runtime by what the pod's status says of its containers. */
export function recoveredRuntime(pod: Pod, simulation: Simulation, lifeMs: number): PodRuntime {
  const condition = pod.status?.conditions?.find(
    ({ type }) => type === "PodReadyToStartContainers",
  );
  const containers = statusesOf(pod).flatMap((status) =>
    recovered(pod, status, simulation, lifeMs),
  );
  const isNew = condition?.status !== "True" && containers.length === 0;
  return new PodRuntime({
    sandbox: isNew ? "none" : condition?.status === "True" ? "ready" : "stopped",
    address: pod.status?.podIP,
    containers,
  });
}

function recovered(
  pod: Pod,
  status: ContainerStatus,
  simulation: Simulation,
  lifeMs: number,
): RuntimeContainer[] {
  const place = placeOf(pod, status.name);
  if (!place) return [];
  const { state = {}, lastState, restartCount, containerID = "" } = status;
  const common = {
    name: status.name,
    image: status.image,
    imageId: status.imageID,
    resources: status.resources ?? place.container.resources,
  };
  const containers: RuntimeContainer[] = [];
  const hasLatest = state.running !== undefined || state.terminated !== undefined;
  if (state.running) {
    const startMs = msOf(state.running.startedAt);
    const { container, role } = place;
    const process = new Process({ pod, container, role, simulation, startMs, lifeMs });
    containers.push({
      ...common,
      id: containerID,
      restartCount,
      state: { kind: "running", startMs, process },
    });
  } else if (state.terminated) {
    containers.push({ ...common, id: containerID, restartCount, state: exited(state.terminated) });
  }
  if (lastState?.terminated) {
    const id = lastState.terminated.containerID ?? `${containerID}-before`;
    const count = hasLatest ? Math.max(0, restartCount - 1) : restartCount;
    containers.push({ ...common, id, restartCount: count, state: exited(lastState.terminated) });
  }
  return containers;
}

function exited({ startedAt, finishedAt, exitCode, reason = "Error", message }: Terminated) {
  const startMs = startedAt === undefined ? undefined : msOf(startedAt);
  return {
    kind: "exited",
    endMs: msOf(finishedAt),
    exitCode,
    reason,
    ...present({ startMs, message }),
  } as const;
}

/** Sets what the kubelet remembered of the containers: failures, waits, and verdicts of probes. */
export function recoverMemory(parts: PodParts): void {
  const { pod, nowMs } = parts;
  const state = parts.runtime.stateAt(nowMs);
  for (const { name, state: now = {}, restartCount, ready, started, lastState } of statusesOf(
    pod,
  )) {
    const { reason, message = "" } = now.waiting ?? {};
    if (reason !== undefined && reason !== "ContainerCreating" && reason !== "PodInitializing") {
      parts.failures.set(name, { reason, message });
    }
    const endedMs = msOf((now.terminated ?? lastState?.terminated)?.finishedAt);
    parts.crashes.restore(name, restartCount, endedMs);
    const container = latest(state, name);
    if (!container || !now.running) continue;
    parts.probes.add(pod, parts.simulation, nowMs);
    if (started === true) parts.probes.restore(container, "startup", true);
    if (ready) parts.probes.restore(container, "readiness", true);
  }
}
