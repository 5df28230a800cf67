/**
 * The one door of text to a terminal, which takes some characters for commands: they could hide lines, rename the window
 * or paste text. Everything is escaped here but the colors that tsop itself sets, so that a name, a message or a line of
 * a log needs no care on its way.
 */
import { systemClock } from "../clock.ts";
import { escapedCharacters, OBEYED } from "../logging/one-line.ts";

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
const SPECIAL = new RegExp(`\\u001b\\[(\\d+);(\\d+)m|${OBEYED}`, "g");

/** A line as a terminal can show it: everything is escaped that it would obey, line breaks too, but for our styles. */
export function terminalLine(line: string): string {
  return line.replace(SPECIAL, (match, code?: string, number?: string) =>
    code !== undefined && number === ownNumber ? `\u001b[${code}m` : escapedCharacters(match),
  );
}

/** A line of a program that tsop runs, without the colors that it has. */
export const withoutColors = (line: string): string =>
  // oxlint-disable-next-line no-control-regex -- that is how a color begins
  line.replace(/\u001b\[[\d;]*m/g, "");
