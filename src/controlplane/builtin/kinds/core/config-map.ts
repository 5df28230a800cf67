/** Rules of the kind ConfigMap. */
import { Buffer } from "node:buffer";
import {
  type FieldError,
  forbidden,
  invalidValue,
  nameErrorsAt,
  tooLong,
} from "../../../../kube/field-errors.ts";
import { sameJson } from "../../../../kube/json.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { mapAt } from "../../at.ts";
import { configKeyErrors } from "../../shared/checks.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { ageColumn, column, nameColumn, printer } from "../../tables/column.ts";
import { FIXED, MAX_BYTES, decodedBytes } from "./data-limits.ts";

export interface ConfigMap extends SentObject {
  data?: Record<string, string>;
  binaryData?: Record<string, string>;
  immutable?: boolean;
}

function configMapErrors(object: ConfigMap): FieldError[] {
  const { data = {}, binaryData = {} } = object;
  const errors: FieldError[] = [];
  for (const key of Object.keys(data)) {
    errors.push(...nameErrorsAt(`data[${key}]`, key, configKeyErrors));
    if (Object.hasOwn(binaryData, key)) {
      errors.push(invalidValue(`data[${key}]`, key, "duplicate of key present in binaryData"));
    }
  }
  for (const key of Object.keys(binaryData)) {
    errors.push(...nameErrorsAt(`binaryData[${key}]`, key, configKeyErrors));
  }
  const text = Object.values(data).reduce((sum, value) => sum + Buffer.byteLength(value), 0);
  if (text + decodedBytes(binaryData) > MAX_BYTES) errors.push(tooLong("[]", MAX_BYTES));
  return errors;
}

function configMapUpdateErrors(map: ConfigMap, old: ConfigMap): FieldError[] {
  if (old.immutable !== true) return [];
  const errors: FieldError[] = [];
  if (map.immutable !== true) errors.push(forbidden("immutable", FIXED));
  if (!sameJson(map.data ?? {}, old.data ?? {})) errors.push(forbidden("data", FIXED));
  if (!sameJson(map.binaryData ?? {}, old.binaryData ?? {})) {
    errors.push(forbidden("binaryData", FIXED));
  }
  return errors;
}

/** The rules of ConfigMaps. */
export const configMapRules: KindRules = {
  validate: configMapErrors,
  validateUpdate: configMapUpdateErrors,
  changeFirst: true,
  table: printer([
    nameColumn,
    column(
      "Data",
      (object) =>
        Object.keys(mapAt(object, "data")).length + Object.keys(mapAt(object, "binaryData")).length,
    ),
    ageColumn,
  ]),
  metadataChecks: ["change", "whole"],
  columnFields: {
    Data: "core.v1.ConfigMap.data",
  },
};
