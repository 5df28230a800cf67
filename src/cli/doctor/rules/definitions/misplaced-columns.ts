/** Settings of a version of a CustomResourceDefinition that stand inside of its schema. */
import { isJsonObject } from "../../../../kube/json.ts";
import type { Rule } from "../../rule.ts";
import { valuesBelow } from "../../values.ts";

const OF_VERSION = [
  "additionalPrinterColumns",
  "subresources",
  "served",
  "storage",
  "selectableFields",
];

export const misplacedColumns: Rule = {
  name: "misplaced-columns",
  about:
    "Printer columns, or other settings of a version, are inside the schema, where they have no effect.",
  example:
    "versions:\n- name: v1\n  schema:\n    openAPIV3Schema:\n      type: object\n      additionalPrinterColumns: []",
  *find({ manifests, fragments }) {
    for (const manifest of [...manifests, ...fragments]) {
      for (const [path, value] of valuesBelow(manifest.value)) {
        const key = path.at(-1);
        if ((key !== "openAPIV3Schema" && key !== "schema") || !isJsonObject(value)) continue;
        if (key === "schema" && !("openAPIV3Schema" in value)) continue;
        for (const name of OF_VERSION.filter((one) => one in value)) {
          yield {
            place: manifest.at([...path, name]),
            message: `${name} is inside ${key}, but is a setting of the version.`,
            fix: "Move it up, to the level of `schema`.",
          };
        }
      }
    }
  },
};
