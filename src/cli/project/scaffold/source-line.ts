/** Lines that the scaffold puts together. */
const WIDTH = 100;
const INDENT = "  ";

/** The article of a kind's name as it is spoken, "a" or "an": an Order, a User, an HTTPRoute. */
export function articleOf(kind: string): "a" | "an" {
  const spelt = /^[A-Z]{2}(?![a-z])/.test(kind) || /^[A-Z]{3}/.test(kind);
  if (spelt) return /^[AEFHILMNORSX]/.test(kind) ? "an" : "a";
  if (/^(?:Honest|Honou?r|Hour|Heir)/.test(kind)) return "an";
  return /^[AEIOU]/.test(kind) && !/^(?:Eu|One|Ub|Uni(?!n|m)|Us[aeu]|Ut[ei]|Ur[aeiu])/.test(kind)
    ? "an"
    : "a";
}

/**
 * Lists items between an opening and a closing text, such as `import {`, the names, and
 * `} from "tsop";`: on one line where they fit, else one a line.
 *
 * @param indent - of the line, for the items' own and for the width
 */
export function listed(open: string, items: readonly string[], close: string, indent = ""): string {
  const space = open.endsWith("(") ? "" : " ";
  const line = `${open}${space}${items.join(", ")}${space}${close}`;
  if (indent.length + line.length <= WIDTH) return line;
  return `${open}\n${items.map((item) => `${indent}${INDENT}${item},\n`).join("")}${indent}${close}`;
}
