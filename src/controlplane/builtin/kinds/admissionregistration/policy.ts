/**
 * Admission policies and their bindings as they are stored, and the expressions that policies of
 * both kinds have.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
import type {
  MutatingAdmissionPolicySpec,
  ValidatingAdmissionPolicyBindingSpec,
  ValidatingAdmissionPolicySpec,
} from "../../../../generated/k8s/admissionregistration-v1.ts";
import { BOOL, type CelType } from "../../../../kube/cel/types.ts";
import type { SentObject } from "../../../../kube/object.ts";
import type { CollectionName } from "../../../resource-name.ts";
import type {
  CompiledExpression,
  ExpressionCompiler,
  Surroundings,
} from "../../../admission/expressions/expressions.ts";

export interface ValidatingPolicy extends SentObject {
  readonly spec: ValidatingAdmissionPolicySpec;
}

export interface MutatingPolicy extends SentObject {
  readonly spec: MutatingAdmissionPolicySpec;
}

export type Policy = ValidatingPolicy | MutatingPolicy;

/** A binding of either kind; those of mutating policies have no `validationActions`. */
export interface Binding extends SentObject {
  readonly spec: Partial<ValidatingAdmissionPolicyBindingSpec>;
}

/** Where the policies of one kind and their bindings are stored. */
export interface PolicyKind<P extends Policy> {
  readonly policies: CollectionName<P>;
  readonly bindings: CollectionName<Binding>;
}

export const VALIDATING: PolicyKind<ValidatingPolicy> = {
  policies: "validatingadmissionpolicies.admissionregistration.k8s.io",
  bindings: "validatingadmissionpolicybindings.admissionregistration.k8s.io",
};

export const MUTATING: PolicyKind<MutatingPolicy> = {
  policies: "mutatingadmissionpolicies.admissionregistration.k8s.io",
  bindings: "mutatingadmissionpolicybindings.admissionregistration.k8s.io",
};

/** The compiled parts that policies of both kinds have. */
export interface CommonParts {
  readonly conditions: readonly CompiledExpression[];
  readonly variables: ReadonlyMap<string, CompiledExpression>;
  readonly surroundings: Surroundings;
}

/** Compiles these parts; each variable may use those before it. */
export function compileCommonParts(
  compiler: ExpressionCompiler,
  { paramKind, variables: given = [], matchConditions = [] }: Policy["spec"],
): CommonParts {
  const variables = new Map<string, CompiledExpression>();
  const types = new Map<string, CelType>();
  const surroundings = { params: paramKind !== undefined, authorizer: true, variables: types };
  for (const { name, expression } of given) {
    const compiled = compiler.compile(expression, [], surroundings);
    variables.set(name, compiled);
    types.set(name, compiled.type);
  }
  const conditions = matchConditions.map(({ expression }) =>
    compiler.compile(expression, [BOOL], surroundings),
  );
  return { conditions, variables, surroundings };
}

/** The function, which remembers its results for as long as the objects are stored. */
export function perObject<O extends SentObject, T>(make: (object: O) => T): (object: O) => T {
  const results = new WeakMap<O, T>();
  return (object) => {
    let result = results.get(object);
    if (result === undefined) results.set(object, (result = make(object)));
    return result;
  };
}
