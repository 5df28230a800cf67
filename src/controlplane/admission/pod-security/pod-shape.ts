/** Pods as far as the Pod Security Standards look at them. */
import type { Container, EphemeralContainer, PodSpec } from "../../../generated/k8s/core-v1.ts";
import type { ObjectMeta, SentObject } from "../../../kube/object.ts";
import type { ResourceName } from "../../resource-name.ts";

/** The spec of a pod; a template may lack its containers. */
export type CheckedSpec = Omit<PodSpec, "containers"> & { containers?: Container[] | null };

/** A container of any kind. */
export type CheckedContainer = Container | EphemeralContainer;

/** A pod, or a pod template. */
export interface CheckedPod {
  readonly metadata?: ObjectMeta;
  readonly spec: CheckedSpec;
}

/** All containers, in the order in which they start. */
export function containersOf(spec: CheckedSpec): readonly CheckedContainer[] {
  return [
    ...(spec.initContainers ?? []),
    ...(spec.containers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ];
}

/** Pods, read as far as the standards look at them. */
export const CHECKED_PODS: ResourceName<SentObject & CheckedPod> = { group: "", plural: "pods" };
