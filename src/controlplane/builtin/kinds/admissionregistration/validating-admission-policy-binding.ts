/** Rules of the kind ValidatingAdmissionPolicyBinding. */
import { validatingBindingErrors } from "./match-errors.ts";
import { bindingRules } from "./policy-rules.ts";

/** The rules of ValidatingAdmissionPolicyBindings. */
export const validatingAdmissionPolicyBindingRules = bindingRules(
  validatingBindingErrors,
  "validatingadmissionpolicies",
);
