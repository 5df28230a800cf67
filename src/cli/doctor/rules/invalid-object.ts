/** Custom objects that their schema refuses, samples first of all. */
import { SchemaValidator } from "../../../kube/schema/validate.ts";
import { objectsOfCustomKinds } from "../custom-kinds.ts";
import type { Rule } from "../rule.ts";
import { pathOf } from "../values.ts";

export const invalidObject: Rule = {
  name: "invalid-object",
  about:
    "An object of a custom kind, such as a sample, does not match the schema of its CRD, so the API server rejects it.",
  example: "# the schema has replicas: {type: integer}\nspec:\n  replicas: three",
  *find(examined) {
    for (const { manifest, schema } of objectsOfCustomKinds(examined)) {
      for (const error of new SchemaValidator(schema).validate(manifest.value)) {
        yield {
          place: manifest.at(pathOf(error.field)),
          message: `${manifest.kind} ${manifest.name}: ${error.field === "" ? "" : `${error.field}: `}${error.message}`,
          fix: "Change the value, or the schema if the value is correct.",
        };
      }
    }
  },
};
