import type { Check } from "../../../../kube/check.ts";
import { validatingPolicyErrors } from "./policy-errors.ts";
import { checkedChange } from "../../shared/checks.ts";
import { checkConditions } from "../../shared/conditions.ts";
import type { KindRules } from "../../kind-rules.ts";
import { type PolicyObject, paramKind, policyRules } from "./policy-rules.ts";

function checkStatus(policy: Check<PolicyObject>): void {
  policy.at("status", "typeChecking", "expressionWarnings").each((entry) => {
    entry.at("warning").given();
    if (!entry.value.fieldRef?.trim()) entry.at("fieldRef").required();
  });
  checkConditions(policy.at("status", "conditions"));
}

export const validatingAdmissionPolicyRules: KindRules = {
  ...policyRules(validatingPolicyErrors),
  status: "none",
  validateStatus: checkedChange(checkStatus),
  table: { Validations: "spec.validations", ParamKind: paramKind },
  // An apply to the status of a missing policy creates it.
  wrap: (strategy) => ({ ...strategy, allowCreateOnApply: true }),
  resetFields: { status: ["spec", "metadata"] },
};
