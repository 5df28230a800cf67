/**
 * Errors of admission policies, in the API server's words.
 *
 * @see https://pkg.go.dev/k8s.io/kubernetes/pkg/apis/admissionregistration/validation
 */
import { sameJson } from "../../../kube/json.ts";
import {
  type FieldError,
  duplicate,
  invalidValue,
  notSupported,
  required,
  nameErrorsAt,
} from "../../../kube/field-errors.ts";
import {
  dns1035LabelErrors,
  dns1123SubdomainErrors,
  qualifiedNameErrors,
} from "../../../kube/names.ts";
import { isReserved } from "../../../kube/cel/escaping.ts";
import { BOOL, type CelType, NULL, STRING, listOf } from "../../../kube/cel/types.ts";
import { conditionErrors, optionalWord } from "../../../kube/webhooks/webhook-rules.ts";
import { conditionProblem, ExpressionCompiler, type Surroundings } from "../expressions.ts";
import { OBJECT, PATCH } from "../patch-library.ts";
import { matchErrors, mutatedOperationErrors } from "./match-errors.ts";
import type {
  AuditAnnotation,
  Mutation,
  ParamKind,
  Validation,
  Variable,
} from "../../../generated/k8s/admissionregistration-v1.ts";
import type { MutatingPolicy, Policy, ValidatingPolicy } from "./policy.ts";

const REASONS = ["Forbidden", "Invalid", "RequestEntityTooLarge"];
const PATCH_TYPES = ["ApplyConfiguration", "JSONPatch"];
const MAX_ANNOTATIONS = 20;
const MAX_ANNOTATION_BYTES = 5 * 1024;
const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;

/** All errors of a ValidatingAdmissionPolicy. @param old - absent for a new one */
export function validatingPolicyErrors(
  policy: ValidatingPolicy,
  old?: ValidatingPolicy,
): FieldError[] {
  const check = new PolicyCheck(policy);
  const { validations, auditAnnotations } = policy.spec;
  const errors = check.commonErrors(old, false);
  if (!validations?.length && !auditAnnotations?.length) {
    const rule = "validations or auditAnnotations must contain at least one item";
    return [...errors, required("spec.validations", rule), required("spec.auditAnnotations", rule)];
  }
  for (const [index, validation] of (validations ?? []).entries()) {
    errors.push(...check.validationErrors(validation, `spec.validations[${index}]`));
  }
  if ((auditAnnotations?.length ?? 0) > MAX_ANNOTATIONS) {
    const rule = `must not have more than ${MAX_ANNOTATIONS} auditAnnotations`;
    errors.push(invalidValue("spec.auditAnnotations", auditAnnotations, rule));
  }
  const keys = new Set<string>();
  for (const [index, annotation] of (auditAnnotations ?? []).entries()) {
    const at = `spec.auditAnnotations[${index}]`;
    errors.push(...check.annotationErrors(annotation, at));
    const { key } = annotation;
    if (keys.has(key)) errors.push(duplicate(`${at}.key`, key));
    keys.add(key);
  }
  return errors;
}

/** All errors of a MutatingAdmissionPolicy. @param old - absent for a new one */
export function mutatingPolicyErrors(policy: MutatingPolicy, old?: MutatingPolicy): FieldError[] {
  const check = new PolicyCheck(policy);
  const { mutations, reinvocationPolicy = "" } = policy.spec;
  const errors = check.commonErrors(old, true);
  if (!mutations?.length) {
    errors.push(required("spec.mutations", "mutations must contain at least one item"));
  }
  for (const [index, mutation] of (mutations ?? []).entries()) {
    errors.push(...check.mutationErrors(mutation, `spec.mutations[${index}]`));
  }
  const field = "spec.reinvocationPolicy";
  if (reinvocationPolicy === "") return [...errors, required(field)];
  return [...errors, ...optionalWord(field, reinvocationPolicy, ["IfNeeded", "Never"])];
}

/** Checks one policy; compiles its variables on the way. */
class PolicyCheck {
  readonly #policy: Policy;
  readonly #compiler = new ExpressionCompiler();
  readonly #variables = new Map<string, CelType>();

  constructor(policy: Policy) {
    this.#policy = policy;
  }

  commonErrors(old: Policy | undefined, mutates: boolean): FieldError[] {
    const { failurePolicy, paramKind, matchConstraints, matchConditions, variables } =
      this.#policy.spec;
    const errors =
      failurePolicy === undefined
        ? [required("spec.failurePolicy")]
        : optionalWord("spec.failurePolicy", failurePolicy, ["Fail", "Ignore"]);
    if (paramKind) errors.push(...paramKindErrors(paramKind, "spec.paramKind"));
    const match = "spec.matchConstraints";
    if (!matchConstraints) errors.push(required(match));
    else {
      errors.push(...matchErrors(matchConstraints, match));
      const rules = matchConstraints.resourceRules ?? [];
      if (rules.length === 0) errors.push(required(`${match}.resourceRules`));
      if (mutates) errors.push(...mutatedOperationErrors(rules, match));
    }
    const isKnown =
      old !== undefined &&
      sameJson(old.spec.paramKind, paramKind) &&
      sameJson(old.spec.matchConditions, matchConditions);
    if (!isKnown) {
      errors.push(
        ...conditionErrors(
          "spec.matchConditions",
          matchConditions,
          conditionProblem(this.#compiler, this.#hasParams),
        ),
      );
    }
    for (const [index, variable] of (variables ?? []).entries()) {
      errors.push(...this.#variableErrors(variable, `spec.variables[${index}]`));
    }
    return errors;
  }

  get #hasParams(): boolean {
    return this.#policy.spec.paramKind !== undefined;
  }

  /** Validating policies without variables have no `variables` either. */
  get #surroundings(): Surroundings {
    const composes =
      "mutations" in this.#policy.spec || (this.#policy.spec.variables ?? []).length > 0;
    return {
      params: this.#hasParams,
      authorizer: true,
      ...(composes ? { variables: this.#variables } : {}),
    };
  }

  #variableErrors({ name, expression }: Partial<Variable>, at: string): FieldError[] {
    const errors: FieldError[] = [];
    if (!name?.trim()) errors.push(required(`${at}.name`, "name is not specified"));
    else if (!IDENTIFIER.test(name) || isReserved(name)) {
      errors.push(invalidValue(`${at}.name`, name, "must be a valid CEL identifier"));
    }
    if (!expression?.trim()) {
      return [...errors, required(`${at}.expression`, "expression is not specified")];
    }
    const { problem, type } = this.#compiler.compile(expression, [], this.#surroundings);
    this.#variables.set(name ?? "", type);
    if (problem === undefined) return errors;
    return [...errors, invalidValue(`${at}.expression`, expression, problem)];
  }

  validationErrors(validation: Partial<Validation>, at: string): FieldError[] {
    const { expression = "", message = "", messageExpression = "", reason } = validation;
    const errors: FieldError[] = [];
    if (expression.trim() === "") {
      errors.push(required(`${at}.expression`, "expression is not specified"));
    } else errors.push(...this.#expressionErrors(expression, [BOOL], `${at}.expression`));
    if (messageExpression !== "") {
      const field = `${at}.messageExpression`;
      errors.push(
        ...(messageExpression.trim() === ""
          ? [invalidValue(field, messageExpression, "must be non-empty if specified")]
          : this.#expressionErrors(messageExpression, [STRING], field, { authorizer: false })),
      );
    }
    if (message !== "" && message.trim() === "") {
      errors.push(invalidValue(`${at}.message`, message, "must be non-empty if specified"));
    } else if (/[\n\r]/.test(message.trim())) {
      errors.push(invalidValue(`${at}.message`, message, "must not contain line breaks"));
    }
    return [...errors, ...optionalWord(`${at}.reason`, reason, REASONS)];
  }

  #expressionErrors(
    source: string,
    gives: readonly CelType[],
    field: string,
    more: Partial<Surroundings> = {},
  ): FieldError[] {
    const surroundings = { ...this.#surroundings, ...more };
    const { problem } = this.#compiler.compile(source, gives, surroundings);
    return problem === undefined ? [] : [invalidValue(field, source, problem)];
  }

  annotationErrors(annotation: Partial<AuditAnnotation>, at: string): FieldError[] {
    const { key = "", valueExpression = "" } = annotation;
    const { name = "" } = this.#policy.metadata;
    const errors =
      name === ""
        ? [invalidValue(`${at}.key`, key, "requires metadata.name be non-empty")]
        : nameErrorsAt(`${at}.key`, `${name}/${key}`, qualifiedNameErrors);
    const field = `${at}.valueExpression`;
    const trimmed = valueExpression.trim();
    if (trimmed === "") return [...errors, required(field, "valueExpression is not specified")];
    if (Buffer.byteLength(trimmed) > MAX_ANNOTATION_BYTES) {
      const rule = `must not exceed ${MAX_ANNOTATION_BYTES} bytes in length`;
      return [...errors, required(field, rule)];
    }
    const gives = [STRING, NULL];
    const { problem } = this.#compiler.compile(trimmed, gives, this.#surroundings);
    return problem === undefined
      ? errors
      : [...errors, invalidValue(field, valueExpression, problem)];
  }

  mutationErrors(mutation: Partial<Mutation>, at: string): FieldError[] {
    const { patchType = "" } = mutation;
    if (patchType === "") return [required(`${at}.patchType`)];
    if (!PATCH_TYPES.includes(patchType)) {
      return [notSupported(`${at}.patchType`, patchType, PATCH_TYPES)];
    }
    const isPatch = patchType === "JSONPatch";
    const [own, other] = isPatch
      ? (["jsonPatch", "applyConfiguration"] as const)
      : (["applyConfiguration", "jsonPatch"] as const);
    const part = mutation[own];
    const errors = part
      ? this.#mutationExpressionErrors(part.expression ?? "", isPatch, `${at}.${own}.expression`)
      : [required(`${at}.${own}`, `must be specified when patchType is ${patchType}`)];
    if (mutation[other]) {
      const rule = `must not be specified when patchType is ${patchType}`;
      errors.push(invalidValue(`${at}.${other}`, `{${other}}`, rule));
    }
    return errors;
  }

  #mutationExpressionErrors(source: string, isPatch: boolean, field: string): FieldError[] {
    const trimmed = source.trim();
    if (trimmed === "") return [required(field)];
    const gives = [isPatch ? listOf(PATCH) : OBJECT];
    return this.#expressionErrors(trimmed, gives, field, { patches: true });
  }
}

function paramKindErrors(
  { apiVersion = "", kind = "" }: Partial<ParamKind>,
  path: string,
): FieldError[] {
  const errors = apiVersionErrors(apiVersion, `${path}.apiVersion`);
  if (kind === "") return [...errors, required(`${path}.kind`)];
  const problems = dns1035LabelErrors(kind.toLowerCase());
  if (problems.length === 0) return errors;
  const rule = `may have mixed case, but should otherwise match: ${problems.join(",")}`;
  return [...errors, invalidValue(`${path}.kind`, kind, rule)];
}

function apiVersionErrors(apiVersion: string, field: string): FieldError[] {
  if (apiVersion === "") return [required(field)];
  const parts = apiVersion === "/" ? [""] : apiVersion.split("/");
  if (parts.length > 2) {
    return [invalidValue(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  }
  const [group, version = ""] = parts.length === 1 ? ["", ...parts] : parts;
  const errors: FieldError[] = [];
  const groupProblems = group ? dns1123SubdomainErrors(group) : [];
  if (groupProblems.length > 0) errors.push(invalidValue(field, group, groupProblems.join(",")));
  if (version === "")
    return [...errors, invalidValue(field, apiVersion, "version must be specified")];
  const problems = dns1035LabelErrors(version);
  return problems.length === 0
    ? errors
    : [...errors, invalidValue(field, version, problems.join(","))];
}
