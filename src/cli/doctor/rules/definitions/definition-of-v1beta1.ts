/** Fields of CustomResourceDefinitions that only v1beta1 had. */
import { isDefinition } from "../../custom-kinds.ts";
import type { Rule } from "../../rule.ts";
import { objectAt } from "../../values.ts";

const GONE: Readonly<Record<string, string>> = {
  version: "Take it out: spec.versions names the versions.",
  validation: "Move the schema to spec.versions[].schema.",
  subresources: "Move it to each of spec.versions.",
  additionalPrinterColumns:
    "Move them to each of spec.versions, with jsonPath in place of JSONPath.",
};

export const definitionOfV1beta1: Rule = {
  name: "definition-of-v1beta1",
  about:
    "A CustomResourceDefinition in v1 has a v1beta1 field. Strict clients reject it; other clients ignore it.",
  example:
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nspec:\n  version: v1",
  *find({ manifests }) {
    for (const manifest of manifests.filter(isDefinition)) {
      if (manifest.apiVersion !== "apiextensions.k8s.io/v1") continue;
      const spec = objectAt(manifest.value, ["spec"]);
      for (const [name, fix] of Object.entries(GONE)) {
        if (!(name in spec)) continue;
        yield {
          place: manifest.at(["spec", name]),
          message: `${manifest.name} has spec.${name}, which is a v1beta1 field.`,
          fix,
        };
      }
    }
  },
};
