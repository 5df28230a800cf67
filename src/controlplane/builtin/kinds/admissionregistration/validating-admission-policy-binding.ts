import { validatingBindingErrors } from "./match-errors.ts";
import { bindingRules } from "./shared.ts";

export const validatingAdmissionPolicyBindingRules = bindingRules(
  validatingBindingErrors,
  "validatingadmissionpolicies",
);
