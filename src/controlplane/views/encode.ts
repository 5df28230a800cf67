/**
 * Writes an answer's body as JSON or YAML.
 *
 * @module
 */
import { formatFloat, isInt64, isNumeric } from "../../kube/go-number.ts";
import { encodeJson } from "../../kube/json.ts";
import { type ScalarTag, type Tags, stringify } from "yaml";

/** The YAML library takes a lone dot for a number, Kubernetes' readers do not: `.` needs no quotes. */
function withPlainDot(tags: Tags): Tags {
  return tags.map((tag) => {
    const { test } = tag as Partial<ScalarTag>;
    if (typeof tag === "string" || !test?.test(".")) return tag;
    return { ...tag, test: new RegExp(`(?!^\\.$)${test.source}`, test.flags) } as ScalarTag;
  });
}

const isIn64Bits = (value: bigint): boolean => value >= -(2n ** 63n) && value < 2n ** 64n;

/** Numbers as Kubernetes' YAML has them: those that no 64-bit integer holds with an exponent, as Go prints floats. */
const NUMBERS: ScalarTag = {
  tag: "tag:yaml.org,2002:float",
  default: true,
  identify: isNumeric,
  // Of tags for one value the library takes one that has a test; no text is read by this one.
  test: /(?!)/,
  resolve: Number,
  stringify: ({ value }) => {
    const number = value as number | bigint;
    const text = String(number);
    if (isInt64(number)) return text;
    const isWhole = /^-?\d+$/.test(text) && isIn64Bits(BigInt(text));
    return isWhole ? text : formatFloat(number);
  },
};

/** The text of `value`: compact JSON with a line break at its end, or YAML with sorted keys as Kubernetes writes it. */
export function encode(value: unknown, mediaType: string, pretty = false): string {
  if (mediaType.startsWith("application/yaml")) {
    // YAML 1.1 readers take more texts for numbers, times and truth values: those are quoted.
    return stringify(value, {
      version: "1.1",
      schema: "yaml-1.1",
      customTags: (tags) => [NUMBERS, ...withPlainDot(tags)],
      sortMapEntries: true,
      indentSeq: false,
      lineWidth: 0,
      aliasDuplicateObjects: false,
    });
  }
  return `${encodeJson(value, pretty ? "  " : "")}\n`;
}
