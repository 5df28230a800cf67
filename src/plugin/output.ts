/** Objects as `-o json`, `-o yaml` and `-o name` print them: byte by byte as kubectl does. */
import { encodeJson, isJsonObject } from "../kube/json.ts";
import type { KubeObject } from "../kube/object.ts";
import { parseApiVersion } from "../kube/resource.ts";
import { toYaml } from "../kube/text/yaml.ts";
import type { Format } from "./flags.ts";

export function formatted(
  objects: readonly KubeObject[],
  format: Exclude<Format, "wide">,
  alone: boolean,
): string {
  if (format === "name") return objects.map(nameOf).join("\n");
  const shown = objects.map(withoutManagers);
  const [only] = shown;
  const value: object =
    alone && only !== undefined && shown.length === 1
      ? only
      : { apiVersion: "v1", items: shown, kind: "List", metadata: { resourceVersion: "" } };
  if (format === "yaml") return toYaml(value).trimEnd();
  // Go escapes what could end a script in a page.
  return encodeJson(sorted(value), "    ").replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** `myweb.web.example.com/one`. */
function nameOf({ apiVersion, kind, metadata }: KubeObject): string {
  const { group } = parseApiVersion(apiVersion);
  return `${kind.toLowerCase()}${group === "" ? "" : `.${group}`}/${metadata.name}`;
}

/** kubectl leaves out who manages which field. */
function withoutManagers(object: KubeObject): KubeObject {
  const metadata = { ...object.metadata };
  delete metadata.managedFields;
  return { ...object, metadata };
}

/** The value with the keys of all its objects in the order of Go. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(entries.map(([key, inner]) => [key, sorted(inner)]));
}
