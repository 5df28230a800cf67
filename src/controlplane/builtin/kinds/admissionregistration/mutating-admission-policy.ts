/** Rules of the kind MutatingAdmissionPolicy. */
import { mutatingPolicyErrors } from "./policy-errors.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { paramKind, policyRules } from "./policy-rules.ts";

/** The rules of MutatingAdmissionPolicies. */
export const mutatingAdmissionPolicyRules: KindRules = {
  ...policyRules(mutatingPolicyErrors),
  table: { Mutations: "spec.mutations", ParamKind: paramKind },
};
