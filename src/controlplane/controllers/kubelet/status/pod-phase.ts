/** The phase of a pod by the statuses of its containers, as the kubelet's `getPhase`. */
import type { ContainerStatus, Pod } from "../../../builtin/kinds/core/pod/shape.ts";
import { isRestartedAfter, isSidecar } from "../runtime/runtime-state.ts";

export type Phase = "Pending" | "Running" | "Succeeded" | "Failed";

export const isTerminal = (phase: string | undefined): phase is "Succeeded" | "Failed" =>
  phase === "Succeeded" || phase === "Failed";

/** How far the init containers are. */
type Initialization = "failed" | "pending" | "done";

/**
 * @param isOver - whether no container is started any more
 * @param hasBegun - whether a main container has been started
 */
export function phaseOf(
  pod: Pod,
  statuses: readonly ContainerStatus[],
  { isOver, hasBegun }: { readonly isOver: boolean; readonly hasBegun: boolean },
): Phase {
  const statusOf = (name: string): ContainerStatus | undefined =>
    statuses.find((one) => one.name === name);
  const initialization = initializationOf(pod, statusOf);
  if (initialization === "failed") return "Failed";
  const counts = { running: 0, waiting: 0, stopped: 0, final: 0, succeeded: 0, unknown: 0 };
  let unstarted = 0;
  for (const container of (pod.spec.initContainers ?? []).filter(isSidecar)) {
    const status = statusOf(container.name);
    if (status?.state?.running) {
      counts.running += 1;
      if (status.started !== true) unstarted += 1;
    } else if (status?.state?.waiting && !status.lastState?.terminated) {
      counts.waiting += 1;
      unstarted += 1;
    }
  }
  for (const container of pod.spec.containers ?? []) {
    const { state = {}, lastState } = statusOf(container.name) ?? {};
    const ended = state.terminated ?? (state.waiting ? lastState?.terminated : undefined);
    if (state.running) counts.running += 1;
    else if (ended) {
      counts.stopped += 1;
      if (!isRestartedAfter(pod, container, ended.exitCode)) counts.final += 1;
      if (state.terminated?.exitCode === 0) counts.succeeded += 1;
    } else if (state.waiting) counts.waiting += 1;
    else counts.unknown += 1;
  }
  if (initialization === "pending" || (unstarted > 0 && !hasBegun)) return "Pending";
  if (counts.waiting > 0 || counts.unknown > 0) return "Pending";
  if (counts.running > 0) return "Running";
  if (counts.stopped === 0) return "Pending";
  if (!isOver && counts.stopped !== counts.final) return "Running";
  return counts.stopped === counts.succeeded ? "Succeeded" : "Failed";
}

function initializationOf(
  pod: Pod,
  statusOf: (name: string) => ContainerStatus | undefined,
): Initialization {
  let result: Initialization = "done";
  for (const container of pod.spec.initContainers ?? []) {
    if (isSidecar(container)) continue;
    const { state = {}, lastState } = statusOf(container.name) ?? {};
    const ended = state.terminated ?? (state.waiting ? lastState?.terminated : undefined);
    if (!ended) result = "pending";
    else if (ended.exitCode !== 0) {
      if (!isRestartedAfter(pod, container, ended.exitCode)) return "failed";
      // It will run again.
      result = "pending";
    }
  }
  return result;
}
