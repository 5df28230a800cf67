/** Validation that ConfigMaps and Secrets share. */
import { Buffer } from "node:buffer";
import type { Check } from "../../../../kube/check.ts";
import { sameJson } from "../../../../kube/json.ts";
import type { SentObject } from "../../../../kube/object.ts";

export const MAX_BYTES = 1024 * 1024;

const FIXED = "field is immutable when `immutable` is set";

interface DataObject extends SentObject {
  data?: object;
  binaryData?: object;
  immutable?: boolean;
}

/** Validates that the data of an object that is immutable stay as they are. */
export function checkFixed(object: Check<DataObject>, old: DataObject): void {
  if (old.immutable !== true) return;
  if (object.value.immutable !== true) object.at("immutable").forbidden(FIXED);
  for (const part of ["data", "binaryData"] as const) {
    if (!sameJson(object.value[part] ?? {}, old[part] ?? {})) object.at(part).forbidden(FIXED);
  }
}

export const decodedBytes = (data: Readonly<Record<string, string | null>>): number =>
  Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value ?? "", "base64"), 0);
