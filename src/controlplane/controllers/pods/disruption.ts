/**
 * The condition of pods that are deleted although they do nothing wrong, by which a Job tells these
 * from failures of its own.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions
 */
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Condition } from "../../builtin/shared/shapes.ts";
import { withCondition } from "../framework/conditions.ts";

/** Why a pod is deleted. */
export interface Disruption {
  readonly reason: "DeletionByPodGC" | "DeletionByTaintManager" | "PreemptionByScheduler";
  readonly message: string;
}

/** A patch of the pod's status that tells its disruption. */
export function disruptionPatch(
  { metadata, status }: Pod,
  { reason, message }: Disruption,
  nowMs: number,
): { readonly metadata: object; readonly status: { readonly conditions: Condition[] } } {
  const { uid, generation } = metadata;
  const change: Condition = {
    type: "DisruptionTarget",
    observedGeneration: generation ?? 0,
    status: "True",
    reason,
    message,
    lastProbeTime: null,
  };
  return {
    metadata: { uid },
    status: { conditions: withCondition(status?.conditions, change, nowMs) },
  };
}
