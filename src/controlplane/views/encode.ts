/**
 * Writes an answer's body as JSON or YAML.
 *
 * @module
 */
import { encodeJson } from "../../kube/json.ts";
import { toYaml } from "../../kube/text/yaml.ts";

/** The text of `value`: compact JSON with a line break at its end, or YAML as Kubernetes writes it. */
export function encode(value: object, mediaType: string, pretty = false): string {
  if (mediaType.startsWith("application/yaml")) return toYaml(value);
  return `${encodeJson(value, pretty ? "  " : "")}\n`;
}
