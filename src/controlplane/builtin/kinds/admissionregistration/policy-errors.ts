/**
 * Errors of admission policies, in the API server's words.
 *
 * @see https://pkg.go.dev/k8s.io/kubernetes/pkg/apis/admissionregistration/validation
 */
import type {
  AuditAnnotation,
  Mutation,
  ParamKind,
  Validation,
  Variable,
} from "../../../../generated/k8s/admissionregistration-v1.ts";
import { isReserved } from "../../../../kube/cel/escaping.ts";
import { BOOL, type CelType, NULL, STRING, listOf } from "../../../../kube/cel/types.ts";
import { Check } from "../../../../kube/check.ts";
import type { FieldError } from "../../../../kube/field-errors.ts";
import { sameJson } from "../../../../kube/json.ts";
import {
  dns1035LabelErrors,
  dns1123SubdomainErrors,
  qualifiedNameErrors,
} from "../../../../kube/names.ts";
import { conditionErrors } from "../../../../kube/webhooks/webhook-rules.ts";
import {
  ExpressionCompiler,
  type Surroundings,
  conditionProblem,
} from "../../../admission/expressions/expressions.ts";
import { OBJECT, PATCH } from "../../../admission/expressions/patch-library.ts";
import { checkMatch, checkMutatedOperations } from "./match-errors.ts";
import type { MutatingPolicy, Policy, ValidatingPolicy } from "./policy.ts";

const MAX_ANNOTATIONS = 20;
const MAX_ANNOTATION_BYTES = 5 * 1024;
const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;

/** All errors of a ValidatingAdmissionPolicy. @param old - absent for a new one */
export const validatingPolicyErrors = (
  { metadata, spec }: ValidatingPolicy,
  old?: ValidatingPolicy,
): FieldError[] =>
  Check.errorsOf(
    spec,
    (policy) => {
      const compile = checkCommon(policy, old, false);
      const [validations, annotations] = [policy.at("validations"), policy.at("auditAnnotations")];
      if (validations.count === 0 && annotations.count === 0) {
        const rule = "validations or auditAnnotations must contain at least one item";
        validations.required(rule);
        annotations.required(rule);
      }
      validations.each((validation) => checkValidation(validation, compile));
      if (annotations.count > MAX_ANNOTATIONS) {
        annotations.invalid(`must not have more than ${MAX_ANNOTATIONS} auditAnnotations`);
      }
      const keys = new Set<string>();
      annotations.each((annotation) => {
        checkAnnotation(annotation, metadata.name ?? "", compile);
        annotation.at("key").uniqueIn(keys);
      });
    },
    "spec",
  );

/** All errors of a MutatingAdmissionPolicy. @param old - absent for a new one */
export const mutatingPolicyErrors = (
  { spec }: MutatingPolicy,
  old?: MutatingPolicy,
): FieldError[] =>
  Check.errorsOf(
    spec,
    (policy) => {
      const compile = checkCommon(policy, old, true);
      policy.at("mutations").given("mutations must contain at least one item");
      policy.at("mutations").each((mutation) => checkMutation(mutation, compile));
      const reinvocation = policy.at("reinvocationPolicy");
      if (reinvocation.given()) reinvocation.oneOf(["IfNeeded", "Never"]);
    },
    "spec",
  );

/**
 * Checks an expression of a policy, and returns the type of its result.
 *
 * @param gives - the types that the result may have; any type when empty
 * @param source - the expression, where it is not the text that messages show
 */
type Compile = (
  expression: Check<string | undefined>,
  gives: readonly CelType[],
  more?: Partial<Surroundings>,
  source?: string,
) => CelType;

/** Checks the parts that policies of both kinds have, and makes the check of other expressions. */
function checkCommon(
  policy: Check<Policy["spec"]>,
  old: Policy | undefined,
  mutates: boolean,
): Compile {
  const { paramKind, matchConditions } = policy.value;
  policy.at("failurePolicy").oneOf(["Fail", "Ignore"]);
  policy.at("paramKind").ifSet(checkParamKind);
  const match = policy.at("matchConstraints");
  if (!match.value) match.required();
  match.ifSet((constraints) => {
    checkMatch(constraints);
    constraints.at("resourceRules").given();
    if (mutates) checkMutatedOperations(constraints);
  });
  const compiler = new ExpressionCompiler();
  const params = paramKind !== undefined;
  const isKnown =
    old !== undefined &&
    sameJson(old.spec.paramKind, paramKind) &&
    sameJson(old.spec.matchConditions, matchConditions);
  if (!isKnown) {
    const problemOf = conditionProblem(compiler, params);
    policy
      .at("matchConditions")
      .by((field, conditions) => conditionErrors(field, conditions, problemOf));
  }
  const variables = new Map<string, CelType>();
  // Validating policies without variables have no `variables` either.
  const composes = mutates || policy.at("variables").count > 0;
  const surroundings = { params, authorizer: true, ...(composes ? { variables } : {}) };
  const compile: Compile = (expression, gives, more, source = expression.value ?? "") => {
    const { problem, type } = compiler.compile(source, gives, { ...surroundings, ...more });
    if (problem !== undefined) expression.invalid(problem);
    return type;
  };
  policy.at("variables").each((variable: Check<Partial<Variable>>) => {
    const [name, expression] = [variable.at("name"), variable.at("expression")];
    const { value: own = "" } = name;
    if (isBlank(own)) name.required("name is not specified");
    else if (!IDENTIFIER.test(own) || isReserved(own)) {
      name.invalid("must be a valid CEL identifier");
    }
    if (isBlank(expression.value)) expression.required("expression is not specified");
    else variables.set(own, compile(expression, []));
  });
  return compile;
}

const isBlank = (text: string | undefined): boolean => (text ?? "").trim() === "";

function checkValidation(validation: Check<Partial<Validation>>, compile: Compile): void {
  const [expression, made] = [validation.at("expression"), validation.at("messageExpression")];
  if (isBlank(expression.value)) expression.required("expression is not specified");
  else compile(expression, [BOOL]);
  const blank = "must be non-empty if specified";
  if (made.value) {
    if (isBlank(made.value)) made.invalid(blank);
    else compile(made, [STRING], { authorizer: false });
  }
  const message = validation.at("message");
  if (message.value && isBlank(message.value)) message.invalid(blank);
  else if (/[\n\r]/.test(message.value?.trim() ?? "")) {
    message.invalid("must not contain line breaks");
  }
  validation
    .at("reason")
    .ifSet((reason) => reason.oneOf(["Forbidden", "Invalid", "RequestEntityTooLarge"]));
}

function checkAnnotation(
  annotation: Check<Partial<AuditAnnotation>>,
  policy: string,
  compile: Compile,
): void {
  const [key, expression] = [annotation.at("key"), annotation.at("valueExpression")];
  const { value: own = "" } = key;
  if (policy === "") key.invalid("requires metadata.name be non-empty", own);
  else key.as(`${policy}/${own}`).named(qualifiedNameErrors);
  const trimmed = (expression.value ?? "").trim();
  if (trimmed === "") expression.required("valueExpression is not specified");
  else if (Buffer.byteLength(trimmed) > MAX_ANNOTATION_BYTES) {
    expression.required(`must not exceed ${MAX_ANNOTATION_BYTES} bytes in length`);
  } else compile(expression, [STRING, NULL], {}, trimmed);
}

function checkMutation(mutation: Check<Partial<Mutation>>, compile: Compile): void {
  const { patchType = "" } = mutation.value;
  const type = mutation.at("patchType");
  if (!type.given() || !type.passes(() => type.oneOf(["ApplyConfiguration", "JSONPatch"]))) return;
  const isPatch = patchType === "JSONPatch";
  const [part, other] = isPatch
    ? [mutation.at("jsonPatch"), mutation.at("applyConfiguration")]
    : [mutation.at("applyConfiguration"), mutation.at("jsonPatch")];
  if (part.value) {
    const expression = part.at("expression");
    const trimmed = expression.as((expression.value ?? "").trim());
    if (trimmed.given()) compile(trimmed, [isPatch ? listOf(PATCH) : OBJECT], { patches: true });
  } else part.required(`must be specified when patchType is ${patchType}`);
  if (other.value) {
    const name = isPatch ? "applyConfiguration" : "jsonPatch";
    other.invalid(`must not be specified when patchType is ${patchType}`, `{${name}}`);
  }
}

function checkParamKind(kind: Check<ParamKind>): void {
  checkApiVersion(kind.at("apiVersion"));
  const name = kind.at("kind");
  if (!name.given()) return;
  const problems = dns1035LabelErrors((name.value ?? "").toLowerCase());
  if (problems.length === 0) return;
  name.invalid(`may have mixed case, but should otherwise match: ${problems.join(",")}`);
}

function checkApiVersion(apiVersion: Check<string | undefined>): void {
  if (!apiVersion.given()) return;
  const { value = "" } = apiVersion;
  const parts = value === "/" ? [""] : value.split("/");
  if (parts.length > 2) {
    apiVersion.invalid(`unexpected GroupVersion string: ${value}`);
    return;
  }
  const checkPart = (part: string, rule: (name: string) => string[]): void => {
    const problems = rule(part);
    if (problems.length > 0) apiVersion.invalid(problems.join(","), part);
  };
  const [version = "", group = ""] = parts.reverse();
  if (group !== "") checkPart(group, dns1123SubdomainErrors);
  if (version === "") apiVersion.invalid("version must be specified");
  else checkPart(version, dns1035LabelErrors);
}
