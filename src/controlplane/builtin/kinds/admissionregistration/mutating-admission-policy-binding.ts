/** Rules of the kind MutatingAdmissionPolicyBinding. */
import { mutatingBindingErrors } from "./match-errors.ts";
import { bindingRules } from "./shared.ts";

/** The rules of MutatingAdmissionPolicyBindings. */
export const mutatingAdmissionPolicyBindingRules = bindingRules(
  mutatingBindingErrors,
  "mutatingadmissionpolicies",
);
