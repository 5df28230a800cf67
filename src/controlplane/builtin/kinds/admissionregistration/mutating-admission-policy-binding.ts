/** Rules of the kind MutatingAdmissionPolicyBinding. */
import { mutatingBindingErrors } from "./match-errors.ts";
import { bindingRules } from "./policy-rules.ts";

/** The rules of MutatingAdmissionPolicyBindings. */
export const mutatingAdmissionPolicyBindingRules = bindingRules(
  mutatingBindingErrors,
  "mutatingadmissionpolicies",
);
