/** Encodes the body of an answer as JSON or YAML. */
import { encodeJson } from "../../kube/json.ts";
import { toYaml } from "../../kube/text/yaml.ts";

/**
 * `value` encoded as compact JSON with a line break at its end, or as YAML the way Kubernetes
 * writes it.
 */
export function encode(value: object, mediaType: string, pretty = false): string {
  if (mediaType.startsWith("application/yaml")) return toYaml(value);
  return `${encodeJson(value, pretty ? "  " : "")}\n`;
}
