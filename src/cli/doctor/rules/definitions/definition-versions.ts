/** Versions of a CustomResourceDefinition that do not fit together. */
import { isJsonObject } from "../../../../kube/json.ts";
import { isDefinition } from "../../custom-kinds.ts";
import type { Rule } from "../../rule.ts";
import { listAt, textAt, valueAt } from "../../values.ts";

export const definitionVersions: Rule = {
  name: "definition-versions",
  about:
    "A CustomResourceDefinition does not have exactly one storage version, or a version in v1 has no schema. The API server rejects it.",
  example:
    "versions:\n- { name: v1alpha1, served: true, storage: true }\n- { name: v1, served: true, storage: true }",
  *find({ manifests }) {
    for (const manifest of manifests.filter(isDefinition)) {
      if (manifest.apiVersion !== "apiextensions.k8s.io/v1") continue;
      const versions = listAt(manifest.value, ["spec", "versions"]).filter(isJsonObject);
      const stored = versions.filter(({ storage }) => storage === true);
      if (stored.length !== 1) {
        yield {
          place: manifest.at(["spec", "versions"]),
          message: `${manifest.name} stores ${stored.length === 0 ? "none" : String(stored.length)} of its versions, but must store exactly one.`,
          fix: "Set storage: true on one version and storage: false on the others.",
        };
      }
      for (const [index, version] of versions.entries()) {
        if (valueAt(version, ["schema", "openAPIV3Schema"]) !== undefined) continue;
        yield {
          place: manifest.at(["spec", "versions", index]),
          message: `${manifest.name} has no schema for ${textAt(version, ["name"])}.`,
          fix: "Add schema.openAPIV3Schema; v1 requires one for each version.",
        };
      }
    }
  },
};
