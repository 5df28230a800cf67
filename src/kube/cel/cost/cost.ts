/**
 * Estimates of the cost of an expression, before there are values.
 *
 * @see https://pkg.go.dev/github.com/google/cel-go/checker#Cost
 */
import {
  type CostEstimate,
  exactly,
  product,
  scaled,
  type SizeEstimate,
  STRING_TRAVERSAL_FACTOR,
  sumOf,
  unionOf,
  UNKNOWN_SIZE,
} from "./estimates.ts";
import { generalEstimate } from "./call-estimates.ts";
import type { CallExpr, ComprehensionExpr, Expr, ListExpr, MapExpr } from "../expression.ts";
import type { Overload } from "../functions.ts";
import type { CallEstimate, CostNode, LibraryCosts } from "./library-costs.ts";
import { ACCUMULATOR } from "../syntax/macros.ts";
import { type CelType, DYN, firstParameter, isOptional } from "../types.ts";
import { codePointCount } from "../values.ts";

/** The largest size of the value at a path; `undefined` when it is not known. */
export type SizeLookup = (path: readonly string[]) => SizeEstimate | undefined;

/** The sizes of a container's keys (of a list: 1) and values. */
interface EntrySize {
  readonly list: boolean;
  readonly key: SizeEstimate;
  readonly value: SizeEstimate;
}

interface Local {
  readonly path: readonly string[];
  readonly size: SizeEstimate | undefined;
  readonly entries: EntrySize | undefined;
}

const NOTHING = exactly(0);
const ONE = exactly(1);
const EMPTY_RANGE: SizeEstimate = { min: Infinity, max: 0 };

/** The estimated cost of a checked expression. */
export function estimateCost(
  expr: Expr,
  sizes: SizeLookup,
  libraries: readonly LibraryCosts[],
): CostEstimate {
  return new Estimator(sizes, libraries).cost(expr);
}

class Estimator {
  readonly #lookUp: SizeLookup;
  readonly #libraries: readonly LibraryCosts[];
  readonly #paths = new Map<Expr, readonly string[]>();
  readonly #sizes = new Map<Expr, SizeEstimate>();
  readonly #entries = new Map<Expr, EntrySize>();
  readonly #locals = new Map<string, Local[]>();

  constructor(lookUp: SizeLookup, libraries: readonly LibraryCosts[]) {
    this.#lookUp = lookUp;
    this.#libraries = libraries;
  }

  cost(expr: Expr): CostEstimate {
    switch (expr.kind) {
      case "literal":
        return NOTHING;
      case "ident":
        this.#paths.set(expr, this.#local(expr.name)?.path ?? [expr.name]);
        return ONE;
      case "select":
        return this.#select(expr);
      case "call":
        return this.#call(expr);
      case "list":
        return this.#list(expr);
      case "map":
        return this.#map(expr);
      case "struct":
        return sumOf(exactly(40), ...expr.fields.map(({ value }) => this.cost(value)));
      case "comprehension":
        return isBinding(expr) ? this.#binding(expr) : this.#loop(expr);
    }
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #push(name: string, local: Local): void {
    const stack = this.#locals.get(name);
    if (stack) stack.push(local);
    else this.#locals.set(name, [local]);
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }

  #pathOf(expr: Expr): readonly string[] {
    const local = expr.kind === "ident" ? this.#local(expr.name) : undefined;
    return local?.path ?? this.#paths.get(expr) ?? [];
  }

  #select(expr: Extract<Expr, { kind: "select" }>): CostEstimate {
    if (expr.variable !== undefined || expr.typeValue) {
      this.#paths.set(expr, [expr.variable ?? expr.typeValue?.name ?? ""]);
      return ONE;
    }
    const operand = this.cost(expr.operand);
    if (expr.test) return operand;
    this.#paths.set(expr, [...this.#pathOf(expr.operand), expr.field]);
    const kind = expr.operand.type?.kind;
    const charged = kind === "map" || kind === "struct" || kind === "parameter";
    return charged ? sumOf(operand, ONE) : operand;
  }

  #list(expr: ListExpr): CostEstimate {
    const costs = expr.items.map(({ value }) => this.cost(value));
    const value = expr.items.reduce(
      (size, item) => unionOf(size, this.#sizeOrUnknown(item.value)),
      expr.items.length === 0 ? NOTHING : EMPTY_RANGE,
    );
    this.#entries.set(expr, { list: true, key: ONE, value });
    return sumOf(exactly(10), ...costs);
  }

  #map(expr: MapExpr): CostEstimate {
    const costs = expr.entries.flatMap(({ key, value }) => [this.cost(key), this.cost(value)]);
    let keys = expr.entries.length === 0 ? NOTHING : EMPTY_RANGE;
    let values = keys;
    for (const entry of expr.entries) {
      keys = unionOf(keys, this.#sizeOrUnknown(entry.key));
      values = unionOf(values, this.#sizeOrUnknown(entry.value));
    }
    this.#entries.set(expr, { list: false, key: keys, value: values });
    return sumOf(exactly(30), ...costs);
  }

  #loop(expr: ComprehensionExpr): CostEstimate {
    const before = sumOf(this.cost(expr.range), this.cost(expr.start));
    this.#pushValue(expr.accumulator, expr.start);
    this.#pushVariables(expr);
    const turn = sumOf(this.cost(expr.condition), this.cost(expr.step));
    this.#pop(expr.variable);
    if (expr.secondVariable !== undefined) this.#pop(expr.secondVariable);
    const after = this.cost(expr.result);
    this.#pop(expr.accumulator);
    const count = this.#sizeOrUnknown(expr.range);
    if (expr.start.kind === "literal") {
      const size = this.#size(expr.start);
      if (size) this.#sizes.set(expr, size);
    } else if (expr.start.kind === "list" || expr.start.kind === "map") {
      this.#sizes.set(expr, count);
      const entries = this.#entrySize(expr.step);
      if (entries) this.#entries.set(expr, entries);
    }
    return sumOf(before, after, product(count, turn));
  }

  #pushValue(name: string, expr: Expr): void {
    this.#push(name, {
      path: this.#pathOf(expr),
      size: this.#size(expr),
      entries: this.#entrySize(expr),
    });
  }

  #pushVariables(expr: ComprehensionExpr): void {
    const entries = this.#entrySize(expr.range);
    const isList = entries ? entries.list : expr.range.type?.kind === "list";
    const path = this.#pathOf(expr.range);
    const local = (step: string, size: SizeEstimate | undefined): Local => ({
      path: [...path, step],
      size,
      entries: undefined,
    });
    const keys = local(isList ? "@indices" : "@keys", entries?.key);
    const values = local(isList ? "@items" : "@values", entries?.value);
    if (expr.secondVariable !== undefined) {
      this.#push(expr.variable, keys);
      this.#push(expr.secondVariable, values);
    } else this.#push(expr.variable, isList ? values : keys);
  }

  #binding(expr: ComprehensionExpr): CostEstimate {
    const before = sumOf(this.cost(expr.range), this.cost(expr.start));
    this.#pushValue(expr.accumulator, expr.start);
    const after = this.cost(expr.result);
    this.#pop(expr.accumulator);
    this.#copySizes(expr, expr.result);
    return sumOf(before, after);
  }

  #call(expr: CallExpr): CostEstimate {
    const [first] = expr.args;
    if (expr.name === "dyn" && first) {
      const cost = this.cost(first);
      this.#copySizes(expr, first);
      return sumOf(ONE, cost);
    }
    const costs = expr.args.map((arg) => this.cost(arg));
    const args = expr.args.map((arg) => this.#node(arg));
    const overloads = expr.overloads ?? [];
    if (overloads.length === 0) return NOTHING;
    const targetCost = expr.target ? this.cost(expr.target) : NOTHING;
    const target = expr.target && this.#node(expr.target);
    let cost: CostEstimate = EMPTY_RANGE;
    let size: SizeEstimate | undefined;
    for (const overload of overloads) {
      const estimate = this.#overload(expr, overload, target, args, costs);
      cost = unionOf(cost, estimate.cost);
      if (estimate.resultSize) {
        size = size ? unionOf(size, estimate.resultSize) : estimate.resultSize;
      }
      if (first && (overload.id === "index_list" || overload.id === "index_map")) {
        size = this.#entrySize(first)?.value;
        const step = overload.id === "index_list" ? "@items" : "@values";
        this.#paths.set(expr, [...this.#pathOf(first), step]);
      }
      size ??= this.#size(expr);
    }
    if (size) this.#sizes.set(expr, size);
    return sumOf(targetCost, cost);
  }

  #overload(
    expr: CallExpr,
    overload: Overload,
    target: CostNode | undefined,
    args: readonly CostNode[],
    costs: readonly CostEstimate[],
  ): CallEstimate {
    for (const library of this.#libraries) {
      const estimate = library.estimate({ name: expr.name, overload, target, args });
      if (estimate) return { ...estimate, cost: sumOf(estimate.cost, ...costs) };
    }
    const [first, second, third] = expr.args;
    const [firstCost = NOTHING, secondCost = NOTHING, thirdCost = NOTHING] = costs;
    switch (overload.id) {
      case "logical_or":
      case "logical_and":
        return { cost: { min: firstCost.min, max: sumOf(firstCost, secondCost).max } };
      case "conditional": {
        if (!second || !third) break;
        const entries = unionEntries(this.#entrySize(second), this.#entrySize(third));
        if (entries) this.#entries.set(expr, entries);
        return {
          cost: sumOf(firstCost, unionOf(secondCost, thirdCost)),
          resultSize: unionOf(this.#sizeOrUnknown(second), this.#sizeOrUnknown(third)),
        };
      }
      case "add_string":
      case "add_bytes":
      case "add_list": {
        if (!first || !second) break;
        const entries = unionEntries(this.#entrySize(first), this.#entrySize(second));
        if (entries) this.#entries.set(expr, entries);
        const resultSize = sumOf(this.#sizeOrUnknown(first), this.#sizeOrUnknown(second));
        const copying =
          overload.id === "add_list" ? ONE : scaled(resultSize, STRING_TRAVERSAL_FACTOR);
        return { cost: sumOf(copying, ...costs), resultSize };
      }
    }
    const general = generalEstimate(overload.id, target, args);
    return { ...general, cost: sumOf(general.cost, ...costs) };
  }

  #node(expr: Expr): CostNode {
    const path = this.#pathOf(expr);
    const fromAccumulator = path[0] === ACCUMULATOR || path[0] === "__result__";
    const size = this.#size(expr);
    return new ExprNode(
      expr.type ?? DYN,
      path.length === 0 || fromAccumulator ? undefined : path,
      expr,
      size,
      this.#lookUp,
    );
  }

  #sizeOrUnknown(expr: Expr): SizeEstimate {
    return this.#size(expr) ?? UNKNOWN_SIZE;
  }

  #copySizes(to: Expr, from: Expr): void {
    const size = this.#size(from);
    if (size) this.#sizes.set(to, size);
    const entries = this.#entrySize(from);
    if (entries) this.#entries.set(to, entries);
  }

  #size(expr: Expr): SizeEstimate | undefined {
    const known = this.#sizes.get(expr) ?? literalSize(expr);
    if (known) return known;
    const path = this.#pathOf(expr);
    const declared = path.length === 0 ? undefined : this.#lookUp(path);
    if (declared) {
      this.#sizes.set(expr, declared);
      return declared;
    }
    if (expr.type && isScalar(expr.type)) return ONE;
    return expr.kind === "ident" ? this.#local(expr.name)?.size : undefined;
  }

  #entrySize(expr: Expr): EntrySize | undefined {
    const known = this.#entries.get(expr);
    if (known) return known;
    return expr.kind === "ident" ? this.#local(expr.name)?.entries : undefined;
  }
}

/** A part of an expression, as libraries see it. */
class ExprNode implements CostNode {
  readonly type: CelType;
  readonly path: readonly string[] | undefined;
  readonly expr: Expr | undefined;
  readonly #size: SizeEstimate | undefined;
  readonly #lookUp: SizeLookup;

  constructor(
    type: CelType,
    path: readonly string[] | undefined,
    expr: Expr | undefined,
    size: SizeEstimate | undefined,
    lookUp: SizeLookup,
  ) {
    this.type = type;
    this.path = path;
    this.expr = expr;
    this.#size = size;
    this.#lookUp = lookUp;
  }

  computedSize(): SizeEstimate | undefined {
    return this.#size;
  }

  size(): SizeEstimate {
    if (this.#size) return this.#size;
    return (this.path && this.#lookUp(this.path)) ?? UNKNOWN_SIZE;
  }

  items(): CostNode | undefined {
    if (this.type.parameters.length === 0) return undefined;
    const path = this.path && [...this.path, "@items"];
    return new ExprNode(firstParameter(this.type), path, undefined, undefined, this.#lookUp);
  }
}

/** Whether the loop only binds a value to a name. */
function isBinding(expr: ComprehensionExpr): boolean {
  const { range, condition, accumulator } = expr;
  return (
    range.kind === "list" &&
    range.items.length === 0 &&
    condition.kind === "literal" &&
    condition.value === false &&
    accumulator !== "__result__"
  );
}

function literalSize(expr: Expr): SizeEstimate | undefined {
  switch (expr.kind) {
    case "literal":
      if (typeof expr.value === "string") return exactly(codePointCount(expr.value));
      return exactly(expr.value instanceof Uint8Array ? expr.value.length : 1);
    case "list":
      return exactly(expr.items.length);
    case "map":
      return exactly(expr.entries.length);
    default:
      return undefined;
  }
}

function isScalar(type: CelType): boolean {
  if (isOptional(type)) return isScalar(firstParameter(type));
  return ["bool", "double", "duration", "int", "timestamp", "uint"].includes(type.kind);
}

function unionEntries(
  left: EntrySize | undefined,
  right: EntrySize | undefined,
): EntrySize | undefined {
  if (!left || !right) return undefined;
  return {
    list: left.list,
    key: unionOf(left.key, right.key),
    value: unionOf(left.value, right.value),
  };
}
