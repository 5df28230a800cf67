/**
 * YAML that people and programs hand over, read within bounds: as kubectl reads it, not as the strict parser wants
 * it. Every command reads through here, so that no text can take the stack or the memory.
 */
import { Composer, isNode, Lexer, LineCounter, type Node, Parser, type Document } from "yaml";
import { TsopError } from "../../../errors.ts";
import { MAX_DEPTH, YamlProblem, YamlValues } from "./yaml-values.ts";

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

/** A whole cluster's CRDs, 20 MB, have 3.5 million. */
const MAX_TOKENS = 5_000_000;

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
  const first = compose(text, from, 0, options);
  if (first.every(({ tree }) => tree.errors.length === 0)) return first.map(evaluated);
  const again = compose(withIndentedQuotes(text), from, INDENT.length, options);
  if (again.every(({ tree }) => tree.errors.length === 0)) return again.map(evaluated);
  return first.map((composed) => {
    const [error] = composed.tree.errors;
    if (!error) return evaluated(composed);
    throw composed.problem(error.pos[0], error.message.split("\n")[0] ?? "");
  });
}

/** A document whose syntax may be broken. */
interface Composed {
  readonly tree: Document.Parsed;
  readonly options: ReadOptions;
  readonly at: (offset: number) => string;
  readonly problem: (offset: number, what: string, fix?: string) => TsopError;
}

/** @param shift - by how many columns the text was moved to the right */
function compose(text: string, from: string, shift: number, options: ReadOptions): Composed[] {
  const lines = new LineCounter();
  const at = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${from}:${line}:${Math.max(col - shift, 1)}`;
  };
  const problem = (offset: number, what: string, ownFix = ""): TsopError => {
    const error = new TsopError(
      "broken-yaml",
      `${at(offset)} is not valid YAML: ${what.replace(/\.$/, "")}.`,
      ownFix === "" ? "Repair that line; nothing was written." : ownFix,
    );
    return options.code === undefined
      ? error
      : new TsopError(options.code, error.message, options.fix ?? error.fix);
  };
  // The duplicate keys are found where the values are read: the parser takes quadratic time for it.
  const composer = new Composer({ uniqueKeys: false, logLevel: "error" });
  const trees = composer.compose(
    boundedTokens(text, lines, problem, options.maxTokens ?? MAX_TOKENS),
  );
  return Array.from(trees, (tree) => ({ tree, options, at, problem }));
}

/** The parser's tokens, as long as they are not nested deeper than its composer's stack is. */
function* boundedTokens(
  text: string,
  lines: LineCounter,
  problem: (offset: number, what: string, fix: string) => TsopError,
  maxTokens: number,
): ReturnType<Parser["parse"]> {
  const parser = new Parser(lines.addNewLine);
  let count = 0;
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    if (++count > maxTokens) {
      const what = `it has more than ${maxTokens} tokens`;
      throw problem(parser.offset, what, "Split the file; nothing was written.");
    }
    yield* parser.next(lexeme);
    if (parser.stack.length > MAX_DEPTH) {
      const what = `it is nested deeper than ${MAX_DEPTH} levels`;
      throw problem(parser.offset, what, "Write it with fewer levels; nothing was written.");
    }
  }
  yield* parser.end();
}

function evaluated({ tree, options, at, problem }: Composed): YamlDocument {
  try {
    const value = new YamlValues().read(tree.contents);
    const placeOf = (path: ValuePath): string => {
      const node = nearest(tree, path);
      return at(node?.range?.[0] ?? 0);
    };
    return { value, tree, placeOf };
  } catch (thrown) {
    if (!(thrown instanceof YamlProblem)) throw thrown;
    throw problem(thrown.offset, thrown.message, options.fix ?? thrown.fix);
  }
}

function nearest(tree: Document.Parsed, path: ValuePath): Node | undefined {
  for (let length = path.length; length > 0; length--) {
    const node: unknown = tree.getIn(path.slice(0, length), true);
    if (isNode(node)) return node;
  }
  return tree.contents ?? undefined;
}

/**
 * An indentation deeper than any key; blanks at the start of a quoted text's lines mean nothing.
 */
const INDENT = " ".repeat(200);

/**
 * Indents quoted texts, which Go's parser takes at the indentation of their own key, or left of it;
 * indented more, they mean the same to every parser.
 */
function withIndentedQuotes(text: string): string {
  let quote: string | undefined;
  return text
    .split("\n")
    .map((line) => {
      const before = quote;
      const start =
        before === undefined ? /^\s*(?:- +)*[^\s'"#][^'"#]*: +(?=['"])/.exec(line) : null;
      const from = start ? start[0].length : 0;
      if (start) quote = line[from];
      if (quote !== undefined && isClosed(line.slice(start ? from + 1 : 0), quote))
        quote = undefined;
      return before === undefined || line.trim() === "" ? line : INDENT + line;
    })
    .join("\n");
}

/** Whether a quoted text ends in this line. */
function isClosed(line: string, quote: string): boolean {
  const rest = quote === "'" ? line.replaceAll("''", "") : line.replaceAll(/\\./g, "");
  return rest.includes(quote);
}
