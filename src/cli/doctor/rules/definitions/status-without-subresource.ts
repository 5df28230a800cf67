/** Definitions with a status that nobody writes for itself. */
import { isDefinition } from "../../custom-kinds.ts";
import type { Rule } from "../../rule.ts";
import { listAt, objectAt, textAt } from "../../values.ts";

export const statusWithoutSubresource: Rule = {
  name: "status-without-subresource",
  about:
    "A schema has a status, but its version has no status subresource. Anyone who can write the spec can write the status, and clients that write the status get 404.",
  example:
    "versions:\n- name: v1\n  schema: { openAPIV3Schema: { properties: { status: {} } } } # no subresources",
  *find({ manifests }) {
    for (const manifest of manifests.filter(isDefinition)) {
      if (manifest.apiVersion !== "apiextensions.k8s.io/v1") continue;
      for (const [index, version] of listAt(manifest.value, ["spec", "versions"]).entries()) {
        const properties = objectAt(version, ["schema", "openAPIV3Schema", "properties"]);
        if (!("status" in properties) || "status" in objectAt(version, ["subresources"])) continue;
        yield {
          place: manifest.at(["spec", "versions", index]),
          message: `${manifest.name} has a status in ${textAt(version, ["name"])}, but no status subresource.`,
          fix: "Add `subresources: {status: {}}` to the version.",
        };
      }
    }
  },
};
