/** The operations of OpenAPI: the parameters and responses of one HTTP method on one path. */
import type { JsonObject } from "../../kube/object.ts";
import { REFERENCE_PREFIX } from "../builtin/definitions.ts";
import { tableOf } from "../../table.ts";

const META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
/** The names of definitions to which operations of every group refer. */
export const DELETE_OPTIONS = `${META}DeleteOptions`;
export const WATCH_EVENT = `${META}WatchEvent`;

/** The media types of built-in kinds. */
export const MEDIA_TYPES = [
  "application/json",
  "application/vnd.kubernetes.protobuf",
  "application/yaml",
];

/** `{ $ref }` to a definition. */
export const reference = (definition: string): JsonObject => ({
  $ref: `${REFERENCE_PREFIX}${definition}`,
});

export type ParameterType = "string" | "integer" | "boolean";

/** The query parameters: their type and description. */
const QUERY = tableOf<readonly [ParameterType, string]>({
  allowWatchBookmarks: ["boolean", "The watch may send bookmarks."],
  continue: ["string", "Where the previous page of the list ended."],
  dryRun: ["string", "All: everything is checked and nothing is stored."],
  fieldManager: ["string", "Who owns the fields that are written; required for apply."],
  fieldSelector: ["string", "Selects by fields."],
  fieldValidation: ["string", "Unknown and duplicate fields: Ignore, Warn or Strict."],
  force: ["boolean", "Apply takes fields over from other managers."],
  gracePeriodSeconds: ["integer", "How long the object may take to end."],
  ignoreStoreReadErrorWithClusterBreakingPotential: [
    "boolean",
    "Removes an object that can no longer be read.",
  ],
  labelSelector: ["string", "Selects by labels."],
  limit: ["integer", "How many objects a page has at most."],
  orphanDependents: ["boolean", "Deprecated: use propagationPolicy."],
  pretty: ["string", "The answer is indented."],
  propagationPolicy: ["string", "What becomes of dependents: Orphan, Background or Foreground."],
  resourceVersion: ["string", "How new the answer has to be, or where a watch starts."],
  resourceVersionMatch: ["string", "How resourceVersion is meant: Exact or NotOlderThan."],
  sendInitialEvents: ["boolean", "A watch begins with what there is."],
  shardSelector: ["string", "Selects a shard of the objects."],
  timeoutSeconds: ["integer", "How long a list or watch lasts at most."],
  watch: ["boolean", "Answers changes as they come."],
});

/** A parameter in the query. */
export const inQuery = (name: string, type: ParameterType, description: string): JsonObject => ({
  name,
  in: "query",
  description,
  schema: { type, uniqueItems: true },
});

/** A query parameter by its name. */
export const query = (name: string): JsonObject =>
  inQuery(name, ...(QUERY.get(name) ?? ["string", ""]));

/** A path parameter. */
export const inPath = (name: string, description: string): JsonObject => ({
  name,
  in: "path",
  description,
  required: true,
  schema: { type: "string", uniqueItems: true },
});

/** The parameters of a path in the order of documents, sorted by name. */
export const byName = (parameters: readonly JsonObject[]): JsonObject[] =>
  parameters.toSorted((one, other) => (String(one["name"]) < String(other["name"]) ? -1 : 1));

/** The query parameters of a list and a watch. */
export const LIST_PARAMETERS = [
  "allowWatchBookmarks",
  "continue",
  "fieldSelector",
  "labelSelector",
  "limit",
  "resourceVersion",
  "resourceVersionMatch",
  "sendInitialEvents",
  "shardSelector",
  "timeoutSeconds",
  "watch",
];
export const WRITE_PARAMETERS = ["dryRun", "fieldManager", "fieldValidation"];
const DELETE_PARAMETERS = [
  "dryRun",
  "gracePeriodSeconds",
  "ignoreStoreReadErrorWithClusterBreakingPotential",
  "orphanDependents",
  "propagationPolicy",
];
/**
 * The query parameters of the deletion of a collection: those of a list that apply to it, and those
 * of a deletion.
 */
const COLLECTION_PARAMETERS = [
  ...DELETE_PARAMETERS,
  ...LIST_PARAMETERS.filter((name) => name !== "allowWatchBookmarks" && name !== "watch"),
].sort();

/** The types of patches, of which custom kinds lack the last. */
const PATCH_TYPES = [
  "application/apply-patch+yaml",
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
];
const STATUS = `${META}Status`;

const CODES: Readonly<Record<number, string>> = { 200: "OK", 201: "Created", 202: "Accepted" };

/** Kinds whose deletion answers the object instead of a Status. */
const ANSWERS_OBJECT: ReadonlySet<string> = new Set([
  "/PersistentVolume",
  "/PersistentVolumeClaim",
  "/Pod",
  "/PodTemplate",
  "/ResourceQuota",
  "/Service",
  "/ServiceAccount",
  "resource.k8s.io/DeviceClass",
  "resource.k8s.io/ResourceClaim",
  "resource.k8s.io/ResourceClaimTemplate",
  "resource.k8s.io/ResourceSlice",
  "storage.k8s.io/CSIDriver",
  "storage.k8s.io/CSINode",
  "storage.k8s.io/StorageClass",
  "storage.k8s.io/VolumeAttachment",
  "storage.k8s.io/VolumeAttributesClass",
]);

/** The common parts of all operations of a resource, or of one of its subresources. */
export interface OperationSubject {
  readonly builtIn: boolean;
  /** The group and version in tags, such as `apps_v1`. */
  readonly tag: string;
  /**
   * The parts of identifiers: `read` + `AppsV1` + `Namespaced` + `DeploymentScale`, `list` + `AppsV1`
   * + `Deployment` + `ForAllNamespaces`.
   */
  readonly prefix: string;
  readonly scope: string;
  readonly name: string;
  readonly reach: string;
  readonly kind: string;
  readonly definition: string;
  readonly listDefinition: string;
  readonly groupVersionKind: { group: string; version: string; kind: string };
  /** The media types of a response body. */
  readonly mediaTypes: readonly string[];
}

const content = (mediaTypes: readonly string[], schema: JsonObject): JsonObject =>
  Object.fromEntries(mediaTypes.map((type) => [type, { schema }]));

/** The responses with a body of that schema. */
export function responses(
  schema: JsonObject,
  mediaTypes: readonly string[] = MEDIA_TYPES,
  codes: readonly number[] = [200],
): JsonObject {
  const found = codes.map((code): [string, JsonObject] => [
    String(code),
    { description: CODES[code], content: content(mediaTypes, schema) },
  ]);
  return { ...Object.fromEntries(found), "401": { description: "Unauthorized" } };
}

/** The media types of lists and watches, which can also stream. */
const streaming = ({ builtIn, mediaTypes }: OperationSubject): readonly string[] =>
  builtIn
    ? mediaTypes.flatMap((type) =>
        type === "application/yaml" ? [type] : [type, `${type};stream=watch`],
      )
    : mediaTypes;

/** What distinguishes the operations of a verb. */
interface Operation {
  readonly method: string;
  /** The value of `x-kubernetes-action`, where it is not the method. */
  readonly action?: string;
  /** The beginning and the end of identifiers. */
  readonly id: string;
  readonly infix?: string;
  readonly suffix?: string;
  readonly description: string;
  readonly parameters?: readonly string[];
  readonly requestBody?: JsonObject;
  readonly answer?: string;
  readonly codes?: readonly number[];
  readonly mediaTypes?: readonly string[];
}

/** The body of a write: built-in kinds accept any media type. */
const body = ({ builtIn, mediaTypes }: OperationSubject, definition: string): JsonObject => ({
  content: content(builtIn ? ["*/*"] : mediaTypes, reference(definition)),
});

const watchOf = (subject: OperationSubject): Operation => ({
  method: "get",
  action: "watch",
  id: "watch",
  description: `Watches ${subject.kind}. Deprecated: use the parameter watch of a list.`,
  answer: WATCH_EVENT,
  mediaTypes: streaming(subject),
});

/** The verbs of resources, and the deprecated watch of a list: a path of its own. */
const OPERATIONS = {
  get: ({ kind, builtIn }) => ({
    method: "get",
    id: "read",
    description: `Reads one ${kind}.`,
    parameters: builtIn ? [] : ["resourceVersion"],
  }),
  list: (subject) => ({
    method: "get",
    action: "list",
    id: "list",
    description: `Lists or watches objects of the kind ${subject.kind}.`,
    parameters: LIST_PARAMETERS,
    answer: subject.listDefinition,
    mediaTypes: streaming(subject),
  }),
  watch: watchOf,
  watchlist: (subject) => ({ ...watchOf(subject), action: "watchlist", suffix: "List" }),
  create: (subject) => ({
    method: "post",
    id: "create",
    description: `Creates one ${subject.kind}.`,
    parameters: WRITE_PARAMETERS,
    requestBody: { ...body(subject, subject.definition), required: true },
    codes: [200, 201, 202],
  }),
  update: (subject) => ({
    method: "put",
    id: "replace",
    description: `Replaces one ${subject.kind}.`,
    parameters: WRITE_PARAMETERS,
    requestBody: { ...body(subject, subject.definition), required: true },
    codes: [200, 201],
  }),
  patch: ({ kind, builtIn }) => ({
    method: "patch",
    id: "patch",
    description: `Changes one ${kind} in part.`,
    parameters: [...WRITE_PARAMETERS, "force"],
    requestBody: {
      content: content(PATCH_TYPES.slice(0, builtIn ? 4 : 3), reference(`${META}Patch`)),
      required: true,
    },
    codes: builtIn ? [200, 201] : [200],
  }),
  delete: (subject) => ({
    method: "delete",
    id: "delete",
    description: `Deletes one ${subject.kind}.`,
    parameters: DELETE_PARAMETERS,
    requestBody: body(subject, DELETE_OPTIONS),
    answer: ANSWERS_OBJECT.has(`${subject.groupVersionKind.group}/${subject.kind}`)
      ? subject.definition
      : STATUS,
    codes: [200, 202],
  }),
  deletecollection: (subject) => ({
    method: "delete",
    action: "deletecollection",
    id: "delete",
    infix: "Collection",
    description: `Deletes objects of the kind ${subject.kind}.`,
    parameters: subject.builtIn ? COLLECTION_PARAMETERS : LIST_PARAMETERS,
    ...(subject.builtIn ? { requestBody: body(subject, DELETE_OPTIONS) } : {}),
    answer: STATUS,
  }),
} satisfies Record<string, (subject: OperationSubject) => Operation>;

export type Verb = keyof typeof OPERATIONS;

/**
 * The operations of these verbs on one path, by their methods.
 *
 * @param bare - their parameters are those of the path
 */
export const operationsOf = (
  subject: OperationSubject,
  verbs: readonly Verb[],
  bare: boolean,
): JsonObject =>
  Object.fromEntries(
    verbs.map((verb) => {
      const operation: Operation = OPERATIONS[verb](subject);
      return [operation.method, described(subject, operation, bare)];
    }),
  );

function described(subject: OperationSubject, operation: Operation, bare: boolean): JsonObject {
  const { method, action = method, description, requestBody, parameters = [] } = operation;
  const { id, infix = "", suffix = "", answer = subject.definition, codes } = operation;
  const { prefix, scope, name, reach } = subject;
  return {
    tags: [subject.tag],
    description,
    operationId: `${id}${prefix}${infix}${scope}${name}${suffix}${reach}`,
    ...(bare || parameters.length === 0 ? {} : { parameters: parameters.map(query) }),
    ...(requestBody ? { requestBody } : {}),
    responses: responses(reference(answer), operation.mediaTypes ?? subject.mediaTypes, codes),
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": subject.groupVersionKind,
  };
}
