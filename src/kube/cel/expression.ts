/**
 * The syntax tree of CEL. The checker writes its findings on the nodes.
 *
 * @see https://github.com/google/cel-spec/blob/master/doc/langdef.md
 */
import type { Overload } from "./functions.ts";
import type { CelType } from "./types.ts";
import type { CelValue } from "./values.ts";

interface Node {
  /** The position: code points from the start of the source. */
  readonly at: number;
  /** Set by the checker. */
  type?: CelType;
}

/** A constant. */
interface LiteralExpr extends Node {
  readonly kind: "literal";
  readonly value: CelValue;
}

/** A variable, or the name of a type. */
interface IdentExpr extends Node {
  readonly kind: "ident";
  name: string;
  /** The type with that name. */
  typeValue?: CelType;
}

/** `operand.field`, or `has(operand.field)`. */
interface SelectExpr extends Node {
  readonly kind: "select";
  readonly operand: Expr;
  readonly field: string;
  readonly test: boolean;
  /** The type whose name is the whole path. */
  typeValue?: CelType;
  /** The variable whose name is the whole path. */
  variable?: string;
}

/** A call of an operator or a function. */
export interface CallExpr extends Node {
  readonly kind: "call";
  name: string;
  target: Expr | undefined;
  readonly args: readonly Expr[];
  /** The matching overloads, set by the checker. */
  overloads?: readonly Overload[];
}

/** `[a, ?b]` */
export interface ListExpr extends Node {
  readonly kind: "list";
  readonly items: readonly { readonly value: Expr; readonly optional: boolean }[];
}

/** `{k: v, ?k: v}` */
export interface MapExpr extends Node {
  readonly kind: "map";
  readonly entries: readonly MapEntry[];
}

/** An entry of a map literal; `at` is its colon. */
export interface MapEntry {
  readonly at: number;
  readonly key: Expr;
  readonly value: Expr;
  readonly optional: boolean;
}

/** `Type{field: value}` */
export interface StructExpr extends Node {
  readonly kind: "struct";
  readonly name: string;
  readonly fields: readonly StructField[];
}

/** A field of a message literal; `at` is its colon. */
export interface StructField {
  readonly at: number;
  readonly name: string;
  readonly value: Expr;
  readonly optional: boolean;
}

/** The loop of an expanded macro. */
export interface ComprehensionExpr extends Node {
  readonly kind: "comprehension";
  readonly range: Expr;
  readonly variable: string;
  readonly secondVariable: string | undefined;
  readonly accumulator: string;
  readonly start: Expr;
  readonly condition: Expr;
  readonly step: Expr;
  readonly result: Expr;
}

/** A node of the tree. */
export type Expr =
  | LiteralExpr
  | IdentExpr
  | SelectExpr
  | CallExpr
  | ListExpr
  | MapExpr
  | StructExpr
  | ComprehensionExpr;

/** The nodes directly below. */
export function childrenOf(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case "literal":
    case "ident":
      return [];
    case "select":
      return [expr.operand];
    case "call":
      return expr.target ? [expr.target, ...expr.args] : expr.args;
    case "list":
      return expr.items.map(({ value }) => value);
    case "map":
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case "struct":
      return expr.fields.map(({ value }) => value);
    case "comprehension":
      return [expr.range, expr.start, expr.condition, expr.step, expr.result];
  }
}

/** A copy with nodes of its own. */
export function copyExpr(expr: Expr): Expr {
  switch (expr.kind) {
    case "literal":
    case "ident":
      return { ...expr };
    case "select":
      return { ...expr, operand: copyExpr(expr.operand) };
    case "call":
      return {
        ...expr,
        target: expr.target && copyExpr(expr.target),
        args: expr.args.map(copyExpr),
      };
    case "list":
      return {
        ...expr,
        items: expr.items.map(({ value, optional }) => ({ value: copyExpr(value), optional })),
      };
    case "map":
      return {
        ...expr,
        entries: expr.entries.map((entry) => ({
          ...entry,
          key: copyExpr(entry.key),
          value: copyExpr(entry.value),
        })),
      };
    case "struct":
      return {
        ...expr,
        fields: expr.fields.map((field) => ({ ...field, value: copyExpr(field.value) })),
      };
    case "comprehension":
      return {
        ...expr,
        range: copyExpr(expr.range),
        start: copyExpr(expr.start),
        condition: copyExpr(expr.condition),
        step: copyExpr(expr.step),
        result: copyExpr(expr.result),
      };
  }
}
