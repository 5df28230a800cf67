/** The operations of OpenAPI: the parameters and responses of one HTTP method on one path. */
import type { JsonObject } from "../../kube/object.ts";
import { REFERENCE_PREFIX } from "../builtin/definitions.ts";

const META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
/** The names of definitions to which operations refer. */
export const DELETE_OPTIONS = `${META}DeleteOptions`;
export const STATUS = `${META}Status`;
export const WATCH_EVENT = `${META}WatchEvent`;
export const RESOURCE_LIST = `${META}APIResourceList`;
const PATCH = `${META}Patch`;

/** `{ $ref }` to a definition. */
export const reference = (definition: string): JsonObject => ({
  $ref: `${REFERENCE_PREFIX}${definition}`,
});

type ParameterType = "string" | "integer" | "boolean";

/** The query parameters: their type and description. */
const QUERY: Readonly<Record<string, readonly [ParameterType, string]>> = {
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
};

/** A query parameter by its name. */
export function query(name: string): JsonObject {
  const [type, description] = QUERY[name] ?? ["string", ""];
  return { name, in: "query", description, schema: { type, uniqueItems: true } };
}

/** A path parameter. */
export const inPath = (name: string, description: string): JsonObject => ({
  name,
  in: "path",
  description,
  required: true,
  schema: { type: "string", uniqueItems: true },
});

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
] as const;
export const WRITE_PARAMETERS = ["dryRun", "fieldManager", "fieldValidation"] as const;
const DELETE_PARAMETERS = [
  "dryRun",
  "gracePeriodSeconds",
  "ignoreStoreReadErrorWithClusterBreakingPotential",
  "orphanDependents",
  "propagationPolicy",
] as const;
/**
 * The query parameters of the deletion of a collection: those of a list that apply to it, and those
 * of a deletion.
 */
const COLLECTION_PARAMETERS = [
  ...DELETE_PARAMETERS,
  ...LIST_PARAMETERS.filter((name) => name !== "allowWatchBookmarks" && name !== "watch"),
].sort();

const CODES: Readonly<Record<number, string>> = { 200: "OK", 201: "Created", 202: "Accepted" };

/** The common parts of all operations of a resource, or of one of its subresources. */
export interface OperationSubject {
  readonly builtIn: boolean;
  /** The group in tags and identifiers, such as `apps` and `Apps`. */
  readonly tag: string;
  readonly kind: string;
  /** The definition of the body. */
  readonly definition: string;
  readonly listDefinition: string;
  readonly groupVersionKind: { group: string; version: string; kind: string };
  /** The media types of a response body. */
  readonly mediaTypes: readonly string[];
}

const content = (mediaTypes: readonly string[], definition: string): JsonObject =>
  Object.fromEntries(mediaTypes.map((type) => [type, { schema: reference(definition) }]));

/** The media types of lists and watches, which can also stream. */
function streaming({ builtIn, mediaTypes }: OperationSubject): readonly string[] {
  return builtIn
    ? [
        "application/json",
        "application/json;stream=watch",
        "application/vnd.kubernetes.protobuf",
        "application/vnd.kubernetes.protobuf;stream=watch",
        "application/yaml",
      ]
    : mediaTypes;
}

function responses(
  definition: string,
  codes: readonly number[],
  mediaTypes: readonly string[],
): JsonObject {
  return {
    ...Object.fromEntries(
      codes.map((code) => [
        String(code),
        { description: CODES[code], content: content(mediaTypes, definition) },
      ]),
    ),
    "401": { description: "Unauthorized" },
  };
}

interface OperationParts {
  readonly id: string;
  readonly action: string;
  readonly description: string;
  readonly parameters?: readonly string[];
  readonly requestBody?: JsonObject;
  readonly responses: JsonObject;
}

function operation(subject: OperationSubject, parts: OperationParts): JsonObject {
  const { id, action, description, parameters = [], requestBody } = parts;
  return {
    tags: [subject.tag],
    description,
    operationId: id,
    ...(parameters.length > 0 ? { parameters: parameters.map(query) } : {}),
    ...(requestBody ? { requestBody } : {}),
    responses: parts.responses,
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": subject.groupVersionKind,
  };
}

/** The body of a write: built-in kinds accept any media type. */
function body(subject: OperationSubject, definition: string, required = true): JsonObject {
  return {
    content: content(subject.builtIn ? ["*/*"] : subject.mediaTypes, definition),
    ...(required ? { required } : {}),
  };
}

/** The GET of one object. */
export const readOperation = (subject: OperationSubject, id: string): JsonObject =>
  operation(subject, {
    id,
    action: "get",
    description: `Reads one ${subject.kind}.`,
    parameters: subject.builtIn ? [] : ["resourceVersion"],
    responses: responses(subject.definition, [200], subject.mediaTypes),
  });

/** The GET of a list. */
export const listOperation = (
  subject: OperationSubject,
  id: string,
  parameters: readonly string[],
): JsonObject =>
  operation(subject, {
    id,
    action: "list",
    description: `Lists or watches objects of the kind ${subject.kind}.`,
    parameters,
    responses: responses(subject.listDefinition, [200], streaming(subject)),
  });

/** The deprecated watch: a path of its own. */
export const watchOperation = (
  subject: OperationSubject,
  id: string,
  action: "watch" | "watchlist",
): JsonObject =>
  operation(subject, {
    id,
    action,
    description: `Watches ${subject.kind}. Deprecated: use the parameter watch of a list.`,
    responses: responses(WATCH_EVENT, [200], streaming(subject)),
  });

/** The POST of an object. */
export const createOperation = (
  subject: OperationSubject,
  id: string,
  parameters: readonly string[] = WRITE_PARAMETERS,
): JsonObject =>
  operation(subject, {
    id,
    action: "post",
    description: `Creates one ${subject.kind}.`,
    parameters,
    requestBody: body(subject, subject.definition),
    responses: responses(subject.definition, [200, 201, 202], subject.mediaTypes),
  });

/** The PUT of an object. */
export const replaceOperation = (
  subject: OperationSubject,
  id: string,
  parameters: readonly string[] = WRITE_PARAMETERS,
): JsonObject =>
  operation(subject, {
    id,
    action: "put",
    description: `Replaces one ${subject.kind}.`,
    parameters,
    requestBody: body(subject, subject.definition),
    responses: responses(subject.definition, [200, 201], subject.mediaTypes),
  });

/** The PATCH of an object. */
export const patchOperation = (subject: OperationSubject, id: string): JsonObject =>
  operation(subject, {
    id,
    action: "patch",
    description: `Changes one ${subject.kind} in part.`,
    parameters: [...WRITE_PARAMETERS, "force"],
    requestBody: {
      content: content(
        [
          "application/apply-patch+yaml",
          "application/json-patch+json",
          "application/merge-patch+json",
          ...(subject.builtIn ? ["application/strategic-merge-patch+json"] : []),
        ],
        PATCH,
      ),
      required: true,
    },
    responses: responses(
      subject.definition,
      subject.builtIn ? [200, 201] : [200],
      subject.mediaTypes,
    ),
  });

/** The DELETE of one object; some kinds answer the object instead of a Status. */
export const deleteOperation = (
  subject: OperationSubject,
  id: string,
  answer: string,
): JsonObject =>
  operation(subject, {
    id,
    action: "delete",
    description: `Deletes one ${subject.kind}.`,
    parameters: DELETE_PARAMETERS,
    requestBody: body(subject, DELETE_OPTIONS, false),
    responses: responses(answer, [200, 202], subject.mediaTypes),
  });

/** The DELETE of a collection. */
export const deleteCollectionOperation = (subject: OperationSubject, id: string): JsonObject =>
  operation(subject, {
    id,
    action: "deletecollection",
    description: `Deletes objects of the kind ${subject.kind}.`,
    parameters: subject.builtIn ? COLLECTION_PARAMETERS : LIST_PARAMETERS,
    ...(subject.builtIn ? { requestBody: body(subject, DELETE_OPTIONS, false) } : {}),
    responses: responses(STATUS, [200], subject.mediaTypes),
  });
