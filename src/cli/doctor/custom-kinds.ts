/** The kinds that CustomResourceDefinitions among the manifests define, in today's form or in that of v1beta1. */
import { isJsonObject } from "../../kube/json.ts";
import type { Schema } from "../../kube/schema/structural.ts";
import type { CustomKind, Examined, Manifest } from "./rule.ts";
import { listAt, objectAt, textAt, valueAt } from "./values.ts";

/** Whether it defines a kind. */
export const isDefinition = ({ kind, apiVersion }: Manifest): boolean =>
  kind === "CustomResourceDefinition" && apiVersion.startsWith("apiextensions.k8s.io/");

/** The kinds that a definition defines; none for another object. */
export function customKindsOf(definition: Manifest): CustomKind[] {
  if (!isDefinition(definition)) return [];
  const { value } = definition;
  const spec = objectAt(value, ["spec"]);
  const kind = textAt(spec, ["names", "kind"]);
  const named = {
    group: textAt(spec, ["group"]),
    kind,
    plural: textAt(spec, ["names", "plural"]),
    singular: textAt(spec, ["names", "singular"]) || kind.toLowerCase(),
    definition,
  };
  const shared = valueAt(spec, ["validation", "openAPIV3Schema"]);
  const versions = listAt(spec, ["versions"]).filter(isJsonObject);
  const listed = versions.length > 0 ? versions : [{ name: spec["version"] }];
  return listed.map((version) => {
    const own = valueAt(version, ["schema", "openAPIV3Schema"]) ?? shared;
    return {
      ...named,
      version: textAt(version, ["name"]),
      ...(isJsonObject(own) && { schema: own }),
    };
  });
}

/** The objects of the kinds that are defined here and have a schema. */
export function* objectsOfCustomKinds({
  manifests,
  customKinds,
}: Examined): Generator<{ manifest: Manifest; schema: Schema }> {
  for (const manifest of manifests) {
    const found = customKinds.find(
      (one) => one.kind === manifest.kind && `${one.group}/${one.version}` === manifest.apiVersion,
    );
    if (found?.schema) yield { manifest, schema: found.schema };
  }
}
