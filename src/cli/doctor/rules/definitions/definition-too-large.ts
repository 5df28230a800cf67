/** Definitions that client-side `kubectl apply` cannot apply. */
import { isDefinition } from "../../custom-kinds.ts";
import type { Rule } from "../../rule.ts";

/** The size limit of an object's annotations; `kubectl apply` keeps the whole object in one. */
const MAX_BYTES = 262_144;

export const definitionTooLarge: Rule = {
  name: "definition-too-large",
  about:
    "A CustomResourceDefinition is larger than annotations may be, in which `kubectl apply` keeps it: applying it fails with `Too long: must have at most 262144 bytes`.",
  example: "# a definition with the schema of a PodSpec and its descriptions, in several versions",
  *find({ manifests }) {
    for (const manifest of manifests.filter(isDefinition)) {
      const bytes = Buffer.byteLength(JSON.stringify(manifest.value));
      if (bytes <= MAX_BYTES) continue;
      yield {
        place: manifest.at([]),
        message: `${manifest.name} has ${bytes} bytes; \`kubectl apply\` takes ${MAX_BYTES}.`,
        fix: "Apply it with `kubectl apply --server-side` or `tsop install`, or leave descriptions out.",
      };
    }
  },
};
