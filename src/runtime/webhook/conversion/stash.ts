/**
 * The annotations in which an object in one version keeps the fields that this version cannot hold:
 * `conversion.tsop.dev/VERSION` has the fields that the object has in VERSION only.
 */
import { encodeJson, isJsonObject } from "../../../kube/json.ts";
import type { JsonObject } from "../../../kube/object.ts";
import { parseExact } from "../../rest/json/exact-json.ts";
import { RUNTIME_FIELDS } from "./content.ts";
import { type Difference, isDifference } from "./difference.ts";

const PREFIX = "conversion.tsop.dev/";

/** The limit of the API server for the annotations of an object, names and values together. */
export const ANNOTATIONS_MAX_BYTES = 256 * 1024;

/** The annotation for the fields of that version. */
export const stashNameOf = (version: string): string => PREFIX + version;

/** The difference in an annotation; `undefined` for an invalid text, whoever wrote it. */
export function readStash(text: unknown): Difference | undefined {
  if (typeof text !== "string") return undefined;
  try {
    const value = parseExact(text);
    if (!isDifference(value) || !("fields" in value)) return undefined;
    return RUNTIME_FIELDS.some((name) => Object.hasOwn(value.fields, name)) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** The annotations of an object, or an empty object. */
export function annotationsOf(metadata: unknown): JsonObject {
  const annotations = isJsonObject(metadata) ? metadata["annotations"] : undefined;
  return isJsonObject(annotations) ? annotations : {};
}

/** The metadata with changed annotations: `undefined` removes one. All other fields stay. */
export function withAnnotations(
  metadata: JsonObject,
  changes: Readonly<Record<string, string | undefined>>,
): JsonObject {
  const before = annotationsOf(metadata);
  const isSame = Object.entries(changes).every(([name, text]) =>
    text === undefined ? !Object.hasOwn(before, name) : before[name] === text,
  );
  if (isSame) return metadata;
  const rest = Object.fromEntries(
    Object.entries(metadata).filter(([name]) => name !== "annotations"),
  );
  const kept = Object.entries(before).filter(([name]) => !Object.hasOwn(changes, name));
  const added = Object.entries(changes).filter(([, text]) => text !== undefined);
  const annotations = Object.fromEntries([...kept, ...added]);
  return Object.keys(annotations).length === 0 ? rest : { ...rest, annotations };
}

/** The metadata without these annotations, for a converter. */
export function withoutStashes(metadata: JsonObject): JsonObject {
  const names = Object.keys(annotationsOf(metadata)).filter((name) => name.startsWith(PREFIX));
  if (names.length === 0) return metadata;
  return withAnnotations(metadata, Object.fromEntries(names.map((name) => [name, undefined])));
}

export const stashText = (difference: Difference): string => encodeJson(difference);

/** The size of an object's annotations, as the API server counts it. */
export function annotationBytes(metadata: JsonObject): number {
  let bytes = 0;
  for (const [name, text] of Object.entries(annotationsOf(metadata))) {
    bytes += Buffer.byteLength(name) + (typeof text === "string" ? Buffer.byteLength(text) : 0);
  }
  return bytes;
}
