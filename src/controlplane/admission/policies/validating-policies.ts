/**
 * ValidatingAdmissionPolicies: expressions that judge writes, where bindings say so.
 *
 * Audit annotations are evaluated although there is no audit log, because one that fails denies.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/
 */
import type { Validation } from "../../../generated/k8s/admissionregistration-v1.ts";
import { BOOL, NULL, STRING } from "../../../kube/cel/types.ts";
import { CelError } from "../../../kube/cel/values.ts";
import { StatusError } from "../../../kube/status.ts";
import type { ServedResource } from "../../kinds.ts";
import {
  Activation,
  Budget,
  type Inputs,
  OutOfBudget,
  POLICY_BUDGET,
  matchConditions,
} from "../activation.ts";
import type { AdmissionRequest } from "../attributes.ts";
import type { CompiledExpression, ExpressionCompiler } from "../expressions/expressions.ts";
import { refusal } from "../refusal.ts";
import { RequestView, namespaceOf, requestIn } from "../request-views.ts";
import {
  type ConfigurationProblem,
  type Invocation,
  type PolicyPorts,
  hasBindings,
  invocationsFor,
  mustNotFail,
} from "./policy-matching.ts";
import {
  type CommonParts,
  VALIDATING,
  type ValidatingPolicy,
  compileCommonParts,
  perObject,
} from "../../builtin/kinds/admissionregistration/policy.ts";
import { tableOf } from "../../../table.ts";

const MESSAGE_MAX_BYTES = 5 * 1024;
const CODES = tableOf<number>({ Forbidden: 403, RequestEntityTooLarge: 413 });

interface Objection {
  readonly message: string;
  readonly reason: string;
}

/** The objection to a write that cannot be judged. */
const failed = (message: string): Objection => ({ message, reason: "Invalid" });

/** The result of an evaluation. */
interface Verdict {
  readonly objections: readonly Objection[];
  /** Failures, which deny whatever the binding's actions are. */
  readonly failures?: readonly Objection[];
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
  readonly #ports: PolicyPorts;
  readonly #compiled: (policy: ValidatingPolicy) => CompiledPolicy;

  constructor(ports: PolicyPorts) {
    this.#ports = ports;
    this.#compiled = perObject((policy) => compilePolicy(ports.compiler, policy));
  }

  /** Whether any binding might match the request. */
  concerns(request: AdmissionRequest): boolean {
    return hasBindings(this.#ports.source, VALIDATING, request);
  }

  /** @throws StatusError when a policy denies */
  async validate(request: AdmissionRequest): Promise<void> {
    const { source, convert } = this.#ports;
    const { invocations, problems } = invocationsFor(source, VALIDATING, request);
    const denials = problems.map((problem) => denial(request, problem, failed(problem.message)));
    const views = new Map<ServedResource, RequestView>();
    for (const invocation of invocations) {
      const { binding, version } = invocation;
      let view = views.get(version);
      if (!view) {
        view = new RequestView(await requestIn(request, version, convert), version);
        views.set(version, view);
      }
      const { objections, failures = [] } = this.#evaluate(invocation, view);
      const actions = binding.spec.validationActions ?? [];
      if (actions.includes("Warn")) {
        for (const { message } of objections) {
          request.warn(`Validation failed for ${named(invocation)}: ${message}`);
        }
      }
      const counted = actions.includes("Deny") ? [...objections, ...failures] : failures;
      denials.push(...counted.map((one) => denial(request, invocation, one)));
    }
    if (denials[0]) throw denials[0];
  }

  #evaluate({ policy, params }: Invocation<ValidatingPolicy>, view: RequestView): Verdict {
    const { source, authorize } = this.#ports;
    const compiled = this.#compiled(policy);
    const fails = mustNotFail(policy);
    const inputs: Inputs = { view, authorize, params, variables: compiled.variables };
    const matches = matchConditions(compiled.conditions, inputs);
    if (matches === false) return { objections: [] };
    if (matches !== true) return { objections: fails ? [failed(matches.problem)] : [] };
    const full = { ...inputs, namespaceObject: namespaceOf(source, view.request) };
    try {
      const objections = objectionsOf(compiled, full, fails);
      return { objections, failures: fails ? annotationFailures(compiled, full) : [] };
    } catch (thrown) {
      if (!(thrown instanceof OutOfBudget)) throw thrown;
      return { objections: fails ? [failed(thrown.message)] : [] };
    }
  }
}

function compilePolicy(compiler: ExpressionCompiler, { spec }: ValidatingPolicy): CompiledPolicy {
  const common = compileCommonParts(compiler, spec);
  const { surroundings } = common;
  const unauthorized = { ...surroundings, authorizer: false };
  return {
    ...common,
    validations: (spec.validations ?? []).map((validation) => ({
      of: validation,
      rule: compiler.compile(validation.expression, [BOOL], surroundings),
      message: validation.messageExpression
        ? compiler.compile(validation.messageExpression, [STRING], unauthorized)
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
  const results = validations.map(({ rule }) => rules.evaluate(rule, budget));
  // All messages are evaluated, and count toward the budget, whether they are needed or not.
  const texts: (string | undefined)[] = [];
  let unpaid: string | undefined;
  try {
    for (const { message } of validations) {
      const text = message && messages.evaluate(message, budget);
      texts.push(typeof text === "string" ? text.trim() : undefined);
    }
  } catch (error) {
    if (!(error instanceof OutOfBudget)) throw error;
    unpaid = `failed messageExpression: ${error.message}`;
  }
  return validations.flatMap(({ of }, index): Objection[] => {
    const result = results[index];
    const problem = result instanceof CelError ? result.message : unpaid;
    if (problem !== undefined) return fails ? [failed(problem)] : [];
    if (result === true) return [];
    return [{ message: messageOf(of, texts[index]), reason: of.reason ?? "Invalid" }];
  });
}

function messageOf({ message = "", expression }: Validation, made = ""): string {
  const isUsable =
    made !== "" && !made.includes("\n") && Buffer.byteLength(made) <= MESSAGE_MAX_BYTES;
  if (isUsable) return made;
  return message.trim() === "" ? `failed expression: ${expression.trim()}` : message.trim();
}

/** @throws OutOfBudget */
function annotationFailures({ annotations }: CompiledPolicy, inputs: Inputs): Objection[] {
  const activation = new Activation(inputs);
  const budget = new Budget(POLICY_BUDGET);
  return annotations.flatMap((annotation) => {
    const result = activation.evaluate(annotation, budget);
    return result instanceof CelError ? [failed(result.message)] : [];
  });
}

type Bound = Pick<ConfigurationProblem<ValidatingPolicy>, "policy" | "binding">;

const named = ({ policy, binding }: Bound): string => {
  const name = `ValidatingAdmissionPolicy '${policy.metadata.name ?? ""}'`;
  return binding ? `${name} with binding '${binding.metadata.name ?? ""}'` : name;
};

function denial(
  request: AdmissionRequest,
  bound: Bound,
  { message, reason }: Objection,
): StatusError {
  const text = `${named(bound)} denied request: ${message}`;
  const { status } = refusal(request, text, [{ message: text }]);
  return new StatusError({ ...status, reason, code: CODES.get(reason) ?? 422 });
}
