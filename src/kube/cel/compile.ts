/**
 * Expressions of CEL: compiled once, estimated, evaluated as often as needed.
 *
 * @example
 * const environment = kubernetesEnvironment.withVariables({ x: INT });
 * const compiled = compileExpression("x > 5", environment);
 * if (compiled instanceof Expression) compiled.evaluate((name) => (name === "x" ? 7n : undefined));
 */
import { check } from "./check/checker.ts";
import { estimateCost, type SizeLookup } from "./cost/cost.ts";
import type { Environment } from "./environment.ts";
import type { CostEstimate } from "./cost/estimates.ts";
import { childrenOf, type Expr } from "./expression.ts";
import { formatIssues } from "./issues.ts";
import { literalIssues } from "./check/literal-rules.ts";
import { parse } from "./syntax/parser.ts";
import { PlanError } from "./run/plan-error.ts";
import { plan } from "./run/planner.ts";
import { CostExceeded, Meter, type Step } from "./run/scope.ts";
import { type CelType, DYN } from "./types.ts";
import { CelError, type Result } from "./values.ts";

/** The cost limit of one evaluation in the API server. */
const CALL_COST_LIMIT = 1_000_000;

/** The error of an expression that cannot be used. */
export class CompileFailure {
  /** The message in `cel-go`'s words, with the line and a mark below it. */
  readonly message: string;
  /** Whether the text is wrong (`compile`), or only cannot be run (`plan`). */
  readonly stage: "compile" | "plan";

  constructor(stage: "compile" | "plan", message: string) {
    this.stage = stage;
    this.message = message;
  }
}

export interface Evaluation {
  readonly result: Result;
  readonly cost: number;
  /** Whether it was stopped because of its cost. */
  readonly stopped: boolean;
}

/** The variables of an evaluation: a value, or `undefined` for a variable that does not exist. */
export type Bindings = (name: string) => Result | undefined;

export class Expression {
  readonly #tree: Expr;
  readonly #environment: Environment;
  #step: Step | undefined;

  constructor(tree: Expr, environment: Environment) {
    this.#tree = tree;
    this.#environment = environment;
  }

  get type(): CelType {
    return this.#tree.type ?? DYN;
  }

  /** Prepares the expression for evaluation; the failure says why it cannot be run. */
  prepare(): CompileFailure | undefined {
    try {
      this.#step ??= plan(this.#tree, this.#environment);
      return undefined;
    } catch (error) {
      if (error instanceof PlanError) return new CompileFailure("plan", error.message);
      throw error;
    }
  }

  /** Whether the expression mentions a variable. */
  uses(variable: string): boolean {
    return mentions(this.#tree, variable);
  }

  /** The largest cost of an evaluation, from the largest sizes of the variables' values. */
  estimateCost(sizes: SizeLookup): CostEstimate {
    return estimateCost(this.#tree, sizes, this.#environment.costs);
  }

  /** Evaluates the expression. `limit` is the largest allowed cost. */
  evaluate(bindings: Bindings, limit: number = CALL_COST_LIMIT): Evaluation {
    const meter = new Meter(limit);
    const failure = this.prepare();
    if (!this.#step) {
      return { result: new CelError(failure?.message ?? ""), cost: 0, stopped: false };
    }
    try {
      const result = this.#step.run({ meter, find: bindings });
      return { result, cost: meter.spent, stopped: false };
    } catch (error) {
      if (!(error instanceof CostExceeded)) throw error;
      return { result: new CelError(error.message), cost: meter.spent, stopped: true };
    }
  }
}

/** Reads and checks an expression. */
export function compileExpression(
  source: string,
  environment: Environment,
): Expression | CompileFailure {
  const parsed = parse(source, environment.macros);
  if ("issues" in parsed) {
    return new CompileFailure("compile", formatIssues(source, parsed.issues));
  }
  const issues = check(parsed.expr, environment);
  if (issues.length === 0) issues.push(...literalIssues(parsed.expr));
  if (issues.length > 0) return new CompileFailure("compile", formatIssues(source, issues));
  return new Expression(parsed.expr, environment);
}

function mentions(expr: Expr, variable: string): boolean {
  if (expr.kind === "ident" && expr.name === variable && !expr.typeValue) return true;
  return childrenOf(expr).some((child) => mentions(child, variable));
}
