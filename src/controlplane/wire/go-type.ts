/** The Go types behind the nodes of OpenAPI definitions, as errors of Go's decoders name them. */
import { type Definition, REFERENCE_PREFIX } from "../builtin/definitions.ts";

/** The last part of a definition's name. */
export const shortName = (definition: string): string =>
  definition.slice(definition.lastIndexOf(".") + 1);

export const refOf = (node: Definition): string | undefined =>
  (node.$ref ?? node.allOf?.[0]?.$ref)?.slice(REFERENCE_PREFIX.length);

/** The Go type of a node, as its errors name it. */
export function goType(node: Definition): string {
  const name = refOf(node);
  if (name !== undefined) {
    const kind = shortName(name);
    return kind === "Time" || kind === "MicroTime" ? "string" : `${versionOf(name)}.${kind}`;
  }
  switch (node.type) {
    case "array":
      return `[]${goType(node.items ?? {})}`;
    case "object": {
      const values = node.additionalProperties ?? {};
      return shortName(refOf(values) ?? "") === "Quantity"
        ? "v1.ResourceList"
        : `map[string]${goType(values)}`;
    }
    case "integer":
      return node.format ?? "int64";
    case "number":
      return "float64";
    case "boolean":
      return "bool";
    case "string":
      return node.format === "byte" ? "[]uint8" : "string";
    default:
      return "interface {}";
  }
}

const versionOf = (definition: string): string => definition.split(".").slice(-2)[0] ?? "v1";
