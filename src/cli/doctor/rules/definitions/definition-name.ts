/** CustomResourceDefinitions with a name that is not allowed, or a group that belongs to others. */
import { isProtectedGroup } from "../../../../kube/definition/approval.ts";
import { isDefinition } from "../../custom-kinds.ts";
import type { Rule } from "../../rule.ts";
import { objectAt, textAt } from "../../values.ts";

export const definitionName: Rule = {
  name: "definition-name",
  about:
    "A CustomResourceDefinition is not named `<plural>.<group>`, its group has no dot, or its group belongs to Kubernetes, so the API server rejects it.",
  example:
    "metadata: { name: web.example.com }\nspec: { group: example.com, names: { plural: webs } }",
  *find({ manifests }) {
    for (const manifest of manifests.filter(isDefinition)) {
      const group = textAt(manifest.value, ["spec", "group"]);
      const plural = textAt(manifest.value, ["spec", "names", "plural"]);
      const name = `${plural}.${group}`;
      if (group !== "" && plural !== "" && manifest.name !== name) {
        yield {
          place: manifest.at(["metadata", "name"]),
          message: `The definition is named ${manifest.name}, but must be named ${name}.`,
          fix: `Write name: ${name}, or change plural or group.`,
        };
      }
      if (group !== "" && !group.includes(".")) {
        yield {
          place: manifest.at(["spec", "group"]),
          message: `The group ${group} does not contain a dot.`,
          fix: `Use your own domain, such as ${group}.example.com.`,
        };
      }
      const annotations = objectAt(manifest.value, ["metadata", "annotations"]);
      if (isProtectedGroup(group) && !("api-approved.kubernetes.io" in annotations)) {
        yield {
          place: manifest.at(["spec", "group"]),
          message: `The group ${group} belongs to Kubernetes, and needs the annotation api-approved.kubernetes.io.`,
          fix: "Use your own domain.",
        };
      }
    }
  },
};
