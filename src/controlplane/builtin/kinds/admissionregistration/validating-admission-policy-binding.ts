import { validatingBindingErrors } from "./match-errors.ts";
import { bindingRules } from "./policy-rules.ts";

export const validatingAdmissionPolicyBindingRules = bindingRules(
  validatingBindingErrors,
  "validatingadmissionpolicies",
);
