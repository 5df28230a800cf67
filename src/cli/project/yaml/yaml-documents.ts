/**
 * YAML that people and programs hand over, read within bounds: as kubectl reads it, not as the strict parser wants
 * it. Every command reads through here, so that no text can take the stack or the memory.
 */
import { type Document, isNode, LineCounter, type Node } from "yaml";
import { TsopError } from "../../../errors.ts";
import { present } from "../../../present.ts";
import {
  CORE_RULES,
  parseYaml,
  type YamlFault,
  type YamlLimits,
  YamlProblem,
  YamlValues,
} from "../../../kube/text/bounded-yaml.ts";

/** The path of a value: fields and indexes. */
export type ValuePath = readonly (string | number)[];

/** A document of a YAML text. */
export interface YamlDocument {
  /** The value: plain JSON, of which no two places share an object. */
  readonly value: unknown;
  /** The syntax tree, for those who edit it. */
  readonly tree: Document.Parsed;
  /**
   * The position of the value at the path, or of the nearest around it that is there:
   * `file:line:column`.
   */
  placeOf(path: ValuePath): string;
}

/** The words in which a reader reports a text that it cannot read. */
interface ReadOptions {
  /** The code of the error. */
  readonly code?: string;
  /** The next step of the user. */
  readonly fix?: string;
  /** How many tokens the text may have. */
  readonly maxTokens?: number;
}

const LIMITS: YamlLimits = {
  // A whole cluster's CRDs, 20 MB, have 3.5 million.
  tokens: 5_000_000,
  // CRDs have about a hundred levels at most.
  depth: 500,
  aliased: 200_000,
};
const REPAIR = "Repair that line; nothing was written.";
const WRITE_OUT = "Write the values out in place of the aliases; nothing was written.";

/** The words of each problem, and the next step of the user where it is not to repair the line. */
const FAULTS: Readonly<
  Record<YamlFault, (about: string, limits: YamlLimits) => readonly [what: string, fix?: string]>
> = {
  tokens: (_, { tokens }) => [
    `it has more than ${tokens} tokens`,
    "Split the file; nothing was written.",
  ],
  depth: (_, { depth }) => [
    `it is nested deeper than ${depth} levels`,
    "Write it with fewer levels; nothing was written.",
  ],
  aliased: (_, { aliased }) => [`its aliases expand to more than ${aliased} values`, WRITE_OUT],
  "unknown anchor": (name) => [`there is no anchor \`${name}\` before this alias`],
  "circular anchor": (name) => [`the anchor \`${name}\` contains itself`, WRITE_OUT],
  merge: () => ["`<<` takes a mapping, or a list of mappings"],
  key: () => ["a key is a list or a mapping, but a string is expected"],
  "repeated key": (name) => [`the key \`${name}\` is there twice`],
};

/**
 * The values of the documents of a YAML or JSON text; those that are empty are left out.
 *
 * @param from - where the text is from, for errors
 * @throws TsopError `broken-yaml` with the position
 */
export function readDocuments(text: string, from: string): unknown[] {
  return readYaml(text, from)
    .map(({ value }) => value)
    .filter((value) => value !== null && value !== undefined);
}

/**
 * The documents of a YAML or JSON text.
 *
 * @param from - where the text is from, for errors
 * @throws TsopError `broken-yaml`, or the code of the options, with the position
 */
export function readYaml(text: string, from: string, options: ReadOptions = {}): YamlDocument[] {
  const first = compose(text, from, [], options);
  if (first.every(({ tree }) => tree.errors.length === 0)) return first.map(evaluated);
  const indented = withIndentedQuotes(text);
  if (indented) {
    const again = compose(indented.text, from, indented.shifts, options);
    if (again.every(({ tree }) => tree.errors.length === 0)) return again.map(evaluated);
  }
  return first.map((composed) => {
    const [error] = composed.tree.errors;
    if (!error) return evaluated(composed);
    throw composed.problem(error.pos[0], error.message.split("\n")[0] ?? "");
  });
}

/** A document whose syntax may be broken. */
interface Composed {
  readonly tree: Document.Parsed;
  readonly at: (offset: number) => string;
  readonly problem: (offset: number, what: string, fix?: string) => TsopError;
  readonly value: () => unknown;
}

/** @param shifts - by how many columns each line was moved to the right; lines without an entry were not */
function compose(
  text: string,
  from: string,
  shifts: readonly number[],
  options: ReadOptions,
): Composed[] {
  const lines = new LineCounter();
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${from}:${line}:${Math.max(col - (shifts[line - 1] ?? 0), 1)}`;
  };
  const problem = (offset: number, what: string, ownFix = REPAIR): TsopError =>
    new TsopError(
      options.code ?? "broken-yaml",
      `${at(offset)} is not valid YAML: ${what.replace(/\.$/, "")}.`,
      options.fix ?? ownFix,
    );
  const limits = { ...LIMITS, ...present({ tokens: options.maxTokens }) };
  const inOwnWords = <T>(read: () => T): T => {
    try {
      return read();
    } catch (error) {
      if (!(error instanceof YamlProblem)) throw error;
      throw problem(error.offset, ...FAULTS[error.fault](error.about, limits));
    }
  };
  const value = (tree: Document.Parsed): unknown =>
    new YamlValues(limits, CORE_RULES).read(tree.contents);
  const trees = inOwnWords(() => [...parseYaml(text, lines, { limits })]);
  return trees.map((tree) => ({ tree, at, problem, value: () => inOwnWords(() => value(tree)) }));
}

function evaluated({ tree, at, value }: Composed): YamlDocument {
  const placeOf = (path: ValuePath): string => at(nearest(tree, path)?.range?.[0] ?? 0);
  return { value: value(), tree, placeOf };
}

function nearest(tree: Document.Parsed, path: ValuePath): Node | undefined {
  for (let length = path.length; length > 0; length--) {
    const node: unknown = tree.getIn(path.slice(0, length), true);
    if (isNode(node)) return node;
  }
  return tree.contents ?? undefined;
}

/** A text whose quoted texts are indented, and by how many columns each of its lines was moved. */
interface Indented {
  readonly text: string;
  readonly shifts: readonly number[];
}

/** What the indentation may add to a text, beside its own length. */
const MORE_CHARACTERS = 64 * 1024;

/**
 * Indents quoted texts, which Go's parser takes at the indentation of their own key, or left of it; indented more, they
 * mean the same to every parser. `undefined` where there are none, or where the text would be more than twice as long:
 * many lines of a deep key.
 */
function withIndentedQuotes(text: string): Indented | undefined {
  let quote: string | undefined;
  let indentation = 0;
  let left = text.length + MORE_CHARACTERS;
  const shifts: number[] = [];
  const lines: string[] = [];
  for (const line of text.split("\n")) {
    const before = quote;
    const start =
      before === undefined ? /^(\s*(?:- +)*)[^\s'"#][^'"#]*: +(?=['"])/.exec(line) : null;
    const from = start ? start[0].length : 0;
    if (start) {
      quote = line[from];
      indentation = (start[1] ?? "").length + 1;
    }
    if (quote !== undefined && isClosed(line.slice(start ? from + 1 : 0), quote)) quote = undefined;
    const isMoved = before !== undefined && line.trim() !== "";
    if (isMoved) left -= indentation;
    if (left < 0) return undefined;
    shifts.push(isMoved ? indentation : 0);
    lines.push(isMoved ? " ".repeat(indentation) + line : line);
  }
  return shifts.some((shift) => shift > 0) ? { text: lines.join("\n"), shifts } : undefined;
}

/** Whether a quoted text ends in this line. */
function isClosed(line: string, quote: string): boolean {
  const rest = quote === "'" ? line.replaceAll("''", "") : line.replaceAll(/\\./g, "");
  return rest.includes(quote);
}
