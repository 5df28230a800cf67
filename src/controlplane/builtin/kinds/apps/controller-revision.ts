import type { Check } from "../../../../kube/check.ts";
import { isJsonObject } from "../../../../kube/json.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { checkNotNegative, checked, checkedChange } from "../../shared/checks.ts";
import type { KindRules } from "../../kind-rules.ts";

interface ControllerRevision extends SentObject {
  data?: unknown;
  revision?: number;
}

function checkNewRevision(object: Check<ControllerRevision>): void {
  const data = object.at("data");
  checkNotNegative(object.at("revision"));
  if (data.value === undefined || data.value === null) data.required("data is mandatory");
  else if (!isJsonObject(data.value)) data.required("data must be a valid JSON object");
}

function controllerText(object: SentObject): string {
  const owner = object.metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (!owner) return "<none>";
  const group = owner.apiVersion.includes("/") ? `.${owner.apiVersion.replace(/\/.*/, "")}` : "";
  return `${owner.kind.toLowerCase()}${group}/${owner.name}`;
}

export const controllerRevisionRules: KindRules = {
  validateCreate: checked(checkNewRevision),
  validateUpdate: checkedChange<ControllerRevision>((object, old) => {
    checkNotNegative(object.at("revision"));
    object.at("data").unchanged(old.data);
  }),
  table: { Controller: controllerText, Revision: ["revision", 0] },
  metadataChecks: ["change", "whole"],
  writtenNulls: { data: null },
};
