import { mutatingBindingErrors } from "./match-errors.ts";
import { bindingRules } from "./policy-rules.ts";

export const mutatingAdmissionPolicyBindingRules = bindingRules(
  mutatingBindingErrors,
  "mutatingadmissionpolicies",
);
