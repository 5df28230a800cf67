import { mutatingPolicyErrors } from "./policy-errors.ts";
import type { KindRules } from "../../kind-rules.ts";
import { paramKind, policyRules } from "./policy-rules.ts";

export const mutatingAdmissionPolicyRules: KindRules = {
  ...policyRules(mutatingPolicyErrors),
  table: { Mutations: "spec.mutations", ParamKind: paramKind },
};
