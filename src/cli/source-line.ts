/**
 * TypeScript that the scaffold puts together: on one line where it fits, else one item a line.
 *
 * @module
 */
const WIDTH = 100;
const INDENT = "  ";

/**
 * Items between an opening and a closing text, such as `import {`, the names, and `} from "tsop";`.
 *
 * @param indent - of the line, for the items' own and for the width
 */
export function listed(open: string, items: readonly string[], close: string, indent = ""): string {
  const space = open.endsWith("(") ? "" : " ";
  const line = `${open}${space}${items.join(", ")}${space}${close}`;
  if (indent.length + line.length <= WIDTH) return line;
  return `${open}\n${items.map((item) => `${indent}${INDENT}${item},\n`).join("")}${indent}${close}`;
}
