/** The expressions that policies of both kinds have, compiled once per stored policy. */
import type { SentObject } from "../../../kube/object.ts";
import { BOOL, type CelType } from "../../../kube/cel/types.ts";
import type { Policy } from "./policy.ts";
import type { CompiledExpression, ExpressionCompiler, Surroundings } from "../expressions.ts";
import type { Variable } from "../../../generated/k8s/admissionregistration-v1.ts";

/** Variables, compiled in their order: each may use those before it. */
interface CompiledVariables {
  readonly expressions: ReadonlyMap<string, CompiledExpression>;
  readonly types: ReadonlyMap<string, CelType>;
}

/** Compiles the variables of a policy. */
function compileVariables(
  compiler: ExpressionCompiler,
  variables: readonly Variable[],
  surroundings: Omit<Surroundings, "variables">,
): CompiledVariables {
  const expressions = new Map<string, CompiledExpression>();
  const types = new Map<string, CelType>();
  for (const { name, expression } of variables) {
    const compiled = compiler.compile(expression, [], { ...surroundings, variables: types });
    expressions.set(name, compiled);
    types.set(name, compiled.type);
  }
  return { expressions, types };
}

/** The compiled parts that policies of both kinds have. */
export interface CommonParts {
  readonly conditions: readonly CompiledExpression[];
  readonly variables: ReadonlyMap<string, CompiledExpression>;
  readonly surroundings: Surroundings;
}

/** Compiles the parts that policies of both kinds have. */
export function compileCommonParts(
  compiler: ExpressionCompiler,
  spec: Policy["spec"],
): CommonParts {
  const plain = { params: spec.paramKind !== undefined, authorizer: true };
  const { expressions, types } = compileVariables(compiler, spec.variables ?? [], plain);
  const surroundings = { ...plain, variables: types };
  return {
    surroundings,
    variables: expressions,
    conditions: (spec.matchConditions ?? []).map(({ expression }) =>
      compiler.compile(expression, [BOOL], surroundings),
    ),
  };
}

/** Values computed from stored objects, remembered for as long as the object is stored. */
export class PerObject<O extends SentObject, T> {
  readonly #known = new WeakMap<O, T>();
  readonly #make: (object: O) => T;

  constructor(make: (object: O) => T) {
    this.#make = make;
  }

  of(object: O): T {
    let known = this.#known.get(object);
    if (known === undefined) {
      known = this.#make(object);
      this.#known.set(object, known);
    }
    return known;
  }
}
