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
import { type CelValue, ValueList, ValueMap } from "../../kube/schema/cel/values.ts";
import {
  AUTHORIZER,
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
};

/** Compiles expressions of admission and keeps them: they are evaluated with every write. */
export class AdmissionExpressions {
  readonly #environment: Environment = admissionEnvironment([authorizerLibrary]).withVariables(
    VARIABLES,
  );
  readonly #compiled = new Map<string, Expression | CompileFailure>();

  /** The expression, or why it cannot be compiled. */
  compile(source: string): Expression | CompileFailure {
    const known = this.#compiled.get(source);
    if (known) return known;
    const compiled = compileExpression(source, this.#environment);
    this.#compiled.set(source, compiled);
    return compiled;
  }
}

/** What the expressions of one request see. */
export function bindingsOf(
  request: AdmissionRequest,
  shownRequest: unknown,
  authorize: Authorize,
): (name: string) => Result | undefined {
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
      default:
        return undefined;
    }
  };
  return (name) => {
    const known = values.get(name);
    if (known !== undefined) return known;
    const value = compute(name);
    if (value !== undefined) values.set(name, value);
    return value;
  };
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
