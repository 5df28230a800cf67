/** Pods, as controllers see, make and delete them. */
import { messageOf } from "../../../errors.ts";
import type { SentObject, ObjectMeta } from "../../../kube/object.ts";
import { findCondition } from "../../../kube/progress/conditions.ts";
import { isNotFound } from "../../../kube/status.ts";
import { msOf } from "../../../kube/values/times.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { PodTemplate } from "../../builtin/shared/pods/pod-shapes.ts";
import { PODS } from "../../builtin/tokens.ts";
import { isTrue } from "../framework/conditions.ts";
import type { Tools } from "../framework/controller.ts";
import { controllerReference } from "../framework/owner-references.ts";

/** Whether the pod is neither finished nor being deleted. */
export function isActive(pod: Pod): boolean {
  return !isFinished(pod) && !pod.metadata.deletionTimestamp;
}

/** Whether the pod is being deleted and has not finished. */
export function isTerminating(pod: Pod): boolean {
  return !isFinished(pod) && pod.metadata.deletionTimestamp !== undefined;
}

export function isFinished(pod: Pod): boolean {
  return pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
}

export function isReady(pod: Pod): boolean {
  return isTrue(pod, "Ready");
}

/** When the pod became ready, or stopped to be, in milliseconds; 0 when unknown. */
export function readySince(pod: Pod): number {
  return msOf(findCondition(pod.status?.conditions, "Ready")?.lastTransitionTime);
}

/** An object whose ready pods have to stay so for a while before they count as available. */
interface Patient {
  readonly spec: { readonly minReadySeconds?: number };
}

/** In how many milliseconds a ready pod counts as available; 0 when it does, `undefined` when it is not ready. */
export function availableInMs({ spec }: Patient, pod: Pod, nowMs: number): number | undefined {
  if (!isReady(pod)) return undefined;
  return Math.max(0, (spec.minReadySeconds ?? 0) * 1000 - (nowMs - readySince(pod)));
}

/** Whether the pod has been ready for long enough. */
export const isAvailable = (owner: Patient, pod: Pod, nowMs: number): boolean =>
  availableInMs(owner, pod, nowMs) === 0;

export function restartsOf(pod: Pod): number {
  return (pod.status?.containerStatuses ?? []).reduce(
    (sum, { restartCount }) => sum + restartCount,
    0,
  );
}

/** A pod from a template, for `owner`; the API server makes the name unless `metadata` has one. */
export function podFrom(template: PodTemplate, owner: SentObject, metadata: ObjectMeta = {}): Pod {
  const { labels, annotations, finalizers = [] } = template.metadata ?? {};
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      generateName: `${owner.metadata.name ?? ""}-`,
      ...metadata,
      namespace: owner.metadata.namespace ?? "",
      labels: { ...labels, ...metadata.labels },
      annotations: { ...annotations, ...metadata.annotations },
      finalizers: [...finalizers, ...(metadata.finalizers ?? [])],
      ownerReferences: [controllerReference(owner)],
    },
    spec: structuredClone(template.spec),
  };
}

/** Creates a pod, and tells its owner in an event. @throws StatusError */
export async function createPod(
  { client, events }: Tools,
  owner: SentObject,
  pod: Pod,
): Promise<void> {
  let created: Pod;
  try {
    created = await client.create(PODS, pod);
  } catch (thrown) {
    await events.record(owner, "Warning", "FailedCreate", `Error creating: ${messageOf(thrown)}`);
    throw thrown;
  }
  const message = `Created pod: ${created.metadata.name ?? ""}`;
  await events.record(owner, "Normal", "SuccessfulCreate", message);
}

/** Deletes a pod, unless it is gone, and tells its owner in an event. @throws StatusError */
export async function deletePod(
  { client, events }: Tools,
  owner: SentObject,
  pod: Pod,
): Promise<void> {
  const { name = "", uid = "" } = pod.metadata;
  try {
    await client.remove(PODS, pod.metadata, { uid });
  } catch (thrown) {
    if (isNotFound(thrown)) return;
    await events.record(owner, "Warning", "FailedDelete", `Error deleting: ${messageOf(thrown)}`);
    throw thrown;
  }
  await events.record(owner, "Normal", "SuccessfulDelete", `Deleted pod: ${name}`);
}
