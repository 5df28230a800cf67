/**
 * The one door of text to a terminal, which takes some characters for commands: they could hide lines, rename the window
 * or paste text. Everything is escaped here but the colors that tsop itself sets, so that a name, a message or a line of
 * a log needs no care on its way.
 */
import { systemClock } from "../clock.ts";

/** The colors and weights of tsop's own output, as the codes that switch them on and off. */
const STYLES = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  blue: [34, 39],
  magenta: [35, 39],
  cyan: [36, 39],
} as const;

/** Functions that style a text. */
export type Painter = Readonly<Record<keyof typeof STYLES, (text: string) => string>>;

/**
 * Styles are marked with a number of this process, which no text from outside can have: what looks like a style, and is
 * none of ours, is escaped with the rest.
 */
let ownNumber: string | undefined;

const mark = (code: number): string => `\u001b[${code};${(ownNumber ??= newNumber())}m`;

const newNumber = (): string => String(2 ** 40 + Math.floor(systemClock.random() * 2 ** 50));

const PLAIN = Object.fromEntries(
  Object.keys(STYLES).map((name) => [name, (text: string) => text]),
) as unknown as Painter;

/** The styles, or functions that leave a text as it is. The result is for a command's `out` and `err` only. */
export function painter(color: boolean): Painter {
  if (!color) return PLAIN;
  const styled = Object.entries(STYLES).map(([name, [on, off]]) => [
    name,
    // A style inside ends the one around it: this begins again after it.
    (text: string) => `${mark(on)}${text.replaceAll(mark(off), mark(off) + mark(on))}${mark(off)}`,
  ]);
  return Object.fromEntries(styled) as Painter;
}

// A style, and every character that moves, hides, deletes or reverses text or begins a command.
const SPECIAL =
  // oxlint-disable-next-line no-control-regex -- those are what must not get there
  /\u001b\[(\d+);(\d+)m|[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|\udb40[\udc00-\udc7f]/g;

/** A line as a terminal can show it: everything is escaped that it would obey, line breaks too, but for our styles. */
export function terminalLine(line: string): string {
  return line.replace(SPECIAL, (match, code?: string, number?: string) =>
    code !== undefined && number === ownNumber ? `\u001b[${code}m` : escaped(match),
  );
}

/** The text in one line and without styles, for a place that is not a command's `out` or `err`. */
export const oneLine = (text: string): string =>
  text.replace(SPECIAL, escaped).replaceAll("\t", "\\t");

/** A line of a program that tsop runs, without the colors that it has. */
export const withoutColors = (line: string): string =>
  // oxlint-disable-next-line no-control-regex -- that is how a color begins
  line.replace(/\u001b\[[\d;]*m/g, "");

function escaped(characters: string): string {
  if (characters === "\n") return "\\n";
  return Array.from({ length: characters.length }, (_none, index) => characters.charAt(index))
    .map((each) => (isShown(each) ? each : unicode(each)))
    .join("");
}

/** Only the first character of what looks like a style is obeyed by a terminal. */
const isShown = (character: string): boolean => character >= " " && character <= "~";

const unicode = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
