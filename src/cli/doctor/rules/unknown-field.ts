/** Fields of custom objects that their schema does not have. */
import { didYouMean } from "../../../kube/text/nearest-name.ts";
import { copyJson } from "../../../kube/json.ts";
import { prune } from "../../../kube/schema/prune.ts";
import { objectsOfCustomKinds } from "../custom-kinds.ts";
import type { Rule } from "../rule.ts";
import { objectAt, pathOf } from "../values.ts";
import { schemaAt } from "../schema-at.ts";

export const unknownField: Rule = {
  name: "unknown-field",
  about:
    "An object of a custom kind has a field that is missing from the schema of its CRD. The API server drops it silently.",
  example:
    "# the schema has spec.configMap\napiVersion: example.com/v1\nkind: ConfigMonitor\nspec:\n  configmap: settings",
  *find(examined) {
    for (const { manifest, schema } of objectsOfCustomKinds(examined)) {
      for (const unknown of prune(copyJson(manifest.value), schema, { root: true })) {
        const path = pathOf(unknown);
        const name = String(path.at(-1));
        const known = Object.keys(objectAt(schemaAt(schema, path.slice(0, -1)), ["properties"]));
        const otherwise =
          known.length === 0
            ? "Take it out."
            : `The schema has ${known.slice(0, 8).join(", ")} there.`;
        yield {
          place: manifest.at(path),
          message: `${manifest.kind} has no field ${unknown}, so the API server drops it.`,
          fix: didYouMean(name, known, otherwise),
        };
      }
    }
  },
};
