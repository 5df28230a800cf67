import type { ResourceClaimTemplate } from "../../../../generated/k8s/resource-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { checkUnchangedForm, checked, checkedChange } from "../../shared/checks.ts";
import type { Sent } from "../../shared/shapes.ts";
import { checkTemplateMetadata } from "../../shared/template-metadata.ts";
import type { KindRules } from "../../kind-rules.ts";
import { setResourceClaimDefaults } from "./claim-defaults.ts";
import { checkAdminAccess, checkClaimSpec } from "./claim-spec.ts";

type ClaimTemplate = Sent<ResourceClaimTemplate>;

const adminErrors = checked<ClaimTemplate>((object, context) => {
  checkAdminAccess(object, object.value.spec?.spec, context);
});

function checkTemplate(object: Check<ClaimTemplate>): void {
  object.at("spec", "metadata").ifSet(checkTemplateMetadata);
  checkClaimSpec(object.at("spec", "spec"));
}

export const resourceClaimTemplateRules: KindRules = {
  setDefaults: setResourceClaimDefaults,
  validate: checked(checkTemplate),
  validateUpdate: checkedChange<ClaimTemplate>((object, old) => {
    checkUnchangedForm(object.at("spec"), "resource.ResourceClaimTemplateSpec", old.spec);
  }),
  table: {},
  metadataChecks: ["whole", "change"],
  deletion: { answersObject: true },
  wrap: (strategy) => ({
    ...strategy,
    validateCreate: (object, context) => [
      ...adminErrors(object, context),
      ...strategy.validateCreate(object, context),
    ],
  }),
};
