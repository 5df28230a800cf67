/** Rules of the kind MutatingAdmissionPolicy. */
import { mutatingPolicyErrors } from "./policy-errors.ts";
import type { KindRules } from "../../kind-rules.ts";
import { paramKind, policyRules } from "./shared.ts";

/** The rules of MutatingAdmissionPolicies. */
export const mutatingAdmissionPolicyRules: KindRules = {
  ...policyRules(mutatingPolicyErrors),
  table: { Mutations: "spec.mutations", ParamKind: paramKind },
};
