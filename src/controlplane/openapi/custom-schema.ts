/**
 * The schema of a custom kind as OpenAPI v3 shows it.
 *
 * @module
 */
import type { JsonObject } from "../../kube/object.ts";
import type { Schema } from "../../kube/schema/structural.ts";
import { documentationOf } from "../builtin/documentation.ts";
import type { ServedResource } from "../kinds.ts";
import { reference } from "./operations.ts";
import { customDefinitionName } from "./paths.ts";

const CONVENTIONS =
  "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";
const META = "io.k8s.apimachinery.pkg.apis.meta.v1.";

const typeMeta = (): JsonObject => ({
  apiVersion: { type: "string", description: documentationOf(`${META}ObjectMeta`, "apiVersion") },
  kind: { type: "string", description: documentationOf(`${META}ObjectMeta`, "kind") },
});

const metadataOf = (type: "ObjectMeta" | "ListMeta"): JsonObject => ({
  allOf: [reference(`${META}${type}`)],
  description:
    type === "ListMeta"
      ? documentationOf(`${META}Status`, "metadata")
      : documentationOf("io.k8s.api.core.v1.ConfigMap", "metadata"),
});

/** The definitions of a custom kind and of its list, by name. */
export function customDefinitions(resource: ServedResource): Record<string, JsonObject> {
  const { group, version, kind, listKind, schema, selectableFields } = resource;
  const name = customDefinitionName(resource, kind);
  const root = shown(schema);
  const selectable = Object.keys(selectableFields ?? {});
  return {
    [name]: {
      ...root,
      type: "object",
      // Whatever the author says of them, these three are the same everywhere.
      properties: {
        ...(root["properties"] as JsonObject | undefined),
        ...typeMeta(),
        metadata: metadataOf("ObjectMeta"),
      },
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
        ...typeMeta(),
        metadata: metadataOf("ListMeta"),
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

/** A node and all below it: what the extensions mean is spelled out for readers that do not know them. */
function shown(node: Schema): JsonObject {
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(node)) {
    if (key === "description" && value === "") continue;
    result[key] = shownPart(key, value);
  }
  if (node["x-kubernetes-int-or-string"] === true) {
    result["anyOf"] ??= [{ type: "integer" }, { type: "string" }];
  }
  if (node["x-kubernetes-embedded-resource"] === true) {
    result["properties"] = {
      ...(result["properties"] as JsonObject | undefined),
      ...typeMeta(),
      metadata: metadataOf("ObjectMeta"),
    };
    const required = node.required ?? [];
    result["required"] = [
      ...required,
      ...["kind", "apiVersion"].filter((field) => !required.includes(field)),
    ];
  }
  return result;
}

function shownPart(key: string, value: unknown): unknown {
  switch (key) {
    case "properties":
      return Object.fromEntries(
        Object.entries(value as Record<string, Schema>).map(([name, child]) => [
          name,
          shown(child),
        ]),
      );
    case "items":
    case "not":
      return shown(value as Schema);
    case "additionalProperties":
      return typeof value === "boolean" ? value : shown(value as Schema);
    case "allOf":
    case "anyOf":
    case "oneOf":
      return (value as Schema[]).map(shown);
    default:
      return value;
  }
}
