/** The characters that a terminal obeys, but for the tab, as the source of a regular expression. */
export const OBEYED =
  "[\\u0000-\\u0008\\u000a-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069]|\\udb40[\\udc00-\\udc7f]";

const SPECIAL = new RegExp(`\\t|${OBEYED}`, "g");

/** A text of others in one line, without the characters that a terminal obeys. */
export const oneLine = (text: string): string => text.replace(SPECIAL, escapedCharacters);

/** Control characters as `\n`, `\t` and `\u001b`; others of the text stay. */
export function escapedCharacters(characters: string): string {
  if (characters === "\n") return "\\n";
  if (characters === "\t") return "\\t";
  return characters
    .split("")
    .map((each) => (each >= " " && each <= "~" ? each : unicode(each)))
    .join("");
}

const unicode = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
