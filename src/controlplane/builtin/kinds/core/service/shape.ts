import type * as core from "../../../../../generated/k8s/core-v1.ts";
import type { Shaped, ShapedObject } from "../../../shared/shapes.ts";

export type Service = ShapedObject<core.Service, "spec">;
export type ServiceSpec = Shaped<core.ServiceSpec>;
export type ServicePort = Shaped<core.ServicePort>;
