/** The table of CustomResourceDefinitions. */
import { at, listAt, textAt } from "../at.ts";
import type { TablePrinter } from "../../kinds.ts";
import { described } from "./column-descriptions.ts";
import {
  BOOLEAN,
  WIDE,
  column,
  conditionOf,
  createdAtColumn,
  nameColumn,
  printer,
  textColumn,
} from "./column.ts";

/** The printer of CustomResourceDefinitions. */
export const definitionPrinter: TablePrinter = described(
  {
    columnTexts: {
      Scope: "Cluster/Namespaced",
      Versions: "Served versions",
      Group: "API group",
      Kind: "CustomResource kind",
      ShortNames: "Short names",
      Established: "Established status",
    },
  },
  printer(
    [
      nameColumn,
      textColumn("Scope", "spec.scope"),
      column("Versions", (definition) =>
        listAt(definition, "spec.versions")
          .filter((version) => at(version, "served") === true)
          .map(
            (version) =>
              `${textAt(version, "name")}${at(version, "storage") === true ? "(storage)" : ""}`,
          )
          .sort()
          .join(","),
      ),
      createdAtColumn,
      textColumn("Group", "spec.group", "", WIDE),
      textColumn("Kind", "spec.names.kind", "", WIDE),
      column(
        "ShortNames",
        (definition) => listAt(definition, "spec.names.shortNames").join(","),
        WIDE,
      ),
      column(
        "Established",
        (definition) => textAt(conditionOf(definition, "Established"), "status") === "True",
        { ...WIDE, ...BOOLEAN },
      ),
    ],
    { nullWhenEmpty: true },
  ),
);
