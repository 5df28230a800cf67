/**
 * The upgrade from client-side to server-side apply: the fields in the annotation of `kubectl
 * apply` belong to the manager `kubectl`.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#upgrading-from-client-side-apply-to-server-side-apply
 */
import { asJson, copyJson, isJsonObject } from "../../kube/json.ts";
import type { JsonObject, SentObject } from "../../kube/object.ts";
import { compareObjects } from "./comparison.ts";
import { findMisfits } from "./conformity.ts";
import type { FieldSet } from "./field-set.ts";
import { printJson } from "../builtin/go/print.ts";
import { fieldsOf } from "./object-fields.ts";
import type { NodeType } from "./topology.ts";

const ANNOTATION = "kubectl.kubernetes.io/last-applied-configuration";

function annotationsOf(object: JsonObject): JsonObject | undefined {
  const metadata = object["metadata"];
  const annotations = isJsonObject(metadata) ? metadata["annotations"] : undefined;
  return isJsonObject(annotations) ? annotations : undefined;
}

function parseAnnotation(object: JsonObject): JsonObject | undefined {
  const text = annotationsOf(object)?.[ANNOTATION];
  if (typeof text !== "string" || text === "") return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The fields in the annotation of a stored object that still have the annotation's values, which
 * therefore cause no conflicts. `undefined` when the annotation is absent or unusable.
 */
export function lastAppliedFields(
  type: NodeType,
  apiVersion: string,
  stored: JsonObject,
): FieldSet | undefined {
  const applied = parseAnnotation(stored);
  if (applied?.["apiVersion"] !== apiVersion) return undefined;
  if (findMisfits(type, stored, false).length > 0) return undefined;
  if (findMisfits(type, applied, false).length > 0) return undefined;
  const comparison = compareObjects(type, applied, stored);
  if ("misfits" in comparison) return undefined;
  return fieldsOf(type, applied)
    .difference(comparison.modified)
    .difference(comparison.added)
    .difference(comparison.removed);
}

/** Updates the annotation of `object`, if it has one, to the configuration that was applied. */
export function refreshLastApplied(object: SentObject, config: JsonObject): void {
  const annotations = annotationsOf(asJson(object));
  if (!annotations?.[ANNOTATION]) return;
  const applied = copyJson(config);
  const own = annotationsOf(applied);
  if (own) Reflect.deleteProperty(own, ANNOTATION);
  annotations[ANNOTATION] = `${printJson(applied)}\n`;
}
