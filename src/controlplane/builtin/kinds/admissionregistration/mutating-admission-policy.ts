/** Rules of the kind MutatingAdmissionPolicy. */
import { paramKindRights } from "../../../admission/policies/param-rights.ts";
import { mutatingPolicyErrors } from "../../../admission/policies/policy-errors.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { admissionPolicy, checkedBy, setPolicyDefaults } from "./shared.ts";

/** The rules of MutatingAdmissionPolicies. */
export const mutatingAdmissionPolicyRules: KindRules = {
  ...checkedBy(mutatingPolicyErrors, paramKindRights),
  setDefaults: setPolicyDefaults,
  table: admissionPolicy("Mutations", "spec.mutations"),
  metadataChecks: ["whole"],
  freeFinalizers: true,
  columnTexts: {
    Mutations: "Mutation indicates the number of mutations rules defined in this configuration",
    ParamKind: "ParamKind specifies the kind of resources used to parameterize this policy",
  },
};
