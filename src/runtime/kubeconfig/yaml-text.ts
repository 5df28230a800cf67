/**
 * YAML or JSON of a file from an unknown author, in bounded time and memory.
 *
 * Messages name the place and never the text there: it may be a password.
 */
import { type Document, isAlias, LineCounter } from "yaml";
import {
  CORE_RULES,
  parseYaml,
  type YamlFault,
  YamlProblem,
  YamlValues,
} from "../../kube/text/bounded-yaml.ts";
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
const LIMITS = {
  // A thousand clusters with their users and contexts have a quarter. Each may be a mistake, which
  // costs ten microseconds.
  tokens: 500_000,
  // The deepest field of a kubeconfig is at nine; extensions may hold something of their own.
  depth: 100,
  aliased: 100_000,
};
const TOO_DEEP = `it is nested deeper than ${LIMITS.depth} levels`;
const BAD_ALIAS = "it has an alias that cannot be resolved";
const FAULTS: Readonly<Record<YamlFault, (line: number) => string>> = {
  tokens: () => `it has more than ${LIMITS.tokens} tokens`,
  depth: () => TOO_DEEP,
  aliased: () => BAD_ALIAS,
  "unknown anchor": () => BAD_ALIAS,
  "circular anchor": () => BAD_ALIAS,
  merge: () => "it has a merge that cannot be resolved",
  key: () => "it is not YAML",
  "repeated key": (line) => `line ${line} repeats a key of its mapping`,
};

/** @throws YamlTextError */
export function readYamlText(text: string): YamlText {
  if (text.length > MAX_BYTES) {
    throw new YamlTextError(`it is larger than ${MAX_BYTES / 2 ** 20} MiB`);
  }
  const json = parseJson(text);
  if (json !== undefined) {
    if (isDeep(json)) throw new YamlTextError(TOO_DEEP);
    let lines: JsonLines | undefined;
    return { value: json, lineOf: (path) => (lines ??= new JsonLines(text)).lineOf(path) };
  }
  const lines = new LineCounter();
  try {
    return readDocument(text, lines);
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error;
    const message = FAULTS[error.fault](lines.linePos(error.offset).line);
    throw new YamlTextError(message, { cause: error });
  }
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

function readDocument(text: string, lines: LineCounter): YamlText {
  const refuse = (code: string, offset: number): never => {
    const { line } = lines.linePos(offset);
    const reason = code.toLowerCase().replaceAll("_", " ");
    throw new YamlTextError(`line ${line} is not YAML (${reason})`);
  };
  const [document] = parseYaml(text, lines, {
    limits: LIMITS,
    firstDocument: true,
    *inspect(tokens) {
      for (const token of tokens) {
        if (token.type === "error") refuse("BAD_TOKEN", token.offset);
        yield token;
      }
    },
  });
  if (!document) return { value: null, lineOf: () => undefined };
  const [mistake] = document.errors;
  if (mistake) refuse(mistake.code, mistake.pos[0]);
  const value = new YamlValues(LIMITS, CORE_RULES).read(document.contents);
  return { value, lineOf: (path) => lineIn(document, lines, path) };
}

function isDeep(value: unknown): boolean {
  const open = [{ value, depth: 0 }];
  const seen = new Set<object>();
  for (let next = open.pop(); next; next = open.pop()) {
    const { value: one, depth } = next;
    if (typeof one !== "object" || one === null || seen.has(one)) continue;
    if (depth > LIMITS.depth) return true;
    seen.add(one);
    for (const child of Object.values(one)) open.push({ value: child, depth: depth + 1 });
  }
  return false;
}

function lineIn(document: Document, lines: LineCounter, path: FieldPath): number | undefined {
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
