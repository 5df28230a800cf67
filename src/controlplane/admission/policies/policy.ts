/**
 * Admission policies and their bindings as they are stored.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
import type {
  MutatingAdmissionPolicySpec,
  ValidatingAdmissionPolicyBindingSpec,
  ValidatingAdmissionPolicySpec,
} from "../../../generated/k8s/admissionregistration-v1.ts";
import type { SentObject } from "../../../kube/object.ts";

/** The group of policies and their bindings. */
export const POLICY_GROUP = "admissionregistration.k8s.io";

/** A ValidatingAdmissionPolicy. */
export interface ValidatingPolicy extends SentObject {
  readonly spec: ValidatingAdmissionPolicySpec;
}

/** A MutatingAdmissionPolicy. */
export interface MutatingPolicy extends SentObject {
  readonly spec: MutatingAdmissionPolicySpec;
}

/** A policy of either kind. */
export type Policy = ValidatingPolicy | MutatingPolicy;

/** A binding of either kind; those of mutating policies have no `validationActions`. */
export interface Binding extends SentObject {
  readonly spec: Partial<ValidatingAdmissionPolicyBindingSpec>;
}
