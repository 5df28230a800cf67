/** The costs of libraries' calls, estimated and at run time. */
import type { CostEstimate, SizeEstimate } from "./estimates.ts";
import type { Expr } from "../expression.ts";
import type { Overload } from "../functions.ts";
import type { CelType } from "../types.ts";
import type { CelValue, Result } from "../values.ts";

/** A part of an expression as the estimate sees it. */
export interface CostNode {
  readonly type: CelType;
  /** The path of its value, from a variable on; absent when the value is computed. */
  readonly path: readonly string[] | undefined;
  /** Absent for the items of a list. */
  readonly expr: Expr | undefined;
  /** Its size, as far as it is known. */
  size(): SizeEstimate;
  /** Its size where the expression itself determines it. */
  computedSize(): SizeEstimate | undefined;
  /** The items of a list; `undefined` for other values. */
  items(): CostNode | undefined;
}

/** The cost of a call, and the size of its result where that is known. */
export interface CallEstimate {
  readonly cost: CostEstimate;
  readonly resultSize?: SizeEstimate | undefined;
}

export interface EstimatedCall {
  readonly name: string;
  readonly overload: Overload;
  readonly target: CostNode | undefined;
  readonly args: readonly CostNode[];
}

/** The costs of a library's calls; `undefined` leaves a call to the other libraries. */
export interface LibraryCosts {
  estimate(call: EstimatedCall): CallEstimate | undefined;
  /** @param overloadId - empty when only the values decide about the overload */
  actual(
    name: string,
    overloadId: string,
    args: readonly CelValue[],
    result: Result,
  ): number | undefined;
}
