/**
 * The plural of a kind, as in URLs: lower case, one word.
 *
 * English, not a dictionary: `@Resource({ plural })` has the last word, and `tsop create api`
 * writes it there, so that a kind's plural is decided once.
 */

const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ["child", "children"],
  ["person", "people"],
  ["man", "men"],
  ["woman", "women"],
  ["mouse", "mice"],
  ["goose", "geese"],
  ["foot", "feet"],
  ["tooth", "teeth"],
  ["datum", "data"],
  ["medium", "media"],
  ["index", "indices"],
  ["matrix", "matrices"],
  ["vertex", "vertices"],
  ["quiz", "quizzes"],
  ["hero", "heroes"],
  ["echo", "echoes"],
  ["potato", "potatoes"],
  ["tomato", "tomatoes"],
  ["leaf", "leaves"],
  ["life", "lives"],
  ["half", "halves"],
  ["shelf", "shelves"],
  ["wolf", "wolves"],
]);

/** Words that are their own plural. */
const UNCHANGED =
  /(?:sheep|fish|series|species|meta|data|media|aircraft|equipment|information|endpoints)$/;

/** The plural of `kind` in lower case: `mywebs`, `proxies`, `classes`. */
export function pluralOf(kind: string): string {
  const word = kind.toLowerCase();
  if (UNCHANGED.test(word)) return word;
  // Only the last word of a camel-case kind is inflected: FunctionBuild is not a child.
  const last = /[A-Z][^A-Z]*$/.exec(kind)?.[0].toLowerCase() ?? word;
  const irregular = IRREGULAR.get(last);
  if (irregular !== undefined) return word.slice(0, word.length - last.length) + irregular;
  if (/(?:analys|bas|cris|hypothes|synops|thes)is$/.test(word)) return word.replace(/is$/, "es");
  if (/(?:ss|us|is|x|z|ch|sh|alias|atlas|bias|canvas|gas|lens)$/.test(word)) return `${word}es`;
  // A kind that ends in another s is a plural already: Settings, Columns.
  if (word.endsWith("s")) return word;
  if (/[^aeiou]y$/.test(word)) return word.replace(/y$/, "ies");
  return `${word}s`;
}
