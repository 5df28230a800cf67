/** Encodes the body of an answer as JSON or YAML. */
import { encodeJson } from "../../kube/json.ts";
import { goJson } from "../../kube/go-json.ts";
import { toYaml } from "../../kube/text/yaml.ts";

/** Compact JSON with a line break at its end, or YAML the way Kubernetes writes it. */
export const encode = (value: object, mediaType: string): string =>
  mediaType.startsWith("application/yaml") ? toYaml(value) : `${jsonOf(value)}\n`;

/** Clients compare the text of revisions, the only objects that contain raw JSON. */
const RAW = new Set(["ControllerRevision", "ControllerRevisionList"]);

/** The value as compact JSON. */
const jsonOf = (value: object): string =>
  "kind" in value && typeof value.kind === "string" && RAW.has(value.kind)
    ? goJson(value)
    : encodeJson(value);
