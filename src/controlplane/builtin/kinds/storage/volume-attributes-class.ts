/** Rules of the kind VolumeAttributesClass. */
import { type FieldError, forbidden } from "../../../../kube/field-errors.ts";
import { sameJson } from "../../../../kube/json.ts";
import type { SentObject } from "../../../../kube/object.ts";
import type { WriteContext } from "../../../kinds.ts";
import { protectInUse } from "../../shared/volumes/protection.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { ageColumn, nameColumn, printer, textColumn } from "../../tables/column.ts";
import { parametersErrors, provisionerErrors } from "./shared.ts";

/** Adds the finalizer that protects a class in use. */
function prepareVolumeAttributesClassForCreate(object: SentObject, context: WriteContext): void {
  protectInUse(object, "kubernetes.io/vac-protection", context);
}

interface AttributesClass extends SentObject {
  driverName?: string;
  parameters?: Record<string, string>;
}

const attributesClassErrors = (object: AttributesClass): FieldError[] => [
  ...provisionerErrors("driverName", object.driverName ?? ""),
  ...parametersErrors(object.parameters, false),
];

function attributesClassUpdateErrors(now: AttributesClass, old: AttributesClass): FieldError[] {
  return (["driverName", "parameters"] as const).flatMap((field) =>
    sameJson(now[field] ?? null, old[field] ?? null)
      ? []
      : [forbidden(field, `updates to ${field} are forbidden.`)],
  );
}

/** The rules of VolumeAttributesClasses. */
export const volumeAttributesClassRules: KindRules = {
  prepareForCreate: prepareVolumeAttributesClassForCreate,
  changeFirst: true,
  validate: attributesClassErrors,
  validateUpdate: attributesClassUpdateErrors,
  table: printer([nameColumn, textColumn("DriverName", "driverName"), ageColumn]),
  metadataChecks: ["change", "whole"],
  deletion: { answersObject: true },
  columnFields: {
    DriverName: "storage.v1.VolumeAttributesClass.driverName",
  },
};
