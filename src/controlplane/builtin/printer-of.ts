/** The printers of the built-in kinds. */
import type { TablePrinter } from "../kinds.ts";
import { rulesOf } from "./kinds/kind-table.ts";
import { described } from "./tables/column-descriptions.ts";
import { createdAtColumn, nameColumn, printer } from "./tables/column.ts";
import { definitionPrinter } from "./tables/definition-printer.ts";

/** The fallback printer: name and creation time. */
const createdAtPrinter: TablePrinter = printer([nameColumn, createdAtColumn], {
  nullWhenEmpty: true,
});

const SCALE_DESCRIPTIONS: Readonly<Record<string, string>> = {
  Desired: "replicas is the desired number of instances for the scaled object.",
  Available: "replicas is the actual number of observed instances of the scaled object.",
};

/**
 * The printer of a `Scale`. That of a custom resource marks names and dates in its columns, that of
 * a built-in kind describes the counts.
 */
export function scalePrinter(builtIn: boolean): TablePrinter {
  const scale = printerOf("autoscaling", "Scale");
  const columns = scale.columns.map(({ name, type, format, description, priority }) =>
    builtIn
      ? { name, type, format: "", description: SCALE_DESCRIPTIONS[name] ?? description, priority }
      : { name, type: name === "Age" ? "date" : type, format, description, priority },
  );
  return { ...scale, columns };
}

/**
 * The printer of a built-in kind, including `autoscaling` `Scale`: its own, or the fallback
 * printer.
 */
export function printerOf(group: string, kind: string): TablePrinter {
  if (group === "apiextensions.k8s.io") return definitionPrinter;
  const rules = rulesOf(group, kind);
  return rules?.table ? described(rules, rules.table) : createdAtPrinter;
}
