/**
 * OpenAPI v2: the documents of version 3 merged into one, in the older form.
 *
 * @see https://kubernetes.io/docs/concepts/overview/kubernetes-api/#openapi-v2
 */
import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import type { Schema } from "../../kube/schema/structural.ts";
import { REFERENCE_PREFIX } from "../builtin/definitions.ts";
import type { ServedGroup } from "../discovery/versions.ts";
import type { ServedResource } from "../kinds.ts";
import { customDefinitions } from "./custom-schema.ts";
import { documentsOf } from "./documents.ts";
import { customDefinitionName } from "./paths.ts";
import { tableOf } from "../../table.ts";

/**
 * The parameters that Kubernetes lists apart from the operations, with the names that it gave them.
 */
const SHARED_PARAMETERS = tableOf<string>({
  allowWatchBookmarks: "allowWatchBookmarks-HC2hJt-J",
  continue: "continue-QfD61s0i",
  fieldManager: "fieldManager-Qy4HdaTW",
  fieldSelector: "fieldSelector-xIcQKXFG",
  force: "force-tOGGb0Yi",
  gracePeriodSeconds: "gracePeriodSeconds--K5HaBOS",
  ignoreStoreReadErrorWithClusterBreakingPotential:
    "ignoreStoreReadErrorWithClusterBreakingPotential-QbNkfIqj",
  labelSelector: "labelSelector-5Zw57w4C",
  limit: "limit-1NfNmdNH",
  namespace: "namespace-vgWSWtn3",
  orphanDependents: "orphanDependents-uRB25kX5",
  pretty: "pretty-tJGM1-ng",
  propagationPolicy: "propagationPolicy-6jk3prlO",
  resourceVersion: "resourceVersion-5WAnf1xx",
  resourceVersionMatch: "resourceVersionMatch-t8XhRHeC",
  sendInitialEvents: "sendInitialEvents-rLXlEK_k",
  timeoutSeconds: "timeoutSeconds-yvYezaOC",
  watch: "watch-XNNPZGbK",
});
const PATCH_FIELD_MANAGER = "fieldManager-7c6nTn1T";
const PATCH_BODY = "body-78PwaGsr";
const DELETE_BODY = "body-2Y1dVQaQ";

/** The order in which version 2 lists media types. */
const MEDIA_TYPES = [
  "*/*",
  "application/json",
  "application/yaml",
  "application/vnd.kubernetes.protobuf",
  "application/json;stream=watch",
  "application/vnd.kubernetes.protobuf;stream=watch",
  "application/json-patch+json",
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
];

/** Types that the older form describes more loosely. */
const LOOSE = tableOf<JsonObject>({
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": { type: "string", format: "int-or-string" },
  "io.k8s.apimachinery.pkg.api.resource.Quantity": { type: "string" },
});

const asObject = (value: unknown): JsonObject => (isJsonObject(value) ? value : {});
const asList = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? (value as unknown[]).filter(isJsonObject) : [];

const oldReference = (reference: string): string =>
  `#/definitions/${reference.slice(REFERENCE_PREFIX.length)}`;

/**
 * A schema of version 3 in the older form: references are not wrapped in `allOf`, and defaults are
 * left out.
 */
function toSchema(node: JsonObject): JsonObject {
  const schema: JsonObject = {};
  for (const [name, value] of Object.entries(node)) {
    switch (name) {
      case "default":
      case "nullable":
      case "oneOf":
      case "anyOf":
      case "not":
        break;
      case "allOf":
        Object.assign(schema, ...asList(value).map(toSchema));
        break;
      case "$ref":
        schema[name] = oldReference(String(value));
        break;
      case "properties":
        schema[name] = mapOf(asObject(value), toSchema);
        break;
      case "items":
      case "additionalProperties":
        schema[name] = isJsonObject(value) ? toSchema(value) : value;
        break;
      default:
        schema[name] = value;
    }
  }
  return schema;
}

const mapOf = (map: JsonObject, change: (value: JsonObject) => object): JsonObject =>
  Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(asObject(value))]));

/**
 * The parts of a schema that kubectl understands in the older form: no junctors, nothing nullable,
 * no open objects with fields.
 */
function withoutUnsupported(node: Schema): Schema {
  const schema: Record<string, unknown> = { ...node };
  for (const junctor of ["allOf", "oneOf", "anyOf", "not"]) Reflect.deleteProperty(schema, junctor);
  const isOpen = node["x-kubernetes-preserve-unknown-fields"] === true;
  const isNullable = node.nullable === true;
  if (isNullable || isOpen) {
    delete schema["items"];
    delete schema["properties"];
  }
  if (isNullable || (isOpen && node.type === "object")) delete schema["type"];
  if (schema["type"] === "array" && schema["items"] === undefined) delete schema["type"];
  const required = (node.required ?? []).filter(
    (field) => node.properties?.[field]?.nullable !== true,
  );
  if (required.length === 0) delete schema["required"];
  else schema["required"] = required;
  if (isJsonObject(schema["properties"])) {
    schema["properties"] = mapOf(schema["properties"], (child) => withoutUnsupported(child));
  }
  for (const name of ["items", "additionalProperties"]) {
    if (isJsonObject(schema[name])) schema[name] = withoutUnsupported(schema[name]);
  }
  return schema;
}

/**
 * The definitions of a custom kind; one that preserves all unknown fields is described as a plain
 * object.
 */
function toCustomDefinitions(resource: ServedResource): JsonObject {
  const { schema, kind } = resource;
  const name = customDefinitionName(resource, kind);
  const supported = { ...resource, schema: withoutUnsupported(schema) };
  const definitions = mapOf(customDefinitions(supported), toSchema);
  if (schema["x-kubernetes-preserve-unknown-fields"] !== true) return definitions;
  const { "x-kubernetes-group-version-kind": kinds } = asObject(definitions[name]);
  return { ...definitions, [name]: { type: "object", "x-kubernetes-group-version-kind": kinds } };
}

/** Writes the document, and collects the shared parameters. */
class SwaggerWriter {
  readonly parameters: JsonObject = {};

  /** All operations of a path. */
  path(item: JsonObject): JsonObject {
    const path: JsonObject = {};
    for (const [name, value] of Object.entries(item)) {
      path[name] =
        name === "parameters"
          ? asList(value).map((parameter) => this.#parameter(parameter, ""))
          : this.#operation(asObject(value));
    }
    return path;
  }

  #operation(operation: JsonObject): JsonObject {
    const { parameters, requestBody, responses, ...rest } = operation;
    const known = operation["x-kubernetes-action"];
    const action = typeof known === "string" ? known : "";
    const answers = Object.values(asObject(responses)).map((answer) =>
      asObject(asObject(answer)["content"]),
    );
    const body = isJsonObject(requestBody) ? [this.#body(requestBody, action)] : [];
    const all = [
      ...body,
      ...asList(parameters).map((parameter) => this.#parameter(parameter, action)),
    ];
    return {
      ...rest,
      consumes: isJsonObject(requestBody) ? typesOf([asObject(requestBody["content"])]) : ["*/*"],
      produces: typesOf(answers),
      schemes: ["https"],
      ...(all.length > 0 ? { parameters: all } : {}),
      responses: mapOf(asObject(responses), toResponse),
    };
  }

  #body(requestBody: JsonObject, action: string): JsonObject {
    const [content] = Object.values(asObject(requestBody["content"]));
    const parameter = {
      name: "body",
      in: "body",
      ...(requestBody["required"] === true ? { required: true } : {}),
      schema: toSchema(asObject(asObject(content)["schema"])),
    };
    if (action === "patch") return this.#shared(PATCH_BODY, parameter);
    return action.startsWith("delete") ? this.#shared(DELETE_BODY, parameter) : parameter;
  }

  #parameter(parameter: JsonObject, action: string): JsonObject {
    const { schema, ...rest } = parameter;
    const plain = { ...rest, ...asObject(schema) };
    const name = String(parameter["name"]);
    const shared =
      name === "fieldManager" && action === "patch"
        ? PATCH_FIELD_MANAGER
        : SHARED_PARAMETERS.get(name);
    return shared === undefined ? plain : this.#shared(shared, plain);
  }

  #shared(name: string, parameter: JsonObject): JsonObject {
    this.parameters[name] ??= parameter;
    return { $ref: `#/parameters/${name}` };
  }
}

function typesOf(contents: readonly JsonObject[]): string[] {
  const types = new Set(contents.flatMap(Object.keys));
  return types.size === 0
    ? ["application/json"]
    : [...types].sort((one, other) => MEDIA_TYPES.indexOf(one) - MEDIA_TYPES.indexOf(other));
}

function toResponse({ content, ...rest }: JsonObject): JsonObject {
  const [first] = Object.values(asObject(content));
  return first === undefined
    ? rest
    : { ...rest, schema: toSchema(asObject(asObject(first)["schema"])) };
}

/** The single document of a server that serves these groups. */
export function swaggerOf(groups: readonly ServedGroup[], gitVersion: string): JsonObject {
  const writer = new SwaggerWriter();
  const paths: JsonObject = {};
  const definitions: JsonObject = {};
  for (const { build } of documentsOf(groups)) {
    const document = build();
    Object.assign(
      paths,
      mapOf(asObject(document["paths"]), (item) => writer.path(item)),
    );
    const { schemas } = asObject(document["components"]);
    for (const [name, schema] of Object.entries(asObject(schemas))) {
      definitions[name] ??= LOOSE.get(name) ?? toSchema(asObject(schema));
    }
  }
  for (const { builtIn, versions } of groups) {
    if (builtIn) continue;
    for (const resource of versions.flatMap(({ resources }) => resources)) {
      Object.assign(definitions, toCustomDefinitions(resource));
    }
  }
  const scheme = { description: "A token of a user or service account.", type: "apiKey" };
  return {
    swagger: "2.0",
    info: { title: "Kubernetes", version: gitVersion },
    paths,
    definitions,
    parameters: writer.parameters,
    securityDefinitions: { BearerToken: { ...scheme, name: "authorization", in: "header" } },
    security: [{ BearerToken: [] }],
  };
}
