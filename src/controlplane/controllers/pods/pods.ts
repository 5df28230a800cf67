/** The state of pods, as controllers see it. */
import type { SentObject, ObjectMeta } from "../../../kube/object.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { PodTemplate } from "../../builtin/shared/pods/shapes.ts";
import { msOf } from "../../../kube/values/times.ts";

/** Whether the pod is neither finished nor being deleted. */
export function isActive(pod: Pod): boolean {
  return !isFinished(pod) && !pod.metadata.deletionTimestamp;
}

/** Whether the pod succeeded or failed. */
export function isFinished(pod: Pod): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

/** Whether the pod is ready. */
export function isReady(pod: Pod): boolean {
  return readyCondition(pod)?.status === "True";
}

function readyCondition(pod: Pod): { status: string; lastTransitionTime?: string } | undefined {
  return pod.status?.conditions?.find(({ type }) => type === "Ready");
}

/** When the pod became ready, in milliseconds; 0 when unknown. */
export function readySince(pod: Pod): number {
  return msOf(readyCondition(pod)?.lastTransitionTime);
}

/**
 * In how many milliseconds a ready pod counts as available; 0 when it does, `undefined` when it is
 * not ready.
 */
export function availableInMs(
  pod: Pod,
  minReadySeconds: number,
  nowMs: number,
): number | undefined {
  if (!isReady(pod)) return undefined;
  return Math.max(0, minReadySeconds * 1000 - (nowMs - readySince(pod)));
}

/** The sum of the restarts of its containers. */
export function restartsOf(pod: Pod): number {
  return (pod.status?.containerStatuses ?? []).reduce(
    (sum, { restartCount }) => sum + restartCount,
    0,
  );
}

/** A pod from a template, for `owner`; the API server makes the name unless `metadata` has one. */
export function podFrom(template: PodTemplate, owner: SentObject, metadata: ObjectMeta): Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      ...metadata,
      namespace: owner.metadata.namespace ?? "",
      labels: { ...labels, ...metadata.labels },
      annotations: { ...annotations, ...metadata.annotations },
      finalizers: [...(finalizers ?? []), ...(metadata.finalizers ?? [])],
    },
    spec: structuredClone(template.spec),
  };
}
