/**
 * Evaluates expressions of admission: the write as they see it, and the limits of their cost.
 *
 * @see https://pkg.go.dev/k8s.io/apiserver/pkg/admission/plugin/cel
 */
import type { Result } from "../../kube/cel/run/scope.ts";
import { CelError, CelMap, type CelValue, ValueList, ValueMap } from "../../kube/cel/values.ts";
import type { JsonObject } from "../../kube/object.ts";
import type { AdmissionRequest } from "./attributes.ts";
import { AUTHORIZER, type Authorize, RESOURCE_CHECK } from "./authorizer-library.ts";
import type { CompiledExpression } from "./expressions.ts";

/** The limit of the cost of all match conditions of one policy or webhook. */
export const CONDITIONS_BUDGET = 2_500_000;
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

/** A write as expressions see it; each part of it is turned into CEL values once. */
export class RequestView {
  readonly request: AdmissionRequest;
  readonly #shown: JsonObject;
  readonly #values = new Map<string, CelValue>();

  /** @param shown - the `request` of expressions */
  constructor(request: AdmissionRequest, shown: JsonObject) {
    this.request = request;
    this.#shown = shown;
  }

  value(name: "object" | "oldObject" | "request"): CelValue {
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    const value = valueOfJson(name === "request" ? this.#shown : this.request[name]);
    this.#values.set(name, value);
    return value;
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
      case "authorizer.requestResource":
        return requestCheck(view.request, authorize);
      case "variables":
        return new VariablesMap(variables ?? new Map(), (variable) => this.#variable(variable));
      default:
        return undefined;
    }
  }

  #variable({ expression, problem = "" }: CompiledExpression): Result {
    if (!expression) return new CelError(`fails to compile: ${problem}`);
    const { result, cost } = expression.evaluate((name) => this.#find(name));
    this.#variablesCost += cost;
    return result instanceof CelError
      ? new CelError(`fails to evaluate: ${result.message}`)
      : result;
  }
}

/** `variables` of a policy. */
class VariablesMap extends CelMap {
  readonly #variables: ReadonlyMap<string, CompiledExpression>;
  readonly #evaluate: (variable: CompiledExpression) => Result;
  readonly #values = new Map<string, Result>();

  constructor(
    variables: ReadonlyMap<string, CompiledExpression>,
    evaluate: (variable: CompiledExpression) => Result,
  ) {
    super();
    this.#variables = variables;
    this.#evaluate = evaluate;
  }

  get size(): number {
    return this.#variables.size;
  }

  find(key: CelValue): Result | undefined {
    if (typeof key !== "string") return undefined;
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const variable = this.#variables.get(key);
    if (!variable) return undefined;
    const result = this.#evaluate(variable);
    const value =
      result instanceof CelError
        ? new CelError(`composited variable ${JSON.stringify(key)} ${result.message}`)
        : result;
    this.#values.set(key, value);
    return value;
  }

  keys(): Iterable<CelValue> {
    return this.#variables.keys();
  }

  equals(other: CelValue): boolean {
    return other === this;
  }

  toString(): string {
    return "variables";
  }
}

/**
 * The `ResourceCheck` about the resource of the request: whether the user may do other things with
 * it.
 */
function requestCheck(request: AdmissionRequest, authorize: Authorize): CelValue {
  const { resource, subresource, namespace, name } = request;
  const asked = { group: resource.group, resource: resource.plural, subresource, namespace, name };
  return RESOURCE_CHECK.of({ user: request.user, authorize, asked });
}

/** JSON without a schema as a value of CEL: whole numbers are integers. */
function valueOfJson(json: unknown): CelValue {
  if (json === undefined || json === null) return null;
  if (Array.isArray(json)) return new ValueList(json.map(valueOfJson));
  if (typeof json === "object") {
    const map = new ValueMap();
    for (const [key, value] of Object.entries(json)) map.set(key, valueOfJson(value));
    return map;
  }
  if (typeof json === "number") return Number.isInteger(json) ? BigInt(json) : json;
  return json as string | boolean | bigint;
}
