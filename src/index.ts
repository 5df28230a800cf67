/**
 * What an operator imports: markers and runtime.
 *
 * @module
 */
export { TerminalError, TsopError } from "./errors.ts";

// Markers: what a user writes on the classes of a kind and on its controllers.
export {
  type CelOptions,
  AcceptNumber,
  AtLeastOneOf,
  AtMostOneOf,
  Cel,
  Default,
  EmbeddedResource,
  Enum,
  ExactlyOneOf,
  Example,
  ExclusiveMaximum,
  ExclusiveMinimum,
  Format,
  Ignore,
  Immutable,
  MaxItems,
  MaxLength,
  MaxProperties,
  Maximum,
  MinItems,
  MinLength,
  MinProperties,
  Minimum,
  MultipleOf,
  Pattern,
  PreserveUnknownFields,
  RawSchema,
  Required,
  type TextFormat,
  Title,
} from "./markers/validation.ts";
export { Atomic, Granular, ListAtomic, ListMap, ListSet } from "./markers/topology.ts";
export {
  type ColumnOptions,
  CustomResource,
  PrintColumn,
  Resource,
  type ResourceOptions,
  Scale,
  type ScalePaths,
  Selectable,
} from "./markers/resource.ts";
export { Rbac, type RbacRule, type RbacScope, type Verb } from "./markers/rbac.ts";
export type { ClassMarker, FieldMarker, FieldOrClassMarker, TextMarker } from "./markers/marker.ts";
export type {
  Base64,
  Double,
  Duration,
  Float,
  Int32,
  Int64,
  IntOrString,
  MicroTime,
  Quantity,
  Time,
} from "./kube/scalars.ts";
export type { Condition } from "./generated/k8s/meta-v1.ts";
