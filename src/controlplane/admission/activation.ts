/**
 * Evaluates expressions of admission: the write as they see it, and the limits of their cost.
 *
 * @see https://pkg.go.dev/k8s.io/apiserver/pkg/admission/plugin/cel
 */
import { CelError, CelMap, type CelValue, type Result } from "../../kube/cel/values.ts";
import { aggregate } from "../../kube/status.ts";
import { AUTHORIZER, type Authorize, RESOURCE_CHECK } from "./expressions/authorizer-library.ts";
import type { CompiledExpression } from "./expressions/expressions.ts";
import { type RequestView, valueOfJson } from "./request-views.ts";

/** The limit of the cost of all match conditions of one policy or webhook. */
const CONDITIONS_BUDGET = 2_500_000;
/** The limit of the cost of all other expressions of one policy. */
export const POLICY_BUDGET = 10_000_000;

/** Thrown when expressions have used up their budget. */
export class OutOfBudget extends Error {
  override readonly name = "OutOfBudget";

  constructor() {
    super(
      "validation failed due to running out of cost budget, no further validation rules will be run",
    );
  }
}

/** The cost that expressions may still have. */
export class Budget {
  #left: number;

  constructor(total: number) {
    this.#left = total;
  }

  /** @throws OutOfBudget */
  spend(cost: number): void {
    if (cost > this.#left) throw new OutOfBudget();
    this.#left -= cost;
  }
}

/** The inputs of an evaluation beside the write. */
export interface Inputs {
  readonly view: RequestView;
  readonly authorize: Authorize;
  readonly params?: unknown;
  readonly namespaceObject?: unknown;
  /** Variables of a policy, by name. */
  readonly variables?: ReadonlyMap<string, CompiledExpression>;
}

/** One round of evaluations. Variables are computed once in it, on first use. */
export class Activation {
  readonly #inputs: Inputs;
  readonly #values = new Map<string, CelValue>();
  /** The cost of variables since it was last counted. */
  #variablesCost = 0;

  constructor(inputs: Inputs) {
    this.#inputs = inputs;
  }

  /** The result; an error has the API server's words. @throws OutOfBudget */
  evaluate(compiled: CompiledExpression, budget: Budget): Result {
    const { expression, source, problem = "" } = compiled;
    if (!expression) return new CelError(`compilation error: ${problem}`);
    const { result, cost } = expression.evaluate((name) => this.#find(name));
    budget.spend(this.#variablesCost);
    this.#variablesCost = 0;
    budget.spend(cost);
    return result instanceof CelError
      ? new CelError(`expression '${source}' resulted in error: ${result.message}`)
      : result;
  }

  #find(name: string): Result | undefined {
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    const value = this.#compute(name);
    if (value !== undefined) this.#values.set(name, value);
    return value;
  }

  #compute(name: string): CelValue | undefined {
    const { view, authorize, params, namespaceObject, variables } = this.#inputs;
    switch (name) {
      case "object":
      case "oldObject":
      case "request":
        return view.value(name);
      case "params":
        return valueOfJson(params);
      case "namespaceObject":
        return valueOfJson(namespaceObject);
      case "authorizer":
        return AUTHORIZER.of({ user: view.request.user, authorize });
      case "authorizer.requestResource": {
        const { user, resource, subresource, namespace, name: own } = view.request;
        const { group, plural } = resource;
        const asked = { group, resource: plural, subresource, namespace, name: own };
        return RESOURCE_CHECK.of({ user, authorize, asked });
      }
      case "variables":
        return new VariablesMap([...(variables?.keys() ?? [])], (own) => this.#variable(own));
      default:
        return undefined;
    }
  }

  #variable(name: string): Result | undefined {
    const variable = this.#inputs.variables?.get(name);
    if (!variable) return undefined;
    const failed = (why: string): CelError =>
      new CelError(`composited variable ${JSON.stringify(name)} ${why}`);
    const { expression, problem = "" } = variable;
    if (!expression) return failed(`fails to compile: ${problem}`);
    const { result, cost } = expression.evaluate((inner) => this.#find(inner));
    this.#variablesCost += cost;
    return result instanceof CelError ? failed(`fails to evaluate: ${result.message}`) : result;
  }
}

/** `variables` of a policy. */
class VariablesMap extends CelMap {
  readonly #names: readonly string[];
  readonly #evaluate: (name: string) => Result | undefined;
  readonly #values = new Map<CelValue, Result | undefined>();

  constructor(names: readonly string[], evaluate: (name: string) => Result | undefined) {
    super();
    this.#names = names;
    this.#evaluate = evaluate;
  }

  get size(): number {
    return this.#names.length;
  }

  find(key: CelValue): Result | undefined {
    if (typeof key === "string" && !this.#values.has(key)) {
      this.#values.set(key, this.#evaluate(key));
    }
    return this.#values.get(key);
  }

  keys(): Iterable<CelValue> {
    return this.#names;
  }

  equals(other: CelValue): boolean {
    return other === this;
  }

  toString(): string {
    return "variables";
  }
}

/**
 * Whether `matchConditions`, which limit a webhook or a policy to certain requests, hold, or why
 * that cannot be said. One that is false decides, whatever the others give.
 *
 * @see
 * https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/#matching-requests-matchconditions
 */
export function matchConditions(
  conditions: readonly CompiledExpression[],
  inputs: Inputs,
): boolean | { readonly problem: string } {
  const activation = new Activation(inputs);
  const budget = new Budget(CONDITIONS_BUDGET);
  const problems: string[] = [];
  let isFalse = false;
  try {
    for (const condition of conditions) {
      const result = activation.evaluate(condition, budget);
      if (result === false) isFalse = true;
      else if (result instanceof CelError) problems.push(result.message);
    }
  } catch (error) {
    if (error instanceof OutOfBudget) return { problem: error.message };
    throw error;
  }
  if (isFalse) return false;
  return problems.length === 0 || { problem: aggregate(problems) };
}
