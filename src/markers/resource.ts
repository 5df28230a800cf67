/** The markers of a kind: what it is called, how it is served and how it is shown. */
import type { CountedMeta, Json, KubeObject } from "../kube/object.ts";
import { pluralOf } from "../kube/plural.ts";
import { type ResourceInfo, resourceKey } from "../kube/resource.ts";
import type { Schema } from "../kube/schema/structural.ts";
import type { ClassMarker } from "./marker.ts";

/**
 * The base of a kind's class: what every object has, with the types of its own spec and status.
 *
 * Objects stay plain JSON; the class is never instantiated. A `Spec` that may be `undefined` makes the
 * whole spec optional.
 *
 * @example `@Resource({ group: "web.example.com", version: "v1" }) class Web extends CustomResource<WebSpec, WebStatus> {}`
 */
// The parameters are the point: each kind's class names its own spec and status.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export abstract class CustomResource<Spec = object, Status = object> implements KubeObject {
  declare apiVersion: string;
  declare kind: string;
  declare metadata: CountedMeta;
  /** The desired state. */
  declare spec: Spec;
  /** The observed state. */
  declare status?: Status;
}

/** The options of `@Resource`. */
export interface ResourceOptions {
  /** A DNS name with at least one dot: `shop.example.com`. */
  readonly group: string;
  /** The version: `v1`, `v1beta1`, ... */
  readonly version: string;
  /** The class's name when it is left out. Needed where a bundler renames classes. */
  readonly kind?: string;
  /** The plural in lower case; made from the kind when it is left out. */
  readonly plural?: string;
  readonly singular?: string;
  readonly listKind?: string;
  /** Short names that kubectl takes in place of the plural: `["web"]`. */
  readonly shortNames?: readonly string[];
  /** Groups of kinds in kubectl, such as `["all"]`. */
  readonly categories?: readonly string[];
  /** The scope of objects; namespaced when it is left out. */
  readonly scope?: "Namespaced" | "Cluster";
  /** The version in which objects are stored; needed where a kind has several. */
  readonly storage?: boolean;
  /** False: the version is known, but not served. */
  readonly served?: boolean;
  /** The version is deprecated; a text is the warning that its users see. */
  readonly deprecated?: boolean | string;
  /** False: `status` is written with the rest. By default it is a subresource where the kind has one. */
  readonly statusSubresource?: boolean;
  /**
   * ClusterRoles for the kind's users are generated, in `config/rbac/user_roles.yaml`: `<kind>-admin-role`,
   * `<kind>-editor-role` and `<kind>-viewer-role`. `"aggregated"` adds them to the cluster's own roles `admin`,
   * `edit` and `view`: whoever has one of these in a namespace has it for the kind too. `"separate"` leaves it to the
   * cluster's admins to bind them. None when it is left out.
   */
  readonly userRoles?: "separate" | "aggregated";
  /** Annotations of the CRD. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** Labels of the CRD. */
  readonly labels?: Readonly<Record<string, string>>;
  /** False: a CRD without descriptions. A number: they are cut after so many bytes, at the end of a sentence. */
  readonly descriptions?: boolean | number;
  /**
   * The CRD's `spec.conversion` as it is. A kind whose versions hold different fields needs one; `false` says that
   * another tool adds it, or that what a version does not have may be lost.
   */
  readonly conversion?: Readonly<Record<string, Json>> | false;
  /** False: the CRD is this project's, also where its group does not end in the project's domain. */
  readonly external?: false;
}

/** The options of `@Resource` for a kind whose CRD is somebody else's. */
export interface ExternalResourceOptions extends Pick<
  ResourceOptions,
  "group" | "version" | "kind" | "plural" | "scope"
> {
  /**
   * The class is a token with types, and no more: no CRD is generated, installed or removed for it. Of the class only
   * `@Resource` is read.
   */
  readonly external: true;
}

/**
 * Makes the class a kind: `@Resource({ group: "shop.example.com", version: "v1" })`. At run time the
 * class is then the token for it. With `userRoles: "aggregated"` those who use it get their rights too: `tsop manifests`
 * writes roles for its admins, editors and viewers that add to the cluster's own `admin`, `edit` and `view`. With
 * `external: true` the CRD is somebody else's: the class is the token for it, and no CRD is made of it.
 *
 * @example `@Resource({ group: "web.example.com", version: "v1", shortNames: ["wb"] }) class Web extends CustomResource<WebSpec, WebStatus> {}`
 */
export function Resource(
  options: ResourceOptions | ExternalResourceOptions,
): ClassMarker<KubeObject> {
  return (target) => {
    const kind = options.kind ?? target.name;
    const info: ResourceInfo = {
      group: options.group,
      version: options.version,
      kind,
      plural: options.plural ?? pluralOf(kind),
      namespaced: options.scope !== "Cluster",
      ...(options.external ? { external: true } : {}),
    };
    Object.defineProperty(target, resourceKey, { value: info });
  };
}

/** The schemas of the fields that every object has; `false` leaves one out. */
export interface ObjectFieldsOptions {
  readonly apiVersion?: Schema | false;
  readonly kind?: Schema | false;
  readonly metadata?: Schema | false;
}

/**
 * The schemas of `apiVersion`, `kind` and `metadata`, where they are not the usual ones:
 * `@ObjectFields({ metadata: { type: "object", properties: { name: { type: "string", maxLength: 63 } } } })`.
 * Of the metadata only `name` and `generateName` can be restricted.
 *
 * @example `@ObjectFields({ metadata: { type: "object", properties: { name: { type: "string", maxLength: 63 } } } }) class Web extends CustomResource<WebSpec> {}`
 */
export const ObjectFields: (fields: ObjectFieldsOptions) => ClassMarker<KubeObject> = () => () =>
  undefined;

/** Options of a column. */
export interface ColumnOptions {
  /**
   * The type; inferred from the field when it is left out. A `Time` becomes `date`, which is shown
   * as its age: `string` for one to come.
   */
  readonly type?: "integer" | "number" | "string" | "boolean" | "date";
  readonly format?:
    | "int32"
    | "int64"
    | "float"
    | "double"
    | "byte"
    | "date"
    | "date-time"
    | "password";
  readonly description?: string;
  /** The priority: 0 is always shown, above 0 with `kubectl get -o wide`. */
  readonly priority?: number;
  /** The path, a text, is taken as it is, even where the schema has no such field. */
  readonly unchecked?: boolean;
}

/**
 * A column of `kubectl get`: `@PrintColumn("Ready", (web: MyWeb) => web.status?.readyReplicas)`.
 *
 * The path is code, so it is completed, renamed and checked; it is read, never run. An item of a list
 * is found by a field: `conditions?.find((condition) => condition.type === "Ready")?.status`. A path as
 * text (`.spec.replicas`) is checked against the schema. A column of a `Time` shows how long ago that
 * was, and `<invalid>` for one to come; `{ type: "string" }` shows the time itself.
 *
 * @example `@PrintColumn("Ready", (web: Web) => web.status?.readyReplicas) class Web extends CustomResource<WebSpec, WebStatus> {}`
 */
export const PrintColumn: <T>(
  name: string,
  path: string | ((object: T) => unknown),
  options?: ColumnOptions,
) => ClassMarker<T> = () => () => undefined;

/** The fields that `kubectl scale` and the autoscaler read and write. */
export interface ScalePaths<T> {
  readonly spec: string | ((object: T) => unknown);
  readonly status: string | ((object: T) => unknown);
  /** The field of the status that holds the label selector as text; the autoscaler needs it. */
  readonly selector?: string | ((object: T) => unknown);
  /** The paths, texts, are taken as they are, even where the schema has no such fields. */
  readonly unchecked?: boolean;
}

/**
 * The kind can be scaled (`kubectl scale`, autoscalers): the fields of the wanted and of the current number of
 * replicas, `@Scale({ spec: (web: MyWeb) => web.spec.replicas, status: (web: MyWeb) => web.status?.replicas })`.
 * Autoscalers need `selector`, too.
 *
 * @example `@Scale({ spec: (web: Web) => web.spec.replicas, status: (web: Web) => web.status?.readyReplicas }) class Web extends CustomResource<WebSpec, WebStatus> {}`
 */
export const Scale: <T>(paths: ScalePaths<T>) => ClassMarker<T> = () => () => undefined;

/**
 * Field selectors may ask for this field: `@Selectable((web: MyWeb) => web.spec.color)`.
 *
 * @example `@Selectable((web: Web) => web.spec.color) class Web extends CustomResource<WebSpec> {}`
 */
export const Selectable: <T>(path: string | ((object: T) => unknown)) => ClassMarker<T> =
  () => () =>
    undefined;
