/**
 * Turns a checked tree into steps that can be run.
 *
 * @see https://pkg.go.dev/github.com/google/cel-go/interpreter
 */
import {
  ComputedQualifier,
  ConditionalPath,
  ConstantQualifier,
  type Path,
  PathStep,
  PresenceQualifier,
  type Qualifier,
  StepPath,
  VariablePath,
} from "./attributes.ts";
import { dispatch, type Runner } from "./dispatch.ts";
import type { Environment } from "../environment.ts";
import type { CallExpr, Expr, ListExpr, MapExpr } from "../expression.ts";
import { LoopStep } from "./loop.ts";
import { MessageStep } from "./message-step.ts";
import { compilePattern } from "../patterns.ts";
import { PlanError } from "./plan-error.ts";
import { callCost } from "../cost/runtime-cost.ts";
import { Meter, type Scope, type Step } from "./scope.ts";
import type { CelType } from "../types.ts";
import {
  CelError,
  type CelValue,
  equalValues,
  formatValue,
  noSuchOverload,
  Optional,
  TypeValue,
  Uint,
  ValueList,
  ValueMap,
  type Result,
} from "../values.ts";

const LIST_COST = 10;
const MAP_COST = 30;

const CONVERSIONS: ReadonlySet<string> = new Set([
  "bool",
  "bytes",
  "double",
  "duration",
  "dyn",
  "int",
  "string",
  "timestamp",
  "type",
  "uint",
]);

/** A step whose value is known. */
class ConstantStep implements Step {
  readonly constant: CelValue;

  constructor(value: CelValue) {
    this.constant = value;
  }

  run(): CelValue {
    return this.constant;
  }
}

/** The scope in which constants are computed: without variables and without a limit. */
const emptyScope = (): Scope => ({ meter: new Meter(Infinity), find: () => undefined });

/**
 * The steps of a tree without mistakes.
 *
 * @throws PlanError
 */
export function plan(expr: Expr, environment: Environment): Step {
  return new Planner(environment).plan(expr);
}

class Planner {
  readonly #environment: Environment;

  constructor(environment: Environment) {
    this.#environment = environment;
  }

  plan(expr: Expr): Step {
    switch (expr.kind) {
      case "literal":
        return new ConstantStep(expr.value);
      case "ident":
        if (expr.typeValue) return this.#type(expr.name, expr.typeValue);
        return new PathStep(new VariablePath(expr.name.replace(/^\./, "")));
      case "select": {
        if (expr.variable !== undefined) return new PathStep(new VariablePath(expr.variable));
        if (expr.typeValue) return this.#type(expr.typeValue.name, expr.typeValue);
        const path = pathOf(this.plan(expr.operand));
        path.add(expr.test ? new PresenceQualifier(expr.field) : field(expr.field));
        return new PathStep(path, expr.test);
      }
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "struct":
        return new MessageStep(
          this.#environment.findMessage(expr.name),
          expr,
          expr.fields.map(({ value }) => this.plan(value)),
        );
      case "comprehension":
        return new LoopStep(expr, {
          range: this.plan(expr.range),
          start: this.plan(expr.start),
          condition: this.plan(expr.condition),
          step: this.plan(expr.step),
          result: this.plan(expr.result),
        });
    }
  }

  #type(name: string, type: CelType): Step {
    const found = this.#environment.findType(name) ?? this.#environment.findType(type.name);
    if (!found?.value) throw new PlanError(`reference to undefined type: ${name}`);
    return new ConstantStep(new TypeValue(type));
  }

  #call(call: CallExpr): Step {
    const operands = call.target ? [call.target, ...call.args] : call.args;
    const steps = operands.map((operand) => this.plan(operand));
    const [first, second, third] = steps;
    switch (call.name) {
      case "_&&_":
      case "_||_":
        return { run: logic(steps, call.name === "_||_") };
      case "_?_:_":
        if (!first || !second || !third) break;
        return new PathStep(new ConditionalPath(first, branch(second), branch(third)));
      case "_==_":
      case "_!=_":
        if (!first || !second) break;
        return this.#equality(call, first, second);
      case "_[_]":
      case "_?._":
      case "_[?_]":
        if (!first || !second) break;
        return indexed(first, second, call.name !== "_[_]");
      case "or":
      case "orValue":
        if (!call.target || !first || !second) break;
        return { run: alternative(first, second, call.name === "orValue") };
      case "@not_strictly_false":
        if (!first) break;
        return notStrictlyFalse(first);
    }
    return this.#function(call, steps);
  }

  #cost(call: CallExpr): ReturnType<typeof callCost> {
    const overloads = call.overloads ?? [];
    const overloadId = overloads.length === 1 ? (overloads[0]?.id ?? "") : "";
    return callCost(call.name, overloadId, this.#environment.costs);
  }

  #equality(call: CallExpr, left: Step, right: Step): Step {
    const cost = callCost(
      call.name,
      call.name === "_==_" ? "equals" : "not_equals",
      this.#environment.costs,
    );
    const wanted = call.name === "_==_";
    return {
      run(scope) {
        const a = left.run(scope);
        const b = right.run(scope);
        if (a instanceof CelError || b instanceof CelError) {
          scope.meter.charge(1);
          return a instanceof CelError ? a : b;
        }
        const equal = equalValues(a, b);
        const result = wanted ? equal : equal !== true;
        scope.meter.charge(cost([a, b], result));
        return result;
      },
    };
  }

  #function(call: CallExpr, steps: readonly Step[]): Step {
    const declaration = this.#environment.findFunction(call.name);
    if (!declaration) throw new PlanError(`no such overload: ${call.name}`);
    const [first, second] = steps;
    if (call.name === "@in" && call.overloads?.length === 1 && second && first) {
      const member = call.overloads[0]?.id === "in_list" && membership(first, second);
      if (member) return member;
    }
    const run = withConstantPattern(call, second) ?? dispatch(declaration, call.overloads ?? []);
    const step: Step = { run: strict(steps, run, this.#cost(call)) };
    if (!CONVERSIONS.has(call.name) || steps.length !== 1 || first?.constant === undefined) {
      return step;
    }
    const value = step.run(emptyScope());
    if (value instanceof CelError) throw new PlanError(value.message);
    return new ConstantStep(value);
  }

  #list(list: ListExpr): Step {
    const items = list.items.map(({ value, optional }) => ({ step: this.plan(value), optional }));
    const run = (scope: Scope): Result => {
      const values: CelValue[] = [];
      for (const { step, optional } of items) {
        const value = step.run(scope);
        if (value instanceof CelError) return value;
        if (!optional) values.push(value);
        else if (!(value instanceof Optional)) return notOptionalItem(value);
        else if (value.value !== undefined) values.push(value.value);
      }
      return new ValueList(values);
    };
    return constructed(
      items.map(({ step }) => step),
      run,
      LIST_COST,
    );
  }

  #map(map: MapExpr): Step {
    const entries = map.entries.map(({ key, value, optional }) => ({
      key: this.plan(key),
      value: this.plan(value),
      optional,
    }));
    const run = (scope: Scope): Result => {
      const result = new ValueMap();
      for (const { key, value, optional } of entries) {
        const k = key.run(scope);
        if (k instanceof CelError) return k;
        const v = value.run(scope);
        if (v instanceof CelError) return v;
        if (!optional) result.set(k, v);
        else if (!(v instanceof Optional)) return notOptionalEntry(k, v);
        else if (v.value === undefined) result.delete(k);
        else result.set(k, v.value);
      }
      return result;
    };
    return constructed(
      entries.flatMap(({ key, value }) => [key, value]),
      run,
      MAP_COST,
    );
  }
}

const field = (name: string): Qualifier => new ConstantQualifier(name, false);

const notOptionalItem = (value: CelValue): CelError =>
  new CelError(
    `cannot initialize optional list element from non-optional value ${formatValue(value)}`,
  );

const notOptionalEntry = (key: CelValue, value: CelValue): CelError =>
  new CelError(
    `cannot initialize optional entry '${formatValue(key)}' from non-optional value ${formatValue(value)}`,
  );

/** A literal; made once when its parts are constants, and then without cost. */
function constructed(parts: readonly Step[], run: (scope: Scope) => Result, cost: number): Step {
  if (parts.every(({ constant }) => constant !== undefined)) {
    const value = run(emptyScope());
    if (!(value instanceof CelError)) return new ConstantStep(value);
  }
  return {
    run(scope) {
      const value = run(scope);
      scope.meter.charge(cost);
      return value;
    },
  };
}

/** The path that a step is, or one that starts at its result. */
const pathOf = (step: Step): Path => (step instanceof PathStep ? step.path : new StepPath(step));

const branch = pathOf;

function indexed(operand: Step, index: Step, optional: boolean): Step {
  const path = pathOf(operand);
  if (index.constant !== undefined) path.add(new ConstantQualifier(index.constant, optional));
  else {
    const key = index instanceof PathStep ? index.path : undefined;
    const resolve = (scope: Scope): Result => (key ? key.resolve(scope) : index.run(scope));
    path.add(new ComputedQualifier(resolve, optional));
  }
  return new PathStep(path);
}

/** `&&` and `||`: a deciding term hides the errors of the others. */
function logic(terms: readonly Step[], decisive: boolean): (scope: Scope) => Result {
  return (scope) => {
    let error: CelError | undefined;
    for (const term of terms) {
      const value = term.run(scope);
      if (value === decisive) return decisive;
      if (value !== !decisive) error ??= value instanceof CelError ? value : noSuchOverload();
    }
    return error ?? !decisive;
  };
}

function alternative(first: Step, second: Step, unwrap: boolean): (scope: Scope) => Result {
  return (scope) => {
    const value = first.run(scope);
    if (!(value instanceof Optional)) return value;
    if (value.value === undefined) return second.run(scope);
    return unwrap ? value.value : value;
  };
}

function notStrictlyFalse(operand: Step): Step {
  return {
    run(scope) {
      const value = operand.run(scope);
      scope.meter.charge(1);
      return typeof value === "boolean" ? value : true;
    },
  };
}

/** Runs a function on arguments that are not errors. */
function strict(
  steps: readonly Step[],
  run: Runner,
  cost: ReturnType<typeof callCost>,
): (scope: Scope) => Result {
  return (scope) => {
    const args: CelValue[] = [];
    let error: CelError | undefined;
    for (const step of steps) {
      const value = step.run(scope);
      if (!(value instanceof CelError)) args.push(value);
      else {
        error ??= value;
        if (steps.length > 2) return error;
      }
    }
    if (error) {
      scope.meter.charge(1);
      return error;
    }
    const result = run(args);
    scope.meter.charge(cost(args, result));
    return result;
  };
}

/** `x in [constants]`: a look-up without cost. */
function membership(value: Step, list: Step): Step | undefined {
  const { constant } = list;
  if (!(constant instanceof ValueList)) return undefined;
  if (constant.size === 0) return new ConstantStep(false);
  const isSimple = (item: CelValue): boolean =>
    item === null || typeof item !== "object" || item instanceof Uint;
  if (!constant.items.every(isSimple)) return undefined;
  return {
    run(scope) {
      const item = value.run(scope);
      return item instanceof CelError ? item : constant.contains(item);
    },
  };
}

/** A function on a constant pattern: the pattern is compiled once. */
function withConstantPattern(call: CallExpr, pattern: Step | undefined): Runner | undefined {
  const { name } = call;
  const text = pattern?.constant;
  if (!["matches", "find", "findAll"].includes(name) || typeof text !== "string") return undefined;
  const compiled = compilePattern(text);
  if (compiled instanceof CelError) throw new PlanError(compiled.message);
  if (name !== "matches") return undefined;
  return ([subject]) =>
    typeof subject === "string" ? compiled.matcher(subject).find() : noSuchOverload();
}
