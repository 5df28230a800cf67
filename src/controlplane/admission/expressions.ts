/**
 * Expressions of admission: their variables, and the JSON of a request as values of CEL.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/validating-admission-policy/#validation-expression
 * @module
 */
import type { CompileFailure } from "../../kube/schema/cel/compile.ts";
import { type Expression, compileExpression } from "../../kube/schema/cel/compile.ts";
import type { Environment } from "../../kube/schema/cel/environment.ts";
import { admissionEnvironment } from "../../kube/schema/cel/libraries.ts";
import type { Result } from "../../kube/schema/cel/scope.ts";
import { DYN } from "../../kube/schema/cel/types.ts";
import {
  CelError,
  CelMap,
  type CelValue,
  ValueList,
  ValueMap,
} from "../../kube/schema/cel/values.ts";
import {
  AUTHORIZER,
  RESOURCE_CHECK,
  ResourceCheck,
  AuthorizerValue,
  type Authorize,
  authorizerLibrary,
} from "./authorizer-library.ts";
import type { AdmissionRequest } from "./attributes.ts";

const VARIABLES = {
  object: DYN,
  oldObject: DYN,
  request: DYN,
  authorizer: AUTHORIZER,
  "authorizer.requestResource": RESOURCE_CHECK,
};

const POLICY_VARIABLES = { params: DYN, namespaceObject: DYN, variables: DYN };

/** Compiles expressions of admission and keeps them: they are evaluated with every write. */
export class AdmissionExpressions {
  readonly #environment: Environment;
  readonly #compiled = new Map<string, Expression | CompileFailure>();

  /** @param ofPolicies - with the variables that only policies have */
  constructor(ofPolicies: boolean) {
    const variables = ofPolicies ? { ...VARIABLES, ...POLICY_VARIABLES } : VARIABLES;
    this.#environment = admissionEnvironment([authorizerLibrary]).withVariables(variables);
  }

  /** The expression, or why it cannot be compiled. */
  compile(source: string): Expression | CompileFailure {
    const known = this.#compiled.get(source);
    if (known) return known;
    const compiled = compileExpression(source, this.#environment);
    this.#compiled.set(source, compiled);
    return compiled;
  }
}

/** An expression under a name, evaluated when it is first used. */
export interface Variable {
  readonly name: string;
  readonly expression: string;
}

type Bindings = (name: string) => Result | undefined;

/** What policies see beside the request. */
export interface PolicyContext {
  readonly params: unknown;
  readonly namespaceObject: unknown;
  readonly variables: readonly Variable[];
  evaluate(expression: string, bindings: Bindings): Result;
}

/** What the expressions of one request see. */
export function bindingsOf(
  request: AdmissionRequest,
  shownRequest: unknown,
  authorize: Authorize,
  policy?: PolicyContext,
): Bindings {
  const values = new Map<string, CelValue>();
  const compute = (name: string): CelValue | undefined => {
    switch (name) {
      case "object":
        return valueOfJson(request.object ?? null);
      case "oldObject":
        return valueOfJson(request.oldObject ?? null);
      case "request":
        return valueOfJson(shownRequest);
      case "authorizer":
        return new AuthorizerValue(request.user, authorize);
      case "authorizer.requestResource":
        return requestCheck(request, authorize);
      case "params":
        return policy && valueOfJson(policy.params);
      case "namespaceObject":
        return policy && valueOfJson(policy.namespaceObject);
      case "variables":
        return policy && new VariablesMap(policy, bindings);
      default:
        return undefined;
    }
  };
  const bindings: Bindings = (name) => {
    const known = values.get(name);
    if (known !== undefined) return known;
    const value = compute(name);
    if (value !== undefined) values.set(name, value);
    return value;
  };
  return bindings;
}

/** `variables` of a policy: each is evaluated once, when it is asked for. */
class VariablesMap extends CelMap {
  readonly #policy: PolicyContext;
  readonly #bindings: Bindings;
  readonly #values = new Map<string, Result>();

  constructor(policy: PolicyContext, bindings: Bindings) {
    super();
    this.#policy = policy;
    this.#bindings = bindings;
  }

  get size(): number {
    return this.#policy.variables.length;
  }

  find(key: CelValue): Result | undefined {
    if (typeof key !== "string") return undefined;
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const variable = this.#policy.variables.find(({ name }) => name === key);
    if (!variable) return undefined;
    const result = this.#policy.evaluate(variable.expression, this.#bindings);
    const value =
      result instanceof CelError
        ? new CelError(
            `composited variable ${JSON.stringify(key)} fails to evaluate: ${result.message}`,
          )
        : result;
    this.#values.set(key, value);
    return value;
  }

  *keys(): Generator<CelValue> {
    for (const { name } of this.#policy.variables) yield name;
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
