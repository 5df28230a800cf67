/** Rules of the kind ValidatingAdmissionPolicyBinding. */
import { validatingBindingErrors } from "./match-errors.ts";
import { bindingRules } from "./shared.ts";

/** The rules of ValidatingAdmissionPolicyBindings. */
export const validatingAdmissionPolicyBindingRules = bindingRules(
  validatingBindingErrors,
  "validatingadmissionpolicies",
);
