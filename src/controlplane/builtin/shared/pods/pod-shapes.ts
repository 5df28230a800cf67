/** The shapes of the spec of a pod, and of its parts. */
import type * as core from "../../../../generated/k8s/core-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import type { ObjectMeta } from "../../../../kube/object.ts";
import type { Shaped } from "../shapes.ts";

export type PodSpec = Shaped<core.PodSpec>;

export interface PodTemplate {
  metadata?: ObjectMeta;
  spec: PodSpec;
}

/** A container of any of the lists of a pod. */
export type Container = Shaped<core.EphemeralContainer>;
export type ContainerContext = Shaped<core.SecurityContext>;
export type ContainerPort = Shaped<core.ContainerPort>;
export type EnvSource = Shaped<core.EnvFromSource>;
export type EnvVar = Shaped<core.EnvVar>;
export type FieldRef = Shaped<core.ObjectFieldSelector>;
export type ResourceFieldRef = Shaped<core.ResourceFieldSelector>;
export type VolumeMount = Shaped<core.VolumeMount>;
export type ResizePolicy = Shaped<core.ContainerResizePolicy>;
export type RestartRule = Shaped<core.ContainerRestartRule>;
export type Probe = Shaped<core.Probe>;
/** What a probe or a hook does. */
export type Handler = Shaped<Pick<core.Probe, "grpc"> & core.LifecycleHandler>;
export type Volume = Shaped<core.Volume>;
export type Projection = Shaped<core.VolumeProjection>;
export type Toleration = Shaped<core.Toleration>;
export type PodResourceClaim = Shaped<core.PodResourceClaim>;
export type Affinity = Shaped<core.Affinity>;
export type PodAffinity = Shaped<core.PodAffinity>;
export type PodTerm = Shaped<core.PodAffinityTerm>;
export type NodeSelector = Shaped<core.NodeSelector>;
export type NodeTerm = Shaped<core.NodeSelectorTerm>;
export type NodeRequirement = Shaped<core.NodeSelectorRequirement>;
export type SpreadConstraint = Shaped<core.TopologySpreadConstraint>;
export type PodContext = Shaped<core.PodSecurityContext>;
export type SecurityProfile = Shaped<core.SeccompProfile>;

/** The containers of a pod, and its init containers. */
export const containersOf = ({ containers, initContainers = [] }: PodSpec): Container[] => [
  ...(containers ?? []),
  ...initContainers,
];

/** The same, and its ephemeral containers. */
export const allContainersOf = (spec: PodSpec): Container[] => [
  ...containersOf(spec),
  ...(spec.ephemeralContainers ?? []),
];

/** Visits the containers of a pod with their paths, init containers first. */
export function eachContainer(
  spec: Check<PodSpec>,
  visit: (container: Check<Container>) => void,
): void {
  for (const list of ["initContainers", "containers", "ephemeralContainers"] as const) {
    spec.at(list).each(visit);
  }
}
