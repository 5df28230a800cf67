/** The status of a pod by the state of its containers, as the kubelet's `generateAPIPodStatus`. */
import { present } from "../../../../present.ts";
import { msOf, timeOf } from "../../../../kube/values/times.ts";
import type { ContainerStatus, Pod, PodStatus } from "../../../builtin/kinds/core/pod/shape.ts";
import type { PodParts } from "../pod-parts.ts";
import { type RuntimeState, isRunning, isSidecar, latest } from "../runtime/runtime-state.ts";
import { containerStatuses } from "./container-statuses.ts";
import { podConditions } from "./pod-conditions.ts";
import { isTerminal, phaseOf } from "./pod-phase.ts";

const DEADLINE = "DeadlineExceeded";
const PAST_DEADLINE = "Pod was active on the node longer than the specified deadline";

/** When the deadline of the pod is over; `Infinity` without one. */
export function deadlineMs({ spec }: Pod, status: PodStatus | undefined): number {
  const { activeDeadlineSeconds } = spec;
  if (activeDeadlineSeconds === undefined || status?.startTime === undefined) return Infinity;
  return msOf(status.startTime) + 1000 * activeDeadlineSeconds;
}

/** @param isOver - whether no container of the pod is started any more */
export async function podStatus(
  parts: PodParts,
  state: RuntimeState,
  isOver: boolean,
): Promise<PodStatus> {
  const { pod, nowMs, failures, setting } = parts;
  const old = parts.statuses.status ?? pod.status ?? {};
  const sources = { pod, state, failures };
  const main = containerStatuses(sources, "main", old.containerStatuses);
  const init = containerStatuses(sources, "init", old.initContainerStatuses);
  const ephemeral = containerStatuses(sources, "ephemeral", old.ephemeralContainerStatuses);
  const hasBegun = (pod.spec.containers ?? []).some(({ name }) => latest(state, name));
  const own = phaseOf(pod, [...main, ...init], { isOver, hasBegun });
  const ended = [own, old.phase, pod.status?.phase].find(isTerminal);
  let phase = ended ?? own;
  let { reason, message } = phase === old.phase ? { ...pod.status, ...old } : ({} as PodStatus);
  if (nowMs >= deadlineMs(pod, old)) {
    await parts.tell("Normal", DEADLINE, PAST_DEADLINE);
    phase = "Failed";
    [reason, message] = [DEADLINE, PAST_DEADLINE];
  }
  if (isTerminal(pod.status?.phase)) phase = pod.status.phase;
  const statuses = {
    initContainerStatuses: init.map((status) => withProbes(parts, state, status)),
    containerStatuses: main.map((status) => withProbes(parts, state, status)),
  };
  const { sandbox } = state;
  const facts = { phase, sandbox, isResizing: parts.isResizing, ...statuses };
  const address = pod.spec.hostNetwork === true ? setting.hostAddress : state.address;
  const { generation } = pod.metadata;
  return {
    ...present({ observedGeneration: generation, qosClass: pod.status?.qosClass }),
    phase,
    ...present({ reason, message }),
    conditions: podConditions(pod, old.conditions ?? [], facts, nowMs),
    hostIP: setting.hostAddress,
    hostIPs: [{ ip: setting.hostAddress }],
    ...(address === undefined ? {} : { podIP: address, podIPs: [{ ip: address }] }),
    startTime: old.startTime ?? timeOf(nowMs),
    ...(init.length > 0 ? { initContainerStatuses: statuses.initContainerStatuses } : {}),
    containerStatuses: statuses.containerStatuses,
    ...(ephemeral.length > 0 ? { ephemeralContainerStatuses: ephemeral } : {}),
  };
}

/** The status with what the container's probes say. */
function withProbes(
  parts: PodParts,
  state: RuntimeState,
  status: ContainerStatus,
): ContainerStatus {
  const container = latest(state, status.name);
  const isUp = isRunning(container) && status.state?.running !== undefined;
  const init = parts.pod.spec.initContainers?.find(({ name }) => name === status.name);
  const { probes } = parts;
  const started =
    container !== undefined &&
    isUp &&
    (!probes.has(status.name, "startup") || probes.verdict(container, "startup") === true);
  if (init && !isSidecar(init)) {
    return { ...status, started, ready: status.state?.terminated?.exitCode === 0 };
  }
  if (!started || !probes.has(status.name, "readiness"))
    return { ...status, started, ready: started };
  const ready = probes.verdict(container, "readiness") === true;
  if (!ready) probes.trigger(status.name, parts.nowMs);
  return { ...status, started, ready };
}
