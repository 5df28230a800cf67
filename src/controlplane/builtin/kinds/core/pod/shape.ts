import type * as core from "../../../../../generated/k8s/core-v1.ts";
import type { Shaped, ShapedObject } from "../../../shared/shapes.ts";

export type Pod = ShapedObject<core.Pod, "spec">;
export type PodStatus = Shaped<core.PodStatus>;
export type ContainerStatus = Shaped<core.ContainerStatus>;
/** The state of a container, now or before. */
export type ContainerState = Shaped<core.ContainerState>;
export type ServiceAccount = ShapedObject<core.ServiceAccount>;
