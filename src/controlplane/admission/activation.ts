/**
 * Evaluates expressions of admission: what they see of a write, and what they may cost together.
 *
 * @see https://pkg.go.dev/k8s.io/apiserver/pkg/admission/plugin/cel
 * @module
 */
import type { Result } from "../../kube/cel/run/scope.ts";
import { CelError, CelMap, type CelValue, ValueList, ValueMap } from "../../kube/cel/values.ts";
import type { JsonObject } from "../../kube/object.ts";
import type { AdmissionRequest } from "./attributes.ts";
import { type Authorize, AuthorizerValue, ResourceCheck } from "./authorizer-library.ts";
import type { CompiledExpression } from "./expressions.ts";

/** What the conditions of one policy or webhook may cost together. */
export const CONDITIONS_BUDGET = 2_500_000;
/** What the other expressions of one policy may cost together. */
export const POLICY_BUDGET = 10_000_000;

/** The expressions cost more than they may together. */
export class OutOfBudget extends Error {
  override readonly name = "OutOfBudget";

  constructor() {
    super(
      "validation failed due to running out of cost budget, no further validation rules will be run",
    );
  }
}

/** What may still be spent. */
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

/** A write as expressions see it; what is asked for is turned into values once. */
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

/** What an evaluation has beside the write. */
export interface Inputs {
  readonly view: RequestView;
  readonly authorize: Authorize;
  readonly params?: unknown;
  readonly namespaceObject?: unknown;
  /** Of a policy, under their names. */
  readonly variables?: ReadonlyMap<string, CompiledExpression>;
}

/** One round of evaluations. Variables are computed once in it, when they are first asked for. */
export class Activation {
  readonly #inputs: Inputs;
  readonly #values = new Map<string, CelValue>();
  /** What variables cost since that was last counted. */
  #variablesCost = 0;

  constructor(inputs: Inputs) {
    this.#inputs = inputs;
  }

  /** The result, an error told as the API server tells it. @throws OutOfBudget */
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
        return new AuthorizerValue(view.request.user, authorize);
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

/** The question whether the user may do something else with what the request is about. */
function requestCheck(request: AdmissionRequest, authorize: Authorize): ResourceCheck {
  const { resource, subresource, namespace, name } = request;
  const asked = { group: resource.group, resource: resource.plural, subresource, namespace, name };
  return new ResourceCheck(new AuthorizerValue(request.user, authorize), asked);
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
