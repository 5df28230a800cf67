/** A text of others in one line, without the characters that a terminal obeys. */
export function oneLine(text: string): string {
  return text.replace(
    // oxlint-disable-next-line no-control-regex -- those are what must not get there
    /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g,
    escapedCharacters,
  );
}

/** Control characters as `\n`, `\t` and `\u001b`. */
export function escapedCharacters(characters: string): string {
  if (characters === "\n") return "\\n";
  if (characters === "\t") return "\\t";
  return Array.from(
    characters,
    (each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, "0")}`,
  ).join("");
}
