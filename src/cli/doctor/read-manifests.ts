import { TsopError } from "../../errors.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import { readYaml, type ValuePath } from "../project/yaml/yaml-documents.ts";
import type { Found, Manifest } from "./rule.ts";
import { textAt } from "./values.ts";

/** The mappings in a text, each object of a List for itself; or why it cannot be read. */
export function manifestsIn(text: string, file: string): Manifest[] | Found {
  try {
    const documents = readYaml(text, file);
    return documents.flatMap((document) => {
      const { value } = document;
      if (!isJsonObject(value)) return [];
      const items = value["items"];
      if (textAt(value, ["kind"]).endsWith("List") && Array.isArray(items)) {
        return items.flatMap((item, index) =>
          isJsonObject(item)
            ? [manifestOf(file, item, (path) => document.placeOf(["items", index, ...path]))]
            : [],
        );
      }
      return [manifestOf(file, value, (path) => document.placeOf(path))];
    });
  } catch (error) {
    if (!(error instanceof TsopError)) throw error;
    const place = /^\S+:\d+:\d+/.exec(error.message)?.[0] ?? `${file}:1:1`;
    const message = error.message.slice(error.message.startsWith(place) ? place.length : 0).trim();
    return { place, message, fix: "Repair that line." };
  }
}

const manifestOf = (
  file: string,
  value: JsonObject,
  at: (path: ValuePath) => string,
): Manifest => ({
  file,
  apiVersion: textAt(value, ["apiVersion"]).trim(),
  kind: textAt(value, ["kind"]),
  namespace: textAt(value, ["metadata", "namespace"]),
  name: textAt(value, ["metadata", "name"]),
  value,
  at,
});
