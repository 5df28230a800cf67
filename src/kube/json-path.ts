/**
 * JSONPath as Kubernetes reads it, for printer columns and selectable fields.
 *
 * A path is parsed once and may be evaluated often. Templates of kubectl (ranges, text between
 * braces) are not supported.
 *
 * @see https://kubernetes.io/docs/reference/kubectl/jsonpath/
 */
import { getField, isJsonObject } from "./json.ts";
import { tableOf } from "../table.ts";

/**
 * One step of a path: from values to the values below them.
 *
 * @throws Error as Kubernetes fails to evaluate
 */
type Step = (values: readonly unknown[]) => unknown[];

export interface JsonPath {
  /** All results, in order. @throws Error when the data has another shape than the path needs */
  find(value: unknown): unknown[];
}

/**
 * Reads a path such as `.status.conditions[?(@.type=='Ready')].status`.
 *
 * @throws Error when the text is not a path
 */
export function parseJsonPath(text: string): JsonPath {
  const steps = new PathParser(text).parse();
  return {
    find: (value) => run(steps, [value]),
  };
}

const run = (steps: readonly Step[], values: readonly unknown[]): unknown[] =>
  steps.reduce<unknown[]>((found, step) => step(found), [...values]);

const membersOf = (value: unknown): unknown[] => {
  if (Array.isArray(value)) return value as unknown[];
  return isJsonObject(value) ? Object.values(value) : [];
};

const field =
  (name: string): Step =>
  (values) =>
    values.flatMap((value) => {
      const found = isJsonObject(value) ? getField(value, name) : undefined;
      return found === undefined ? [] : [found];
    });

const wildcard: Step = (values) => values.flatMap(membersOf);

const literal =
  (value: unknown): Step =>
  () => [value];

/** All objects and arrays, from the outside in. */
const recursive: Step = (values) => {
  const found: unknown[] = [];
  const open = [...values].reverse();
  while (open.length > 0) {
    const value = open.pop();
    const members = membersOf(value);
    if (members.length === 0) continue;
    found.push(value);
    for (const member of members.toReversed()) open.push(member);
  }
  return found;
};

/** `[start:end:step]`, counted from the end when negative. */
function slice(start: number, end: number | undefined, step: number, single: boolean): Step {
  return (values) =>
    values.flatMap((value) => {
      if (value === null) return [];
      if (!Array.isArray(value)) throw new Error("not an array or slice");
      const { length } = value;
      const from = start < 0 ? start + length : start;
      const last = end ?? length;
      const to = last < 0 || (last === 0 && single) ? last + length : last;
      if (from === to) return [];
      if (from < 0 || from >= length || to < 0 || to > length || from > to) {
        throw new Error("array index out of bounds");
      }
      if (step <= 0) throw new Error("step must be > 0");
      return (value as unknown[]).slice(from, to).filter((_, index) => index % step === 0);
    });
}

const COMPARISONS = tableOf<(left: Scalar, right: Scalar) => boolean>({
  "==": (left, right) => left === right,
  "!=": (left, right) => left !== right,
  "<": (left, right) => left < right,
  "<=": (left, right) => left <= right,
  ">": (left, right) => left > right,
  ">=": (left, right) => left >= right,
});

type Scalar = string | number | boolean;

function scalar(values: readonly unknown[]): Scalar | undefined {
  if (values.length > 1) throw new Error("can only compare one element at a time");
  const [value] = values;
  if (values.length === 0) return undefined;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") {
    return value;
  }
  throw new Error("invalid type for comparison");
}

function filter(left: readonly Step[], operator: string, right: readonly Step[]): Step {
  const compare = COMPARISONS.get(operator);
  const keeps = (item: unknown): boolean => {
    const one = scalar(run(left, [item]));
    if (one === undefined) return false;
    const other = scalar(run(right, [item]));
    if (other === undefined) return false;
    if (!compare) throw new Error(`unrecognized filter operator ${operator}`);
    if (typeof one !== typeof other) throw new Error("incompatible types for comparison");
    return compare(one, other);
  };
  return overItems(keeps);
}

/** Keeps the items for which the steps have a result. */
const exists = (steps: readonly Step[]): Step =>
  overItems((item) => {
    try {
      return run(steps, [item]).length > 0;
    } catch {
      // Kubernetes takes a failure here for an absent value.
      return false;
    }
  });

const overItems =
  (keeps: (item: unknown) => boolean): Step =>
  (values) =>
    values.flatMap((value) => {
      if (!Array.isArray(value)) throw new Error("not an array or slice and cannot be filtered");
      return (value as unknown[]).filter(keeps);
    });

/** Characters that end a name. */
const TERMINATORS = " \t\r\n.,[]$@{}";

class PathParser {
  readonly #text: string;
  readonly #steps: Step[] = [];
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): Step[] {
    let descended = false;
    while (this.#at < this.#text.length) {
      const rest = this.#text.slice(this.#at);
      const character = rest.charAt(0);
      if (rest.startsWith("..")) {
        if (descended) throw new Error("invalid multiple recursive descent");
        descended = true;
        this.#at += 2;
        this.#steps.push(recursive);
        if (/^[\p{L}\p{Nd}_]/u.test(rest.slice(2))) this.#field();
        continue;
      }
      descended = false;
      if (rest.startsWith("[?(")) this.#filter();
      else if (character === "[") this.#array();
      else if (character === "." || character === "@" || character === "$" || character === " ") {
        this.#at++;
        if (character === ".") this.#field();
      } else if (character === '"' || character === "'") this.#quote(character);
      else if (/[+\-0-9]/.test(character)) this.#number();
      else if (/[\p{L}_]/u.test(character)) this.#word();
      else throw new Error(`unrecognized character in action: ${character}`);
    }
    return this.#steps;
  }

  #name(): string {
    let name = "";
    while (this.#at < this.#text.length) {
      const character = this.#text.charAt(this.#at);
      if (character === "\\") {
        name += this.#text.charAt(this.#at + 1);
        this.#at += 2;
      } else if (TERMINATORS.includes(character)) break;
      else {
        name += character;
        this.#at++;
      }
    }
    return name;
  }

  #field(): void {
    const name = this.#name();
    this.#steps.push(name === "*" ? wildcard : field(name));
  }

  #word(): void {
    const word = this.#name();
    if (word !== "true" && word !== "false") throw new Error(`unrecognized identifier ${word}`);
    this.#steps.push(literal(word === "true"));
  }

  #number(): void {
    const [number = ""] = /^[+-]?[0-9.]*/.exec(this.#text.slice(this.#at)) ?? [];
    if (!/^[+-]?(\d+\.?\d*|\.\d+)$/.test(number)) throw new Error(`cannot parse number ${number}`);
    this.#at += number.length;
    this.#steps.push(literal(Number(number)));
  }

  #quote(quote: string): void {
    const pattern = quote === '"' ? /^"((?:[^"\\\n]|\\.)*)"/ : /^'((?:[^'\\\n]|\\.)*)'/;
    const found = pattern.exec(this.#text.slice(this.#at));
    if (!found) throw new Error("unterminated quoted string");
    this.#at += found[0].length;
    this.#steps.push(literal((found[1] ?? "").replace(/\\(.)/g, "$1")));
  }

  #array(): void {
    const end = this.#text.indexOf("]", this.#at);
    if (end < 0) throw new Error("unterminated array");
    const inside = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    const parts = inside.split(",");
    if (parts.length > 1) {
      const branches = parts.map((part) => new PathParser(`[${part.trim()}]`).parse());
      this.#steps.push((values) =>
        branches.flatMap((steps) => values.flatMap((value) => run(steps, [value]))),
      );
      return;
    }
    const key = /^'([^']*)'$/.exec(inside)?.[1];
    if (key !== undefined) {
      this.#steps.push(...new PathParser(`.${key}`).parse());
      return;
    }
    const bounds = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/.exec(inside === "*" ? ":" : inside);
    if (!bounds) throw new Error(`invalid array index ${inside}`);
    const [start, end2, step] = bounds.slice(1).map(boundOf);
    const single = bounds[2] === undefined;
    const first = start ?? 0;
    this.#steps.push(slice(first, single ? first + 1 : end2, step ?? 1, single));
  }

  #filter(): void {
    const start = this.#at + "[?(".length;
    let quote = "";
    let end = start;
    for (; ; end++) {
      const character = this.#text.charAt(end);
      if (character === "" || character === "\n") throw new Error("unterminated filter");
      if (quote === "" && (character === '"' || character === "'")) quote = character;
      else if (character === quote && this.#text.charAt(end - 1) !== "\\") quote = "";
      else if (character === ")" && quote === "") break;
    }
    if (this.#text.charAt(end + 1) !== "]") throw new Error("unclosed array expect ]");
    const inside = this.#text.slice(start, end);
    this.#at = end + 2;
    const parts = /^([^!<>=]+)([!<>=]+)(.+?)$/.exec(inside);
    if (!parts) {
      this.#steps.push(exists(new PathParser(inside).parse()));
      return;
    }
    const [, left = "", operator = "", right = ""] = parts;
    const one = new PathParser(left).parse();
    this.#steps.push(filter(one, operator, new PathParser(right).parse()));
  }
}

function boundOf(text: string | undefined): number | undefined {
  const digits = text?.replace(/^:/, "") ?? "";
  if (digits === "") return undefined;
  const bound = Number(digits);
  if (!Number.isInteger(bound)) throw new Error(`array index ${digits} is not a number`);
  return bound;
}
