/**
 * The escaped names of fields in expressions: `a-b` is `a__dash__b`.
 *
 * @see https://kubernetes.io/docs/reference/using-api/cel/#escaping
 */
import { RESERVED } from "./syntax/words.ts";
import { tableOf } from "../../table.ts";

/** The words that are not names, including those of constants and operators. */
const WORDS: ReadonlySet<string> = new Set([...RESERVED, "true", "false", "null", "in"]);

const ESCAPES = tableOf<string>({
  __: "__underscores__",
  ".": "__dot__",
  "-": "__dash__",
  "/": "__slash__",
});

/** Whether the word cannot be a name in an expression as it is. */
export const isReserved = (name: string): boolean => WORDS.has(name);

/** The name in expressions; `undefined` for a field that they cannot name. */
export function escapeName(name: string): string | undefined {
  if (name === "" || /^[0-9]/.test(name)) return undefined;
  if (WORDS.has(name)) return `__${name}__`;
  if (/[^a-zA-Z0-9_./-]/.test(name)) return undefined;
  return name.replace(/__|[-./]/g, (part) => ESCAPES.get(part) ?? "");
}

/** The field of a name in an expression; `undefined` when there is none. */
export function unescapeName(escaped: string): string | undefined {
  const words = escaped.match(/__[^_]+__/g) ?? [];
  const fits = words.every(
    (word) => SYMBOLS.has(word) || (word === escaped && WORDS.has(word.slice(2, -2))),
  );
  if (!fits) return undefined;
  return escaped.replace(/__([^_]+)__/g, (word, name: string) => SYMBOLS.get(word) ?? name);
}

const SYMBOLS: ReadonlyMap<string, string> = new Map(
  [...ESCAPES].map(([symbol, word]) => [word, symbol]),
);
