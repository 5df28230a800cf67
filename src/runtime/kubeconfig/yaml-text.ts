/**
 * YAML or JSON of a file from an unknown author, in bounded time and memory.
 *
 * Messages name the place and never the text there: it may be a password.
 */
import {
  Composer,
  isAlias,
  isScalar,
  Lexer,
  LineCounter,
  Parser,
  visit,
  type Document,
} from "yaml";
import { messageOf } from "../../errors.ts";
import type { FieldPath } from "./field.ts";
import { JsonLines } from "./json-lines.ts";

export class YamlTextError extends Error {
  override readonly name = "YamlTextError";
}

/** A file as plain data. */
export interface YamlText {
  readonly value: unknown;
  /** The line of a field; `undefined` when it is unknown. Lines count from 1. */
  lineOf(path: FieldPath): number | undefined;
}

// A file with a thousand clusters and their certificates has four megabytes.
const MAX_BYTES = 32 * 1024 * 1024;
// The deepest field of a kubeconfig is at nine; extensions may hold something of their own.
const MAX_DEPTH = 100;
// A thousand clusters with their users and contexts have a quarter. Each may be a mistake, which
// costs ten microseconds.
const MAX_TOKENS = 500_000;

/** @throws YamlTextError */
export function readYamlText(text: string): YamlText {
  if (text.length > MAX_BYTES) {
    throw new YamlTextError(`it is larger than ${MAX_BYTES / 2 ** 20} MiB`);
  }
  const json = parseJson(text);
  if (json !== undefined) {
    if (isDeep(json)) throw tooDeep();
    let lines: JsonLines | undefined;
    return { value: json, lineOf: (path) => (lines ??= new JsonLines(text)).lineOf(path) };
  }
  const parsed = parseYaml(text);
  const value = toValue(parsed.document);
  if (isDeep(value)) throw tooDeep();
  return { value, lineOf: (path) => lineIn(parsed, path) };
}

interface Parsed {
  readonly document: Document;
  readonly lines: LineCounter;
}

/** Most programs that write kubeconfigs for others write JSON, which is read much faster. */
function parseJson(text: string): unknown {
  if (!/^\s*\{/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseYaml(text: string): Parsed {
  checkNesting(text);
  const lines = new LineCounter();
  let document: Document;
  try {
    document = firstDocument(text, lines);
  } catch (error) {
    if (error instanceof YamlTextError) throw error;
    throw error instanceof RangeError ? tooDeep() : broken(error);
  }
  const [mistake] = document.errors;
  if (mistake) throw notYaml(mistake.code, lines.linePos(mistake.pos[0]).line);
  checkKeys(document, lines);
  return { document, lines };
}

/** Go reads only the first document too, and ignores the rest. */
function firstDocument(text: string, lines: LineCounter): Document {
  // The composer compares each key with each other, so that is left to `checkKeys`.
  const composer = new Composer({ merge: true, logLevel: "silent", uniqueKeys: false });
  for (const document of composer.compose(firstTokens(text, lines), true, text.length))
    return document;
  throw new YamlTextError("it is not YAML");
}

/**
 * The tokens of the first document.
 *
 * @throws YamlTextError at the first invalid token
 */
function* firstTokens(text: string, lines: LineCounter): ReturnType<Parser["parse"]> {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  let count = 0;
  let whole = false;
  for (const lexeme of new Lexer().lex(text)) {
    if (++count > MAX_TOKENS) throw new YamlTextError(`it has more than ${MAX_TOKENS} tokens`);
    for (const token of parser.next(lexeme)) {
      if (token.type === "error") throw notYaml("BAD_TOKEN", lines.linePos(token.offset).line);
      yield token;
      whole ||= token.type === "document";
    }
    if (whole && (lexeme === "---" || lexeme === "...")) return;
  }
  yield* parser.end();
}

function notYaml(code: string, line: number): YamlTextError {
  return new YamlTextError(`line ${line} is not YAML (${code.toLowerCase().replaceAll("_", " ")})`);
}

function toValue(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 1000 });
  } catch (error) {
    throw error instanceof RangeError ? tooDeep() : broken(error);
  }
}

function checkKeys(document: Document, lines: LineCounter): void {
  visit(document, {
    Map(_key, map) {
      const seen = new Set<unknown>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        if (seen.has(key.value)) {
          const { line } = lines.linePos(key.range?.[0] ?? 0);
          throw new YamlTextError(`line ${line} repeats a key of its mapping`);
        }
        seen.add(key.value);
      }
    },
  });
}

/** The parser throws for aliases that refer to themselves, to nothing, or to too much. */
function broken(error: unknown): YamlTextError {
  const what = /alias|anchor|merge/i.exec(messageOf(error))?.[0].toLowerCase();
  return new YamlTextError(
    what === undefined ? "it is not YAML" : `it has an ${what} that cannot be resolved`,
    { cause: error },
  );
}

function tooDeep(): YamlTextError {
  return new YamlTextError(`it is nested deeper than ${MAX_DEPTH} levels`);
}

/**
 * Counts the characters that open collections, before parsing: the parser is recursive, and slow
 * for deep nesting, as `- - - -` doubles its work with each dash. Characters inside of quotes count
 * as well; no file has that many on a line.
 */
function checkNesting(text: string): void {
  let open = 0;
  let onLine = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === NEWLINE) onLine = 0;
    else if (code === OPEN_BRACKET || code === OPEN_BRACE) open += 1;
    else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) open = Math.max(0, open - 1);
    else if (isIndicator(code) && isBlank(text.charCodeAt(at + 1))) onLine += 1;
    if (open > MAX_DEPTH || onLine > MAX_DEPTH) throw tooDeep();
  }
}

const NEWLINE = 10;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
// - ? :
const isIndicator = (code: number): boolean => code === 45 || code === 63 || code === 58;
const isBlank = (code: number): boolean => code === 32 || code === 9;

function isDeep(value: unknown): boolean {
  const open = [{ value, depth: 0 }];
  const seen = new Set<object>();
  for (let next = open.pop(); next; next = open.pop()) {
    const { value: one, depth } = next;
    if (typeof one !== "object" || one === null || seen.has(one)) continue;
    if (depth > MAX_DEPTH) return true;
    seen.add(one);
    for (const child of Object.values(one)) open.push({ value: child, depth: depth + 1 });
  }
  return false;
}

function lineIn({ document, lines }: Parsed, path: FieldPath): number | undefined {
  try {
    let line: number | undefined;
    // The last step that exists: a missing field would be there.
    for (let length = 0; length <= path.length; length++) {
      let node: unknown =
        length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
      if (isAlias(node)) node = node.resolve(document);
      const start = (node as { range?: readonly number[] | null } | null | undefined)?.range?.[0];
      if (start === undefined) break;
      line = lines.linePos(start).line;
    }
    return line;
  } catch {
    return undefined;
  }
}
