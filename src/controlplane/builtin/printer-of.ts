/** The printers of the built-in kinds. */
import type { TablePrinter } from "../kinds.ts";
import { rulesOf } from "./kinds/kind-table.ts";
import { tablePrinter } from "./tables/printer.ts";

/**
 * The printer of a built-in kind, including `autoscaling` `Scale`: its own, or one that shows name
 * and creation time.
 */
export function printerOf(group: string, kind: string): TablePrinter {
  const rules = rulesOf(group, kind);
  return rules?.table
    ? tablePrinter(`${group}/${kind}`, rules)
    : tablePrinter("", { nullWhenEmpty: true });
}
