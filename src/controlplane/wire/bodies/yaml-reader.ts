/**
 * YAML as the API server reads it: YAML 1.1 turned into JSON by the rules of sigs.k8s.io/yaml.
 *
 * `yes`, `on` and `y` are booleans (as keys too), `010` is 8, `0o17` 15, `1_0` 10; times, dates and
 * `1:20` stay texts. Only the first document counts.
 *
 * @see https://pkg.go.dev/sigs.k8s.io/yaml
 */
import { capitalized } from "../../../kube/text/capitalized.ts";
import { type CST, LineCounter } from "yaml";
import { quote } from "../../../kube/field-errors.ts";
import {
  parseYaml,
  type YamlFault,
  YamlProblem,
  YamlValues,
} from "../../../kube/text/bounded-yaml.ts";
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

const LIMITS = {
  // The parser takes two microseconds and 200 bytes for each.
  tokens: 500_000,
  // The composer is recursive, several calls deep for each level; the stack holds some 900 levels.
  depth: 500,
  aliased: 500_000,
};
const FAULTS: Readonly<Partial<Record<YamlFault, (about: string) => string>>> = {
  tokens: () => `document has more than ${LIMITS.tokens} tokens`,
  depth: () => `exceeded max depth of ${LIMITS.depth}`,
  aliased: () => "document contains excessive aliasing",
  "unknown anchor": (name) => `unknown anchor '${name}' referenced`,
  "circular anchor": (name) => `anchor '${name}' value contains itself`,
  merge: () => "map merge requires map or sequence of maps as the value",
};

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
  const where = { text, lines: new LineCounter() };
  try {
    return readDocument(where);
  } catch (error) {
    if (!(error instanceof YamlProblem)) throw error;
    throw new WireError(`yaml: ${FAULTS[error.fault]?.(error.about) ?? error.message}`);
  }
}

function readDocument(where: MistakenText): ReadYaml {
  const { text, lines } = where;
  const [document] = parseYaml(text, lines, {
    limits: LIMITS,
    firstDocument: true,
    schema: "failsafe",
    version: "1.1",
    *inspect(tokens) {
      for (const token of tokens) {
        checkEscapes(token, where);
        yield token;
      }
    },
  });
  if (!document) return { value: null, problems: [] };
  const [mistake] = document.errors;
  const broken = mistake ?? document.warnings.find(({ code }) => code === "BAD_DIRECTIVE");
  if (broken?.code === "RESOURCE_EXHAUSTION") throw new YamlProblem("depth", broken.pos[0]);
  if (broken) throw new WireError(explainMistake(broken, where));
  const problems: string[] = [];
  const values = new YamlValues(LIMITS, {
    scalar: readScalar,
    key: readKey,
    repeated: ({ offset }, key) => {
      const shown = typeof key === "string" ? quote(key) : String(key);
      problems.push(`line ${lines.linePos(offset).line}: key ${shown} already set in map`);
    },
    strictMerge: true,
  });
  return { value: values.read(document.contents), problems };
}

/**
 * Checks the escapes of a token: the composer accepts those of half a character.
 *
 * @throws WireError
 */
function checkEscapes(token: CST.Token, where: MistakenText): void {
  const open = [token];
  for (let next = open.pop(); next; next = open.pop()) {
    const mistake = escapeMistake(next, where);
    if (mistake !== undefined) throw new WireError(mistake);
    if (next.type === "document" && next.value) open.push(next.value);
    if (!("items" in next)) continue;
    for (const { key, value } of next.items) {
      if (key) open.push(key);
      if (value) open.push(value);
    }
  }
}

function readKey(value: unknown): string {
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  const type = value === null ? "nil" : Array.isArray(value) ? "slice" : "map";
  throw new WireError(`unsupported map key of type: ${type}`);
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
