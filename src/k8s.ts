/**
 * The built-in kinds of Kubernetes 1.36, as tokens and as types: `tsop/k8s`.
 *
 * `Deployment` is both, the value that stands for the kind and the type of its objects. The parts of
 * objects (`PodTemplateSpec`, `Container`, `ObjectMeta`, ...) are types only. Where several groups use
 * one name, the others carry their group and version: `EventsV1Event` beside the core group's `Event`.
 *
 * @module
 */
// The names are Kubernetes', some seven hundred; `scripts/build/k8s-types.mjs` writes the list.
// oxlint-disable-next-line house/no-export-all
export * from "./generated/k8s/index.ts";
export type {
  Base64,
  Double,
  Float,
  Int32,
  Int64,
  IntOrString,
  MicroTime,
  Quantity,
  Time,
} from "./kube/scalars.ts";
