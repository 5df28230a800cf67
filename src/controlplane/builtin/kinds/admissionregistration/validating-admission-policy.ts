/** Rules of the kind ValidatingAdmissionPolicy. */
import { type FieldError, required } from "../../../../kube/field-errors.ts";
import { paramKindRights } from "../../../admission/policies/param-rights.ts";
import { validatingPolicyErrors } from "../../../admission/policies/policy-errors.ts";
import { conditionsErrors } from "../../shared/conditions.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { type Configuration, admissionPolicy, checkedBy, setPolicyDefaults } from "./shared.ts";

function policyStatusErrors(object: Configuration): FieldError[] {
  const { typeChecking, conditions } = object.status ?? {};
  const warnings = (typeChecking?.expressionWarnings ?? []).flatMap(
    ({ warning = "", fieldRef = "" }, index) => {
      const at = `status.typeChecking.expressionWarnings[${index}]`;
      return [
        ...(warning === "" ? [required(`${at}.warning`)] : []),
        ...(fieldRef.trim() === "" ? [required(`${at}.fieldRef`)] : []),
      ];
    },
  );
  return [...warnings, ...conditionsErrors("status.conditions", conditions)];
}

/** The rules of ValidatingAdmissionPolicies. */
export const validatingAdmissionPolicyRules: KindRules = {
  ...checkedBy(validatingPolicyErrors, paramKindRights),
  status: "none",
  setDefaults: setPolicyDefaults,
  validateStatus: policyStatusErrors,
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
