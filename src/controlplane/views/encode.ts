/** Encodes the body of an answer as JSON or YAML. */
import { encodeJson } from "../../kube/json.ts";
import { toYaml } from "../../kube/text/yaml.ts";

/** Compact JSON with a line break at its end, or YAML the way Kubernetes writes it. */
export const encode = (value: object, mediaType: string): string =>
  mediaType.startsWith("application/yaml") ? toYaml(value) : `${encodeJson(value)}\n`;
