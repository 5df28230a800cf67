/**
 * YAML or JSON of a file that anybody may have written, in bounded time and memory.
 *
 * Messages say the place and never the text there: it may be a password.
 *
 * @module
 */
import { isAlias, isScalar, LineCounter, parseDocument, visit, type Document } from "yaml";
import { messageOf } from "../../errors.ts";
import type { FieldPath } from "./field.ts";

/** The text of a file cannot be read as YAML. */
export class YamlTextError extends Error {
  override readonly name = "YamlTextError";
}

/** A file as plain data. */
export interface YamlText {
  readonly value: unknown;
  /** The line of a field; `undefined` when it cannot be told. Lines count from 1. */
  lineOf(path: FieldPath): number | undefined;
}

// A file with a thousand clusters and their certificates has four.
const MAX_BYTES = 32 * 1024 * 1024;
// The deepest field of a kubeconfig is at nine; extensions may hold something of their own.
const MAX_DEPTH = 100;

/** @throws YamlTextError */
export function readYamlText(text: string): YamlText {
  if (text.length > MAX_BYTES) {
    throw new YamlTextError(`it is larger than ${MAX_BYTES / 2 ** 20} MiB`);
  }
  const json = parseJson(text);
  if (json !== undefined) {
    if (isDeep(json)) throw tooDeep();
    let yaml: Parsed | undefined;
    return { value: json, lineOf: (path) => lineIn(() => (yaml ??= parseYaml(text)), path) };
  }
  const parsed = parseYaml(text);
  const value = toValue(parsed.document);
  if (isDeep(value)) throw tooDeep();
  return { value, lineOf: (path) => lineIn(() => parsed, path) };
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
    document = parseDocument(text, {
      lineCounter: lines,
      prettyErrors: false,
      merge: true,
      logLevel: "silent",
      // The parser compares each key with each other.
      uniqueKeys: false,
    });
  } catch (error) {
    throw error instanceof RangeError ? tooDeep() : broken(error);
  }
  const [mistake] = document.errors;
  if (!mistake) {
    checkKeys(document, lines);
    return { document, lines };
  }
  const { line } = lines.linePos(mistake.pos[0]);
  const what =
    mistake.code === "MULTIPLE_DOCS"
      ? "it has several documents, and a kubeconfig is one"
      : `line ${line} is not YAML (${mistake.code.toLowerCase().replaceAll("_", " ")})`;
  throw new YamlTextError(what);
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
          throw new YamlTextError(`line ${line} has a key that the mapping already has`);
        }
        seen.add(key.value);
      }
    },
  });
}

/** What the parser throws are aliases that mean themselves, nothing, or too much. */
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
 * The parser is recursive and slow where much is nested: `- - - -` doubles its work with each dash. So what opens
 * collections is counted before. Marks inside of quotes count as well; no file has that many on a line.
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

function lineIn(parse: () => Parsed, path: FieldPath): number | undefined {
  try {
    const { document, lines } = parse();
    let line: number | undefined;
    // The last step that can be found: what is missing would stand there.
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
