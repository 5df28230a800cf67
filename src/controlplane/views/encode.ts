/**
 * Writes an answer's body as JSON or YAML.
 *
 * @module
 */
import { stringify } from "yaml";

/** The text of `value`: compact JSON with a line break at its end, or YAML with sorted keys as Kubernetes writes it. */
export function encode(value: unknown, mediaType: string, pretty = false): string {
  if (mediaType.startsWith("application/yaml")) {
    // YAML 1.1 readers take more texts for numbers, times and truth values: those are quoted.
    return stringify(value, {
      version: "1.1",
      schema: "yaml-1.1",
      sortMapEntries: true,
      indentSeq: false,
      lineWidth: 0,
      aliasDuplicateObjects: false,
    });
  }
  return `${JSON.stringify(value, undefined, pretty ? 2 : undefined)}\n`;
}
