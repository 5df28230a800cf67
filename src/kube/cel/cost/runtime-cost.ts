/**
 * The cost of a call at run time, by the sizes of its arguments.
 *
 * @see https://pkg.go.dev/github.com/google/cel-go/interpreter#CostTracker
 */
import { REGEX_LENGTH_FACTOR, STRING_TRAVERSAL_FACTOR } from "./estimates.ts";
import type { LibraryCosts } from "./library-costs.ts";
import { type CelValue, Optional, sizeOf, type Result } from "../values.ts";

export type CallCost = (args: readonly CelValue[], result: Result) => number;

/** The size of a value that its cost depends on. */
function costSize(value: CelValue | undefined): number {
  if (value instanceof Optional && value.value !== undefined) return costSize(value.value);
  return value === undefined ? 1 : (sizeOf(value) ?? librarySize(value) ?? 1);
}

/** The size of a library's value that has one. */
export function librarySize(value: CelValue): number | undefined {
  return typeof value === "object" && value !== null && "byteSize" in value
    ? Number(value.byteSize)
    : undefined;
}

const traversal = (size: number): number => Math.ceil(size * STRING_TRAVERSAL_FACTOR);

const oneTraversal: CallCost = ([text]) => traversal(costSize(text));
const shorterTraversal: CallCost = ([left, right]) =>
  traversal(Math.min(costSize(left), costSize(right)));
const jointTraversal: CallCost = ([left, right]) => traversal(costSize(left) + costSize(right));

const matching: CallCost = ([text, pattern]) =>
  traversal(1 + costSize(text)) * Math.ceil(costSize(pattern) * REGEX_LENGTH_FACTOR);

const COSTS = new Map<string, CallCost>([
  ["starts_with_string", oneTraversal],
  ["ends_with_string", oneTraversal],
  ["string_to_bytes", oneTraversal],
  ["bytes_to_string", oneTraversal],
  ["strings_quote", oneTraversal],
  ["string_format", oneTraversal],
  ["in_list", ([, list]) => costSize(list)],
  ["equals", shorterTraversal],
  ["not_equals", shorterTraversal],
  ...["less", "greater", "less_equals", "greater_equals"].flatMap((word): [string, CallCost][] => [
    [`${word}_string`, shorterTraversal],
    [`${word}_bytes`, shorterTraversal],
  ]),
  ["add_string", jointTraversal],
  ["add_bytes", jointTraversal],
  ["matches", matching],
  ["matches_string", matching],
  ["contains_string", ([text, part]) => traversal(costSize(text)) * traversal(costSize(part))],
]);

/** The cost function of a call; libraries are asked first. */
export function callCost(
  name: string,
  overloadId: string,
  libraries: readonly LibraryCosts[],
): CallCost {
  const general = COSTS.get(overloadId) ?? (() => 1);
  return (args, result) => {
    for (const library of libraries) {
      const cost = library.actual(name, overloadId, args, result);
      if (cost !== undefined) return cost;
    }
    return general(args, result);
  };
}
