import { mutatingBindingErrors } from "./match-errors.ts";
import { bindingRules } from "./shared.ts";

export const mutatingAdmissionPolicyBindingRules = bindingRules(
  mutatingBindingErrors,
  "mutatingadmissionpolicies",
);
