/**
 * Cleans text of others on its way to a terminal: names, messages, log lines. A terminal takes some
 * characters for commands, which could hide lines, rename the window or paste text.
 */
import { escapedCharacters } from "../logging/one-line.ts";

// A colour, as the CLI itself writes it.
// oxlint-disable-next-line no-control-regex -- that is how it begins
const COLOUR = /^\u001b\[[\d;]*m/;
// All control characters, and those that change the direction of a text.
const UNSAFE =
  // oxlint-disable-next-line no-control-regex -- those are what must not get there
  /\u001b\[[\d;]*m|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/** The text with everything escaped that a terminal would obey, but for colours and line breaks. */
export function terminalText(text: string): string {
  return text.replace(UNSAFE, (match, at: number) => {
    if (COLOUR.test(match) || (match === "\r" && text[at + 1] === "\n")) return match;
    return escapedCharacters(match);
  });
}
