/**
 * Admission policies and their bindings as they are stored.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 * @module
 */
import type { SentObject } from "../../../kube/object.ts";
import type { LabelSelector } from "../../../kube/selectors/selector.ts";
import type { MatchCondition, WebhookRule } from "../../../kube/webhooks/webhook-rules.ts";

/** The group of policies and their bindings. */
export const POLICY_GROUP = "admissionregistration.k8s.io";

/** `matchConstraints` of a policy, `matchResources` of a binding. */
export interface MatchResources {
  readonly resourceRules?: readonly WebhookRule[];
  readonly excludeResourceRules?: readonly WebhookRule[];
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  readonly matchPolicy?: string;
}

/** Where parameters are. */
export interface ParamRef {
  readonly name?: string;
  readonly namespace?: string;
  readonly selector?: LabelSelector;
  readonly parameterNotFoundAction?: string;
}

/** The kind of parameters. */
export interface ParamKind {
  readonly apiVersion: string;
  readonly kind: string;
}

/** An expression under a name, evaluated when it is first used. */
export interface Variable {
  readonly name: string;
  readonly expression: string;
}

/** What policies of both kinds say. */
export interface PolicySpec {
  readonly paramKind?: ParamKind;
  readonly matchConstraints?: MatchResources;
  readonly failurePolicy?: string;
  readonly matchConditions?: readonly MatchCondition[];
  readonly variables?: readonly Variable[];
}

/** What has to hold, and what is said when it does not. */
export interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

/** What is written to the audit log. */
export interface AuditAnnotation {
  readonly key: string;
  readonly valueExpression: string;
}

/** A ValidatingAdmissionPolicy. */
export interface ValidatingPolicy extends SentObject {
  readonly spec: PolicySpec & {
    readonly validations?: readonly Validation[];
    readonly auditAnnotations?: readonly AuditAnnotation[];
  };
}

/** One change that a policy makes. */
export interface Mutation {
  readonly patchType: string;
  readonly applyConfiguration?: { readonly expression?: string };
  readonly jsonPatch?: { readonly expression?: string };
}

/** A MutatingAdmissionPolicy. */
export interface MutatingPolicy extends SentObject {
  readonly spec: PolicySpec & {
    readonly mutations?: readonly Mutation[];
    readonly reinvocationPolicy?: string;
  };
}

/** A policy of either kind. */
export type Policy = ValidatingPolicy | MutatingPolicy;

/** A binding of either kind. */
export interface Binding extends SentObject {
  readonly spec: {
    readonly policyName: string;
    readonly paramRef?: ParamRef;
    readonly matchResources?: MatchResources;
    /** Of validating policies. */
    readonly validationActions?: readonly string[];
  };
}
