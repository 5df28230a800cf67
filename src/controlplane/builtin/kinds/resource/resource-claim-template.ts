/** Rules of the kind ResourceClaimTemplate. */
import type { FieldError } from "../../../../kube/field-errors.ts";
import type { ObjectMeta, SentObject } from "../../../../kube/object.ts";
import type { WriteContext } from "../../../kinds.ts";
import { immutableForm } from "../../shared/checks.ts";
import { templateMetadataErrors } from "../../shared/workloads/template-metadata.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { ageColumn, nameColumn, printer } from "../../tables/column.ts";
import { setResourceClaimDefaults } from "./claim-defaults.ts";
import { type ClaimSpec, adminErrors, claimSpecErrors } from "./claim-spec.ts";

interface ClaimTemplate extends SentObject {
  spec?: { metadata?: ObjectMeta; spec?: ClaimSpec };
}

/** Validates a new template. */
function newClaimTemplateErrors(object: ClaimTemplate, context: WriteContext): FieldError[] {
  const { spec = {}, metadata } = object;
  const admin = adminErrors(spec.spec?.devices ?? {}, metadata.namespace ?? "", context);
  return [...admin, ...claimTemplateErrors(object)];
}

/** Validates a template, new or changed. */
function claimTemplateErrors(object: ClaimTemplate): FieldError[] {
  const { metadata = {}, spec = {} } = object.spec ?? {};
  return [
    ...templateMetadataErrors("spec.metadata", metadata),
    ...claimSpecErrors("spec.spec", spec),
  ];
}

/** Validates that the spec of a template is unchanged. */
function claimTemplateUpdateErrors(object: ClaimTemplate, previous: ClaimTemplate): FieldError[] {
  const type = "resource.ResourceClaimTemplateSpec";
  const { spec } = object;
  return immutableForm("spec", type, spec, previous.spec);
}

/** The rules of ResourceClaimTemplates. */
export const resourceClaimTemplateRules: KindRules = {
  setDefaults: setResourceClaimDefaults,
  validateCreate: newClaimTemplateErrors,
  validateChanged: claimTemplateErrors,
  validateUpdate: claimTemplateUpdateErrors,
  table: printer([nameColumn, ageColumn]),
  metadataChecks: ["whole", "change"],
  deletion: { answersObject: true },
};
