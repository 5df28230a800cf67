/**
 * Random texts that match a pattern, for the part of regular expressions that schemas use;
 * `undefined` for other patterns.
 */
import type { Random } from "./random.ts";
import { tableOf } from "../table.ts";

type Part =
  | { readonly among: string }
  | { readonly all: readonly Part[] }
  | { readonly oneOf: readonly Part[] }
  | { readonly part: Part; readonly min: number; readonly max: number };

const LETTERS = "abcdefghijklmnopqrstuvwxyz";
const DIGITS = "0123456789";
const CLASSES = tableOf<string>({
  d: DIGITS,
  w: `${LETTERS}${LETTERS.toUpperCase()}${DIGITS}_`,
  s: " ",
  S: LETTERS + DIGITS,
  D: LETTERS,
  W: "-. ",
});
const PRINTABLE = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index)).join(
  "",
);
/** The most repetitions of `*`, `+` and `{2,}` beyond the minimum. */
const SPREAD = 6;
const END = "";

/** Thrown for a pattern that is not supported. */
class Unreadable extends Error {}

/** A text that most likely matches the pattern; `undefined` for a pattern that is not supported. */
export function textOfPattern(pattern: string, random: Random): string | undefined {
  try {
    return write(new Reader(pattern).whole(), random);
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

function write(part: Part, random: Random): string {
  if ("among" in part) return part.among.charAt(random.between(0, part.among.length - 1));
  if ("all" in part) return part.all.map((one) => write(one, random)).join("");
  if ("oneOf" in part) return write(random.pick(part.oneOf) ?? { all: [] }, random);
  const count = random.between(part.min, Math.min(part.max, part.min + SPREAD));
  return Array.from({ length: count }, () => write(part.part, random)).join("");
}

class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): Part {
    const part = this.#alternatives();
    if (this.#peek() !== END) throw new Unreadable();
    return part;
  }

  #peek(): string {
    return this.#text.charAt(this.#at);
  }

  #take(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #next(): string {
    const character = this.#peek();
    if (character === END) throw new Unreadable();
    this.#at++;
    return character;
  }

  #alternatives(): Part {
    const oneOf = [this.#sequence()];
    while (this.#take("|")) oneOf.push(this.#sequence());
    return { oneOf };
  }

  #sequence(): Part {
    const all: Part[] = [];
    while (!["|", ")", END].includes(this.#peek())) {
      if (this.#take("^") || this.#take("$")) continue;
      all.push(this.#repeated(this.#atom()));
    }
    return { all };
  }

  #repeated(part: Part): Part {
    let repeated = part;
    if (this.#take("*")) repeated = { part, min: 0, max: Infinity };
    else if (this.#take("+")) repeated = { part, min: 1, max: Infinity };
    else if (this.#take("?")) repeated = { part, min: 0, max: 1 };
    else if (this.#peek() === "{") repeated = this.#counted(part);
    this.#take("?");
    return repeated;
  }

  #counted(part: Part): Part {
    const [text, min, comma, max] = /^\{(\d+)(,?)(\d*)\}/.exec(this.#text.slice(this.#at)) ?? [];
    if (text === undefined) throw new Unreadable();
    this.#at += text.length;
    const most = max === "" ? (comma === "" ? Number(min) : Infinity) : Number(max);
    return { part, min: Number(min), max: most };
  }

  #atom(): Part {
    const character = this.#next();
    if (character === "(") {
      if (this.#take("?") && !this.#take(":")) throw new Unreadable();
      const part = this.#alternatives();
      if (!this.#take(")")) throw new Unreadable();
      return part;
    }
    if (character === "[") return { among: this.#among() };
    if (character === ".") return { among: LETTERS + DIGITS };
    return { among: character === "\\" ? this.#escaped() : character };
  }

  #escaped(): string {
    const character = this.#next();
    const known = CLASSES.get(character);
    if (known !== undefined) return known;
    // Other letters and digits have a special meaning: \b, \x41, \pL.
    if (/[a-zA-Z0-9]/.test(character)) throw new Unreadable();
    return character;
  }

  #among(): string {
    const isNot = this.#take("^");
    let among = "";
    while (!this.#take("]")) {
      if (this.#peek() === "[") throw new Unreadable();
      const from = this.#take("\\") ? this.#escaped() : this.#next();
      const isRange =
        from.length === 1 && this.#peek() === "-" && this.#text.charAt(this.#at + 1) !== "]";
      if (!isRange) {
        among += from;
        continue;
      }
      this.#take("-");
      const to = this.#take("\\") ? this.#escaped() : this.#next();
      for (let code = from.charCodeAt(0); code <= to.charCodeAt(0); code++) {
        among += String.fromCharCode(code);
      }
    }
    if (isNot)
      among = Array.from(PRINTABLE)
        .filter((one) => !among.includes(one))
        .join("");
    if (among === "") throw new Unreadable();
    return among;
  }
}
