/**
 * Writes an answer's body as JSON or YAML.
 *
 * @module
 */
import { type ScalarTag, type Tags, stringify } from "yaml";

/** The YAML library takes a lone dot for a number, Kubernetes' readers do not: `.` needs no quotes. */
function withPlainDot(tags: Tags): Tags {
  return tags.map((tag) => {
    const { test } = tag as Partial<ScalarTag>;
    if (typeof tag === "string" || !test?.test(".")) return tag;
    return { ...tag, test: new RegExp(`(?!^\\.$)${test.source}`, test.flags) } as ScalarTag;
  });
}

/** The text of `value`: compact JSON with a line break at its end, or YAML with sorted keys as Kubernetes writes it. */
export function encode(value: unknown, mediaType: string, pretty = false): string {
  if (mediaType.startsWith("application/yaml")) {
    // YAML 1.1 readers take more texts for numbers, times and truth values: those are quoted.
    return stringify(value, {
      version: "1.1",
      schema: "yaml-1.1",
      customTags: withPlainDot,
      sortMapEntries: true,
      indentSeq: false,
      lineWidth: 0,
      aliasDuplicateObjects: false,
    });
  }
  return `${JSON.stringify(value, undefined, pretty ? 2 : undefined)}\n`;
}
