/** Rules of the kind ValidatingAdmissionPolicy. */
import type { Check } from "../../../../kube/check.ts";
import { paramKindRights } from "../../../admission/policies/param-rights.ts";
import { validatingPolicyErrors } from "../../../admission/policies/policy-errors.ts";
import { checkedChange } from "../../shared/checks.ts";
import { checkConditions } from "../../shared/conditions.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { type Configuration, admissionPolicy, checkedBy, setPolicyDefaults } from "./shared.ts";

function checkStatus(policy: Check<Configuration>): void {
  policy.at("status", "typeChecking", "expressionWarnings").each((entry) => {
    entry.at("warning").given();
    if (!entry.value.fieldRef?.trim()) entry.at("fieldRef").required();
  });
  checkConditions(policy.at("status", "conditions"));
}

/** The rules of ValidatingAdmissionPolicies. */
export const validatingAdmissionPolicyRules: KindRules = {
  ...checkedBy(validatingPolicyErrors, paramKindRights),
  status: "none",
  setDefaults: setPolicyDefaults,
  validateStatus: checkedChange(checkStatus),
  table: admissionPolicy("Validations", "spec.validations"),
  metadataChecks: ["whole"],
  freeFinalizers: true,
  statusCreates: true,
  resetFields: { status: ["spec", "metadata"] },
  columnTexts: {
    Validations:
      "Validations indicates the number of validation rules defined in this configuration",
    ParamKind: "ParamKind specifies the kind of resources used to parameterize this policy",
  },
};
