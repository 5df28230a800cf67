/**
 * YAML as the API server reads it: YAML 1.1 turned into JSON by the rules of sigs.k8s.io/yaml.
 *
 * `yes`, `on` and `y` are booleans (as keys too), `010` is 8, `0o17` 15, `1_0` 10; times, dates and
 * `1:20` stay texts. Only the first document counts.
 *
 * @see https://pkg.go.dev/sigs.k8s.io/yaml
 */
import { capitalized } from "../../../kube/text/capitalized.ts";
import {
  Composer,
  type CST,
  LineCounter,
  type Node,
  type Pair,
  type YAMLMap,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Lexer,
  Parser,
} from "yaml";
import { quote } from "../../../kube/field-errors.ts";
import { getField, isJsonObject, setField } from "../../../kube/json.ts";
import type { JsonObject } from "../../../kube/object.ts";
import { NumberLiteral } from "../json/number-literal.ts";
import { WireError } from "../json/wire-error.ts";
import {
  type MistakenText,
  characterMistake,
  escapeMistake,
  explainMistake,
} from "./yaml-mistakes.ts";

/** Decoded YAML; `problems` are duplicate keys: `line 4: key "k" already set in map`. */
export interface ReadYaml {
  readonly value: unknown;
  readonly problems: readonly string[];
}

/**
 * The deepest nesting. The composer is recursive, several calls deep for each level; the stack
 * holds some 900 levels.
 */
const MAX_DEPTH = 500;
/** The most lexemes. The parser takes two microseconds and 200 bytes for each. */
const MAX_LEXEMES = 500_000;
const MAX_MISTAKES = 100;
/** The most nodes of the value: aliases of aliases can make a short text huge. */
const MAX_NODES = 500_000;

const tooDeep = (): WireError => new WireError(`yaml: exceeded max depth of ${MAX_DEPTH}`);

/**
 * Reads the first document of a UTF-8 text.
 *
 * @throws WireError for invalid YAML, and YAML that cannot become JSON; the message is go-yaml's
 *   for common mistakes
 */
export function readYaml(bytes: Buffer): ReadYaml {
  const text = bytes.toString("utf8");
  const strange = characterMistake(bytes, text);
  if (strange !== undefined) throw new WireError(strange);
  const lines = new LineCounter();
  const tokens = parseTokens(text, lines);
  checkTokens(tokens, { text, lines });
  const composer = new Composer({
    schema: "failsafe",
    version: "1.1",
    uniqueKeys: false,
    logLevel: "silent",
  });
  const [first] = composer.compose(tokens, false, text.length);
  if (!first) return { value: null, problems: [] };
  const [mistake] = first.errors;
  const broken = mistake ?? first.warnings.find(({ code }) => code === "BAD_DIRECTIVE");
  if (broken?.code === "RESOURCE_EXHAUSTION") throw tooDeep();
  if (broken) throw new WireError(explainMistake(broken, { text, lines }));
  const reader = new YamlReader(lines);
  return { value: reader.read(first.contents, 0), problems: reader.problems };
}

/**
 * Parses the first document within bounds: the parser's time and memory can be many times the size
 * of a short text.
 *
 * @throws WireError
 */
function parseTokens(text: string, lines: LineCounter): CST.Token[] {
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  let lexemes = 0;
  let mistakes = 0;
  let isWhole = false;
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    if (++lexemes > MAX_LEXEMES) {
      throw new WireError(`yaml: document has more than ${MAX_LEXEMES} tokens`);
    }
    for (const token of parser.next(lexeme)) {
      tokens.push(token);
      isWhole ||= token.type === "document";
      if (token.type === "error") mistakes++;
    }
    // Only the first mistake is reported.
    if (mistakes > MAX_MISTAKES) break;
    if (parser.stack.length > MAX_DEPTH + 1) throw tooDeep();
    // The rest of the text belongs to other documents.
    if (isWhole && lexeme === DOCUMENT_START) return tokens;
  }
  tokens.push(...parser.end());
  return tokens;
}

const DOCUMENT_START = "---";

/**
 * Checks the nesting and the escapes of the tokens. Composing is recursive, so that deep nesting
 * would exhaust the stack, and it accepts escapes of half a character.
 *
 * @throws WireError
 */
function checkTokens(tokens: readonly CST.Token[], where: MistakenText): void {
  const open = tokens.map((token) => ({ token, depth: 0 }));
  for (let next = open.pop(); next; next = open.pop()) {
    const { token, depth } = next;
    if (depth > MAX_DEPTH) throw tooDeep();
    const mistake = escapeMistake(token, where);
    if (mistake !== undefined) throw new WireError(mistake);
    if (token.type === "document" && token.value) open.push({ token: token.value, depth });
    if (!("items" in token)) continue;
    for (const { key, value } of token.items) {
      if (key) open.push({ token: key, depth: depth + 1 });
      if (value) open.push({ token: value, depth: depth + 1 });
    }
  }
}

class YamlReader {
  readonly problems: string[] = [];
  readonly #lines: LineCounter;
  /** Nodes by the anchors seen so far: an alias refers to the last one before it. */
  readonly #anchors = new Map<string, Node>();
  /** The nodes of the aliases that are being expanded. */
  readonly #expanded = new Set<Node>();
  #nodes = 0;

  constructor(lines: LineCounter) {
    this.#lines = lines;
  }

  read(node: unknown, depth: number): unknown {
    if (depth > MAX_DEPTH) throw tooDeep();
    if (++this.#nodes > MAX_NODES)
      throw new WireError("yaml: document contains excessive aliasing");
    if (isAlias(node)) return this.#alias(node.source, depth);
    if (isNode(node) && node.anchor !== undefined) this.#anchors.set(node.anchor, node);
    if (isMap(node)) return this.#map(node, depth);
    if (isSeq(node)) return node.items.map((item) => this.read(item, depth + 1));
    return isScalar(node) ? readScalar(node) : null;
  }

  #alias(anchor: string, depth: number): unknown {
    const node = this.#anchors.get(anchor);
    if (!node) throw new WireError(`yaml: unknown anchor '${anchor}' referenced`);
    if (this.#expanded.has(node)) {
      throw new WireError(`yaml: anchor '${anchor}' value contains itself`);
    }
    this.#expanded.add(node);
    const value = this.read(node, depth + 1);
    this.#expanded.delete(node);
    return value;
  }

  #map(node: YAMLMap, depth: number): JsonObject {
    const map: JsonObject = {};
    for (const pair of node.items) {
      if (isScalar(pair.key) && pair.key.type === "PLAIN" && pair.key.value === "<<") {
        this.#mergeIn(map, pair, depth);
        continue;
      }
      const key = this.#key(pair.key, depth);
      const value = this.read(pair.value, depth + 1);
      if (Object.hasOwn(map, key.text)) {
        this.problems.push(`line ${this.#lineOf(pair.key)}: key ${key.shown} already set in map`);
      }
      setField(map, key.text, value);
    }
    return map;
  }

  #mergeIn(map: JsonObject, pair: Pair, depth: number): void {
    const merged = this.read(pair.value, depth + 1);
    for (const source of Array.isArray(merged) ? merged.toReversed() : [merged]) {
      if (!isJsonObject(source)) {
        throw new WireError("yaml: map merge requires map or sequence of maps as the value");
      }
      for (const key of Object.keys(source)) {
        if (!Object.hasOwn(map, key)) setField(map, key, getField(source, key));
      }
    }
  }

  #lineOf(node: unknown): number {
    const offset = (node as { range?: readonly number[] } | null)?.range?.[0] ?? 0;
    return this.#lines.linePos(offset).line;
  }

  /** A key as JSON has it, and as messages show it. */
  #key(node: unknown, depth: number): { readonly text: string; readonly shown: string } {
    const value = this.read(node, depth + 1);
    if (typeof value === "string") return { text: value, shown: quote(value) };
    if (typeof value === "number" || typeof value === "boolean") {
      return { text: String(value), shown: String(value) };
    }
    const type = value === null ? "nil" : Array.isArray(value) ? "slice" : "map";
    throw new WireError(`unsupported map key of type: ${type}`);
  }
}

const WORDS: ReadonlyMap<string, boolean | null> = new Map<string, boolean | null>([
  ...spellings(true, "y", "yes", "on", "true"),
  ...spellings(false, "n", "no", "off", "false"),
  ...spellings(null, "~", "null"),
  ["", null],
]);

function spellings<T>(value: T, ...words: readonly string[]): [string, T][] {
  return words.flatMap((word) => {
    const capital = capitalized(word);
    return [word, capital, word.toUpperCase()].map((form): [string, T] => [form, value]);
  });
}

interface ScalarNode {
  readonly value: unknown;
  readonly type?: string | undefined;
  readonly tag?: string | undefined;
}

function readScalar({ value, type, tag }: ScalarNode): unknown {
  const text = typeof value === "string" ? value : "";
  const kind = tag?.replace("tag:yaml.org,2002:", "!!");
  if (kind === "!!binary") return readBinary(text);
  if (kind === "!!str" || kind === "!") return text;
  const wanted = TYPED.has(kind ?? "") ? kind : undefined;
  const plain = type === "PLAIN" || type === undefined || wanted !== undefined;
  const read = plain ? resolvePlain(text) : text;
  if (wanted !== undefined && !isOfType(read, wanted)) {
    throw new WireError(`yaml: cannot decode ${typeOf(read)} \`${text}\` as a ${wanted}`);
  }
  return read;
}

const TYPED: ReadonlySet<string> = new Set(["!!int", "!!float", "!!bool", "!!null"]);

function typeOf(value: unknown): string {
  if (value === null) return "!!null";
  if (typeof value === "boolean") return "!!bool";
  if (typeof value === "number") return Number.isInteger(value) ? "!!int" : "!!float";
  return value instanceof NumberLiteral ? "!!int" : "!!str";
}

/** Whether a value is of a type; a whole number also counts as a float. */
const isOfType = (value: unknown, kind: string): boolean =>
  typeOf(value) === kind || (kind === "!!float" && typeOf(value) === "!!int");

function readBinary(text: string): string {
  const encoded = text.replace(/[\r\n]/g, "");
  if (!/^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/.test(encoded)) {
    throw new WireError("yaml: !!binary value contains invalid base64 data");
  }
  return Buffer.from(encoded, "base64").toString("utf8");
}

/** The value of a plain scalar in YAML 1.1, by go-yaml's rules. */
function resolvePlain(text: string): unknown {
  const word = WORDS.get(text);
  if (word !== undefined) return word;
  if (/^[-+]?\.inf$/i.test(text) || /^\.nan$/i.test(text)) {
    const shown = /nan/i.test(text) ? "NaN" : text.startsWith("-") ? "-Inf" : "+Inf";
    throw new WireError(`json: unsupported value: ${shown}`);
  }
  if (!/^[-+.\d]/.test(text)) return text;
  const plain = text.replaceAll("_", "");
  const whole = parseWhole(plain);
  if (whole !== undefined) return whole;
  return /^[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?$/.test(plain) ? float(Number(plain)) : text;
}

const MAX_DIGITS = 1100;

const RADIX: readonly (readonly [pattern: RegExp, prefix: string])[] = [
  [/^0[xX]([\da-fA-F]+)$/, "0x"],
  [/^0[bB]([01]+)$/, "0b"],
  [/^0[oO]?([0-7]+)$/, "0o"],
];

/** A float as JSON writes it: whole ones up to 1e21 have all their digits. */
function float(value: number): number | NumberLiteral {
  const isLong = Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21;
  return isLong ? new NumberLiteral(BigInt(value).toString()) : value;
}

function parseWhole(text: string): number | NumberLiteral | undefined {
  const sign = text.startsWith("-") ? "-" : "";
  const digits = text.replace(/^[-+]/, "");
  // The number exceeds every float, and exact arithmetic would take minutes to find that.
  if (digits.length > MAX_DIGITS) return undefined;
  if (/^(0|[1-9]\d*)$/.test(digits)) return whole(BigInt(sign + digits));
  for (const [pattern, prefix] of RADIX) {
    const match = pattern.exec(digits);
    const value = BigInt(prefix + (match?.[1] ?? "0"));
    if (match) return whole(sign === "" ? value : -value);
  }
  return undefined;
}

/** Integers beyond 64 bits are floats. */
function whole(value: bigint): number | NumberLiteral {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  return value >= -(2n ** 63n) && value < 2n ** 64n
    ? new NumberLiteral(value.toString())
    : float(number);
}
