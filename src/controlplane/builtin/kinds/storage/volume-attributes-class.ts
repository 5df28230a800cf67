import type { VolumeAttributesClass } from "../../../../generated/k8s/storage-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { sameJson } from "../../../../kube/json.ts";
import { checked, checkedChange } from "../../shared/checks.ts";
import type { Sent } from "../../shared/shapes.ts";
import { protectInUse } from "../../shared/volumes/protection.ts";
import type { KindRules } from "../../kind-rules.ts";
import { checkParameters, checkProvisioner } from "./provisioner-parameters.ts";

type AttributesClass = Sent<VolumeAttributesClass>;

function checkAttributesClass(object: Check<AttributesClass>): void {
  const parameters = object.at("parameters");
  checkProvisioner(object.at("driverName"));
  checkParameters(parameters);
  if (Object.keys(parameters.value ?? {}).length > 0) return;
  parameters.required("must contain at least one key/value pair");
}

function checkChange(object: Check<AttributesClass>, old: AttributesClass): void {
  for (const field of ["driverName", "parameters"] as const) {
    if (sameJson(object.value[field] ?? null, old[field] ?? null)) continue;
    object.at(field).forbidden(`updates to ${field} are forbidden.`);
  }
}

export const volumeAttributesClassRules: KindRules = {
  prepareForCreate(object, context) {
    protectInUse(object, "kubernetes.io/vac-protection", context);
  },
  changeFirst: true,
  validate: checked(checkAttributesClass),
  validateUpdate: checkedChange(checkChange),
  table: { DriverName: "driverName" },
  metadataChecks: ["change", "whole"],
  deletion: { answersObject: true },
};
