/**
 * The annotations in which an object in one version keeps the fields that this version cannot hold:
 * `conversion.tsop.dev/VERSION` has the fields that the object has in VERSION only, and the signature of the operator
 * that kept them. A label of that name says that they are too large to be kept.
 */
import { encodeJson, isJsonObject } from "../../../kube/json.ts";
import type { JsonObject } from "../../../kube/object.ts";
import { parseExact } from "../../rest/json/exact-json.ts";
import { RUNTIME_FIELDS } from "./content.ts";
import { type Difference, type FieldsDifference, isDifference } from "./difference.ts";
import { present } from "../../../present.ts";

const PREFIX = "conversion.tsop.dev/";

/** The limit of the API server for the annotations of an object, names and values together. */
export const ANNOTATIONS_MAX_BYTES = 256 * 1024;

/** The annotation for the fields of that version, and the label that says that they are too large. */
export const stashNameOf = (version: string): string => PREFIX + version;

/** Fields that were kept in an annotation. */
export interface Stash {
  /** Absent in what somebody else wrote. */
  readonly signature?: string;
  readonly text: string;
  readonly difference: FieldsDifference;
  /** Identifies the status that the object had with these fields; absent if none of them is in a status that is stored. */
  readonly beside?: string;
}

const SIGNED = /^\{"signature":"([\w-]{43})",/;

/** The text of an annotation; without a signature if it cannot be signed. */
export function stashText(
  difference: Difference,
  { beside, sign }: { readonly beside?: string | undefined; sign?: (text: string) => string },
): string {
  const text = encodeJson({ ...present({ beside }), ...difference });
  return sign ? `{"signature":"${sign(text)}",${text.slice(1)}` : text;
}

/**
 * The fields in an annotation; `undefined` for an invalid text, whoever wrote it, and for one that is longer than
 * the annotations of an object can be.
 */
export function readStash(annotation: unknown): Stash | undefined {
  if (typeof annotation !== "string" || annotation.length > ANNOTATIONS_MAX_BYTES) return undefined;
  const [start = "", signature] = SIGNED.exec(annotation) ?? [];
  const text = start === "" ? annotation : `{${annotation.slice(start.length)}`;
  try {
    const difference = parseExact(text);
    if (!isDifference(difference) || !("fields" in difference)) return undefined;
    if (RUNTIME_FIELDS.some((name) => Object.hasOwn(difference.fields, name))) return undefined;
    const { beside } = difference as { beside?: unknown };
    const known = typeof beside === "string" ? beside : undefined;
    return { text, difference, ...present({ signature, beside: known }) };
  } catch {
    return undefined;
  }
}

/** The annotations or the labels of an object, or an empty object. */
export function textsOf(metadata: unknown, field: "annotations" | "labels"): JsonObject {
  const texts = isJsonObject(metadata) ? metadata[field] : undefined;
  return isJsonObject(texts) ? texts : {};
}

/** The metadata with changed annotations or labels: `undefined` removes one. All other fields stay. */
export function withTexts(
  metadata: JsonObject,
  field: "annotations" | "labels",
  changes: Readonly<Record<string, string | undefined>>,
): JsonObject {
  const before = textsOf(metadata, field);
  const isSame = Object.entries(changes).every(([name, text]) =>
    text === undefined ? !Object.hasOwn(before, name) : before[name] === text,
  );
  if (isSame) return metadata;
  const rest = Object.fromEntries(Object.entries(metadata).filter(([name]) => name !== field));
  const kept = Object.entries(before).filter(([name]) => !Object.hasOwn(changes, name));
  const added = Object.entries(changes).filter(([, text]) => text !== undefined);
  const texts = Object.fromEntries([...kept, ...added]);
  return Object.keys(texts).length === 0 ? rest : { ...rest, [field]: texts };
}

/** The metadata without these annotations and labels, for a converter. */
export function withoutStashes(metadata: JsonObject): JsonObject {
  let shown = metadata;
  for (const field of ["annotations", "labels"] as const) {
    const names = Object.keys(textsOf(shown, field)).filter((name) => name.startsWith(PREFIX));
    if (names.length === 0) continue;
    shown = withTexts(shown, field, Object.fromEntries(names.map((name) => [name, undefined])));
  }
  return shown;
}

/** The size of an object's annotations, as the API server counts it. */
export function annotationBytes(metadata: JsonObject): number {
  let bytes = 0;
  for (const [name, text] of Object.entries(textsOf(metadata, "annotations"))) {
    bytes += Buffer.byteLength(name) + (typeof text === "string" ? Buffer.byteLength(text) : 0);
  }
  return bytes;
}
