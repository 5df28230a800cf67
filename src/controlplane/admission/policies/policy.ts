/**
 * Admission policies and their bindings as they are stored.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
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

/** The selection of the parameters. */
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

/** A named expression, evaluated when it is first used. */
export interface Variable {
  readonly name: string;
  readonly expression: string;
}

/** The fields that the specs of both kinds of policies share. */
export interface PolicySpec {
  readonly paramKind?: ParamKind;
  readonly matchConstraints?: MatchResources;
  readonly failurePolicy?: string;
  readonly matchConditions?: readonly MatchCondition[];
  readonly variables?: readonly Variable[];
}

/** An expression that must be true, and the message when it is not. */
export interface Validation {
  readonly expression: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
}

/** An annotation of the audit log. */
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

/** One mutation of a policy. */
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
    /** Only of validating policies. */
    readonly validationActions?: readonly string[];
  };
}
