/**
 * Decodes the bytes of a body, in any format, and collects the problems that strict decoding
 * reports.
 */
import { scanJson } from "./json/json-scanner.ts";
import type { BodyForm } from "./media-type.ts";
import { WireError } from "./json/wire-error.ts";
import { readYaml } from "./yaml-reader.ts";

/** A value that may hold `NumberLiteral`s, and the problems of its notation. */
export interface Content {
  readonly value: unknown;
  /** The problems in the words of errors: `duplicate field "spec.a"`. */
  readonly problems: readonly string[];
}

const OPENING_BRACE = 0x7b;
const YAML_PROBLEMS = "yaml: unmarshal errors:\n  ";

/**
 * Reads JSON or YAML.
 *
 * @param merges - as for `scanJson`
 * @throws WireError with Go's words: `unexpected end of JSON input`, `yaml: line 3: ...`
 */
export function readContent(
  bytes: Uint8Array,
  form: Exclude<BodyForm, "protobuf">,
  merges = false,
): Content {
  if (form === "json") {
    const { value, duplicates } = scanJson(bytes, merges);
    return { value, problems: duplicates.map((path) => problemOf("duplicate", path)) };
  }
  const plain = readPlainJson(bytes);
  if (plain) return plain;
  const { value, problems } = readYaml(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  const all = YAML_PROBLEMS + problems.join("\n  ");
  return { value, problems: problems.length === 0 ? [] : [all] };
}

/**
 * YAML that is also JSON, as programs send it, read by the faster parser; `undefined` where the two
 * may differ: notations of numbers, duplicate keys, escaped characters.
 */
function readPlainJson(bytes: Uint8Array): Content | undefined {
  if (
    bytes[0] !== OPENING_BRACE ||
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes("\\u")
  ) {
    return undefined;
  }
  try {
    const { value, duplicates, hasLiterals } = scanJson(bytes);
    return hasLiterals || duplicates.length > 0 ? undefined : { value, problems: [] };
  } catch (error) {
    if (error instanceof WireError) return undefined;
    throw error;
  }
}

/** A field that strict decoding refuses: `unknown field "spec.a"`. */
export const problemOf = (what: "duplicate" | "unknown", path: string): string =>
  `${what} field ${JSON.stringify(path)}`;

/**
 * Unknown fields as problems.
 *
 * @param typed - paths in values that Go reads into a struct
 * @param pruned - paths that a schema does not declare, which are not quoted
 */
export const unknownFields = (typed: readonly string[], pruned: readonly string[]): string[] => [
  ...typed.map((path) => problemOf("unknown", path)),
  ...pruned.map((path) => `unknown field "${path}"`),
];

/** Problems in the form of warnings: each on its own, without the parser's heading. */
export function warningsOf(problems: readonly string[]): string[] {
  return problems.flatMap((problem) =>
    problem.startsWith(YAML_PROBLEMS)
      ? problem.slice(YAML_PROBLEMS.length).split("\n  ")
      : [problem],
  );
}

/** All problems as one error message. */
export const strictMistake = (problems: readonly string[]): string =>
  `strict decoding error: ${problems.join(", ")}`;
