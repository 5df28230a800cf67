/** The table of the kind CustomResourceDefinition; what else it means is in `crd`. */
import { at, listAt, textAt } from "../../at.ts";
import type { KindRules } from "../../kind-rules.ts";
import { conditionOf } from "../../tables/cells.ts";

export const customResourceDefinitionRules: KindRules = {
  printer: { nullWhenEmpty: true },
  table: {
    Scope: "spec.scope",
    Versions: (definition) =>
      listAt(definition, "spec.versions")
        .filter((version) => at(version, "served") === true)
        .map((version) => {
          const isStored = at(version, "storage") === true;
          return `${textAt(version, "name")}${isStored ? "(storage)" : ""}`;
        })
        .sort()
        .join(","),
    Group: "spec.group",
    Kind: "spec.names.kind",
    ShortNames: "spec.names.shortNames",
    Established: (definition) =>
      textAt(conditionOf(definition, "Established"), "status") === "True",
  },
};
