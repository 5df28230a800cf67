/** JSON as Go's `encoding/json` writes it. */
import { encodeJson } from "./json.ts";

/** The characters that Go escapes and JavaScript does not: those that have a meaning in HTML. */
const ESCAPED = /[<>&\u2028\u2029]/g;

/** The value as compact JSON, to the byte as Go's encoder writes it. */
export const goJson = (value: unknown): string =>
  encodeJson(value).replace(
    ESCAPED,
    (character) => `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
  );
