/** Rules of the kind ValidatingAdmissionPolicyBinding. */
import { validatingBindingErrors } from "../../../admission/policies/match-errors.ts";
import { paramRefRights } from "../../../admission/policies/param-rights.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { checkedBy, policyBinding, setBindingDefaults } from "./shared.ts";
import type { Binding } from "../../../admission/policies/policy.ts";

/** The rules of ValidatingAdmissionPolicyBindings. */
export const validatingAdmissionPolicyBindingRules: KindRules = {
  ...checkedBy(validatingBindingErrors, (object: Binding, _old, context) =>
    paramRefRights(object, context, {
      group: "admissionregistration.k8s.io",
      plural: "validatingadmissionpolicies",
    }),
  ),
  setDefaults: setBindingDefaults,
  table: policyBinding,
  metadataChecks: ["whole"],
  freeFinalizers: true,
  columnTexts: {
    PolicyName: "PolicyName indicates the policy definition which the policy binding binded to",
    ParamRef: "ParamRef indicates the param resource which sets the configuration param",
  },
};
