/** Operators as calls in the tree of an expression. */
import type { Expr } from "../expression.ts";

export const call = (name: string, at: number, args: readonly Expr[]): Expr => ({
  kind: "call",
  at,
  name,
  target: undefined,
  args,
});

/** A chain of one operator, as a balanced tree, as shallow as possible. */
export function balanced(
  name: string,
  terms: readonly Expr[],
  operators: readonly number[],
  low: number,
  high: number,
): Expr {
  if (high < low) return terms[low] as Expr;
  const middle = Math.floor((low + high + 1) / 2);
  const left = balanced(name, terms, operators, low, middle - 1);
  const right = balanced(name, terms, operators, middle + 1, high);
  return call(name, operators[middle] ?? 0, [left, right]);
}
