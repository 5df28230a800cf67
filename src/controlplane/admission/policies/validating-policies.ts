/**
 * ValidatingAdmissionPolicies: expressions that judge writes, where bindings say so.
 *
 * Audit annotations are evaluated although there is no audit log, because one that fails denies.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
import { BOOL, NULL, STRING } from "../../../kube/cel/types.ts";
import { CelError } from "../../../kube/cel/values.ts";
import type { StatusError } from "../../../kube/status.ts";
import type { CollectionName } from "../../resource-name.ts";
import { Activation, Budget, type Inputs, OutOfBudget, POLICY_BUDGET } from "../activation.ts";
import type { AdmissionRequest } from "../attributes.ts";
import type { Authorize } from "../authorizer-library.ts";
import type { CompiledExpression, ExpressionCompiler } from "../expressions.ts";
import { matchConditions } from "../match-conditions.ts";
import { refusal } from "../refusal.ts";
import type { RequestViews } from "../request-views.ts";
import { type WebhookSource, isExempt } from "../webhooks.ts";
import { type CommonParts, PerObject, compileCommonParts } from "./compiled-policy.ts";
import { type Invocation, invocationsFor } from "./policy-matching.ts";
import type { Validation } from "../../../generated/k8s/admissionregistration-v1.ts";
import { type Binding, type ValidatingPolicy, POLICY_GROUP } from "./policy.ts";

const POLICIES: CollectionName<ValidatingPolicy> = `validatingadmissionpolicies.${POLICY_GROUP}`;
const BINDINGS: CollectionName<Binding> = `validatingadmissionpolicybindings.${POLICY_GROUP}`;
const MESSAGE_MAX_BYTES = 5 * 1024;
const CODES: Readonly<Record<string, number>> = { Forbidden: 403, RequestEntityTooLarge: 413 };

/** An objection of a policy to a write. */
interface Objection {
  readonly message: string;
  readonly reason: string;
}

/** The result of an evaluation. */
interface Verdict {
  readonly objections: readonly Objection[];
  /** Failures, which deny whatever the binding's actions are. */
  readonly failures: readonly Objection[];
}

interface CompiledPolicy extends CommonParts {
  readonly validations: readonly {
    readonly rule: CompiledExpression;
    readonly message: CompiledExpression | undefined;
    readonly of: Validation;
  }[];
  readonly annotations: readonly CompiledExpression[];
}

/** Evaluates the stored ValidatingAdmissionPolicies. */
export class ValidatingPolicies {
  readonly #source: WebhookSource;
  readonly #authorize: Authorize;
  readonly #compiled: PerObject<ValidatingPolicy, CompiledPolicy>;

  constructor(source: WebhookSource, authorize: Authorize, compiler: ExpressionCompiler) {
    this.#source = source;
    this.#authorize = authorize;
    this.#compiled = new PerObject((policy) => compilePolicy(compiler, policy));
  }

  /** Whether any binding might match the request. */
  concerns(request: AdmissionRequest): boolean {
    return this.#bindings().length > 0 && !isExempt(request);
  }

  /** @throws StatusError when a policy denies */
  async validate(request: AdmissionRequest, views: RequestViews): Promise<void> {
    const { invocations, problems } = invocationsFor(
      this.#source,
      this.#source.store.list(POLICIES),
      this.#bindings(),
      request,
    );
    const denials = problems
      .filter(({ policy }) => policy.spec.failurePolicy !== "Ignore")
      .map(({ policy, binding, message }) =>
        denial(request, policy, binding, { message, reason: "Invalid" }),
      );
    for (const invocation of invocations) {
      const { policy, binding } = invocation;
      const { objections, failures } = await this.#evaluate(invocation, request, views);
      const actions = binding.spec.validationActions ?? [];
      if (actions.includes("Warn")) {
        for (const { message } of objections) {
          request.warn(`Validation failed for ${named(policy, binding)}: ${message}`);
        }
      }
      const counted = actions.includes("Deny") ? [...objections, ...failures] : failures;
      denials.push(...counted.map((one) => denial(request, policy, binding, one)));
    }
    if (denials[0]) throw denials[0];
  }

  #bindings(): readonly Binding[] {
    return this.#source.store.list(BINDINGS);
  }

  async #evaluate(
    { policy, params, version }: Invocation<ValidatingPolicy>,
    request: AdmissionRequest,
    views: RequestViews,
  ): Promise<Verdict> {
    const compiled = this.#compiled.of(policy);
    const fails = policy.spec.failurePolicy !== "Ignore";
    const error = (message: string): Objection => ({ message, reason: "Invalid" });
    const failed = (message: string): Verdict => ({
      objections: fails ? [error(message)] : [],
      failures: [],
    });
    const inputs: Inputs = {
      view: await views.in(version),
      authorize: this.#authorize,
      params,
      variables: compiled.variables,
    };
    const matches = matchConditions(compiled.conditions, inputs);
    if (matches === false) return { objections: [], failures: [] };
    if (matches !== true) return failed(matches.problem);
    const full = { ...inputs, namespaceObject: views.namespaceOf(request) };
    try {
      const objections = objectionsOf(compiled, full, fails);
      const failures = fails ? annotationFailures(compiled, full).map(error) : [];
      return { objections, failures };
    } catch (thrown) {
      if (thrown instanceof OutOfBudget) return failed(thrown.message);
      throw thrown;
    }
  }
}

function compilePolicy(compiler: ExpressionCompiler, { spec }: ValidatingPolicy): CompiledPolicy {
  const common = compileCommonParts(compiler, spec);
  const { surroundings } = common;
  return {
    ...common,
    validations: (spec.validations ?? []).map((validation) => ({
      of: validation,
      rule: compiler.compile(validation.expression, [BOOL], surroundings),
      message: validation.messageExpression
        ? compiler.compile(validation.messageExpression, [STRING], {
            ...surroundings,
            authorizer: false,
          })
        : undefined,
    })),
    annotations: (spec.auditAnnotations ?? []).map(({ valueExpression }) =>
      compiler.compile(valueExpression, [STRING, NULL], surroundings),
    ),
  };
}

/** @throws OutOfBudget */
function objectionsOf(
  { validations }: CompiledPolicy,
  inputs: Inputs,
  fails: boolean,
): Objection[] {
  const rules = new Activation(inputs);
  const messages = new Activation(inputs);
  const budget = new Budget(POLICY_BUDGET);
  const results = validations.map((validation) => ({
    ...validation,
    result: rules.evaluate(validation.rule, budget),
  }));
  // All messages are evaluated, and count toward the budget, whether they are needed or not.
  const texts: (string | undefined)[] = [];
  let unpaid: string | undefined;
  for (const { message } of validations) {
    try {
      const text = message ? messages.evaluate(message, budget) : undefined;
      texts.push(typeof text === "string" ? text.trim() : undefined);
    } catch (error) {
      if (!(error instanceof OutOfBudget)) throw error;
      unpaid = error.message;
      break;
    }
  }
  return results.flatMap(({ result, of }, index): Objection[] => {
    const failed = (message: string): Objection[] =>
      fails ? [{ message, reason: "Invalid" }] : [];
    if (result instanceof CelError) return failed(result.message);
    if (unpaid !== undefined) return failed(`failed messageExpression: ${unpaid}`);
    if (result === true) return [];
    return [{ message: messageOf(of, texts[index]), reason: of.reason ?? "Invalid" }];
  });
}

function messageOf({ message = "", expression }: Validation, made: string | undefined): string {
  const isUsable =
    made !== undefined &&
    made !== "" &&
    !made.includes("\n") &&
    Buffer.byteLength(made) <= MESSAGE_MAX_BYTES;
  if (isUsable) return made;
  return message.trim() === "" ? `failed expression: ${expression.trim()}` : message.trim();
}

/** @throws OutOfBudget */
function annotationFailures({ annotations }: CompiledPolicy, inputs: Inputs): string[] {
  const activation = new Activation(inputs);
  const budget = new Budget(POLICY_BUDGET);
  return annotations.flatMap((annotation) => {
    const result = activation.evaluate(annotation, budget);
    return result instanceof CelError ? [result.message] : [];
  });
}

const named = (policy: ValidatingPolicy, binding: Binding | undefined): string => {
  const name = `ValidatingAdmissionPolicy '${policy.metadata.name ?? ""}'`;
  return binding ? `${name} with binding '${binding.metadata.name ?? ""}'` : name;
};

function denial(
  request: AdmissionRequest,
  policy: ValidatingPolicy,
  binding: Binding | undefined,
  { message, reason }: Objection,
): StatusError {
  const text = `${named(policy, binding)} denied request: ${message}`;
  return refusal(request, text, {
    code: CODES[reason] ?? 422,
    reason,
    causes: [{ message: text }],
  });
}
