/** Definitions that client-side `kubectl apply` cannot apply. */
import { isDefinition } from "../../custom-kinds.ts";
import type { Rule } from "../../rule.ts";

/** The size limit of an object's annotations; `kubectl apply` keeps the whole object in one. */
const MAX_BYTES = 262_144;

export const definitionTooLarge: Rule = {
  name: "definition-too-large",
  about:
    "A CustomResourceDefinition exceeds the size limit of annotations, in which `kubectl apply` stores it. Applying it fails with `Too long: must have at most 262144 bytes`.",
  example: "# a definition with the schema of a PodSpec and its descriptions, in several versions",
  *find({ manifests }) {
    for (const manifest of manifests.filter(isDefinition)) {
      const bytes = Buffer.byteLength(JSON.stringify(manifest.value));
      if (bytes <= MAX_BYTES) continue;
      yield {
        place: manifest.at([]),
        message: `${manifest.name} has ${bytes} bytes; the limit of \`kubectl apply\` is ${MAX_BYTES}.`,
        fix: "Apply it with `kubectl apply --server-side` or `tsop install`, or remove descriptions.",
      };
    }
  },
};
