/** Bodies in YAML. */
import { scanJson } from "../json/json-scanner.ts";
import { WireError } from "../json/wire-error.ts";
import { type TextBody, readType } from "./body.ts";
import { openJson } from "./json.ts";
import { YAML_PROBLEMS } from "./problems.ts";
import { type ReadYaml, readYaml } from "./yaml-reader.ts";

const OPENING_BRACE = 0x7b;

/** Reads YAML. @throws WireError with Go's words: `yaml: line 3: ...` */
export function openYaml(bytes: Uint8Array): TextBody {
  const { value, problems: found } =
    readPlainJson(bytes) ?? readYaml(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
  const problems = found.length === 0 ? [] : [YAML_PROBLEMS + found.join("\n  ")];
  return {
    value,
    get type() {
      return readType(value);
    },
    problems,
    valueAs: () => value,
    // YAML becomes JSON first, whose names are sorted and unique.
    strictly: () => ({ tree: value, problems }),
    withEmpty: false,
  };
}

/** Reads text of unknown form: JSON if it begins with a brace, otherwise YAML. @throws WireError */
export const openText = (bytes: Buffer): TextBody =>
  /^\s*\{/.test(bytes.toString("utf8", 0, 64)) ? openJson(bytes) : openYaml(bytes);

/**
 * YAML that is also JSON, as programs send it, read by the faster parser; `undefined` where the two
 * may differ: notations of numbers, duplicate keys, escaped characters.
 */
function readPlainJson(bytes: Uint8Array): ReadYaml | undefined {
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
