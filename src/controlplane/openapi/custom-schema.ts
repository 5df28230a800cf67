/** The schema of a custom kind as OpenAPI v3 shows it. */
import { listAt, mapAt } from "../builtin/at.ts";
import { asJson, isJsonObject } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import { documentationOf } from "../builtin/documentation.ts";
import type { ServedResource } from "../kinds.ts";
import { reference } from "./operations.ts";
import { customDefinitionName } from "./paths.ts";

const CONVENTIONS =
  "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";
const META = "io.k8s.apimachinery.pkg.apis.meta.v1.";

/** The fields that are the same for every kind, whatever its author declares. */
const standardFields = (
  metadata: "ObjectMeta" | "ListMeta",
  documented = "io.k8s.api.core.v1.ConfigMap",
): JsonObject => ({
  apiVersion: { type: "string", description: documentationOf(`${META}ObjectMeta`, "apiVersion") },
  kind: { type: "string", description: documentationOf(`${META}ObjectMeta`, "kind") },
  metadata: {
    allOf: [reference(META + metadata)],
    description: documentationOf(documented, "metadata"),
  },
});

/** The definitions of a custom kind and of its list, by name. */
export function customDefinitions(resource: ServedResource): Record<string, JsonObject> {
  const { group, version, kind, listKind, schema, selectableFields } = resource;
  const name = customDefinitionName(resource, kind);
  const root = shownNode(asJson(schema));
  const selectable = Object.keys(selectableFields ?? {});
  return {
    [name]: {
      ...root,
      type: "object",
      properties: { ...mapAt(root, "properties"), ...standardFields("ObjectMeta") },
      "x-kubernetes-group-version-kind": [{ group, version, kind }],
      ...(selectable.length > 0
        ? { "x-kubernetes-selectable-fields": selectable.map((fieldPath) => ({ fieldPath })) }
        : {}),
    },
    [customDefinitionName(resource, listKind)]: {
      description: `${listKind} is a list of ${kind}`,
      type: "object",
      required: ["items"],
      properties: {
        ...standardFields("ListMeta", `${META}Status`),
        items: {
          description: `List of ${resource.plural}. More info: ${CONVENTIONS}`,
          type: "array",
          items: reference(name),
        },
      },
      "x-kubernetes-group-version-kind": [{ group, version, kind: listKind }],
    },
  };
}

/**
 * A node and all nodes below it, with the extensions spelled out for readers that do not know them.
 */
function shownNode(node: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(node)) {
    if (key === "description" && value === "") continue;
    result[key] = shownPart(key, value);
  }
  if (node["x-kubernetes-int-or-string"] === true) {
    result["anyOf"] ??= [{ type: "integer" }, { type: "string" }];
  }
  if (node["x-kubernetes-embedded-resource"] === true) {
    result["properties"] = { ...mapAt(result, "properties"), ...standardFields("ObjectMeta") };
    const required = listAt(node, "required");
    result["required"] = [
      ...required,
      ...["kind", "apiVersion"].filter((field) => !required.includes(field)),
    ];
  }
  return result;
}

const shown = (value: unknown): unknown => (isJsonObject(value) ? shownNode(value) : value);

function shownPart(key: string, value: unknown): unknown {
  switch (key) {
    case "properties":
      return isJsonObject(value)
        ? Object.fromEntries(Object.entries(value).map(([name, child]) => [name, shown(child)]))
        : value;
    case "items":
    case "not":
    case "additionalProperties":
      return shown(value);
    case "allOf":
    case "anyOf":
    case "oneOf":
      return Array.isArray(value) ? value.map(shown) : value;
    default:
      return value;
  }
}
