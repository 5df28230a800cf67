/** Estimates of the cost of calls, by the sizes of their arguments. */
import {
  exactly,
  product,
  REGEX_LENGTH_FACTOR,
  scaled,
  type SizeEstimate,
  STRING_TRAVERSAL_FACTOR,
  sumOf,
  UNKNOWN_SIZE,
} from "./estimates.ts";
import type { CallEstimate, CostNode } from "./library-costs.ts";

const ONE = exactly(1);

const sizeOf = (node: CostNode | undefined): SizeEstimate => node?.computedSize() ?? UNKNOWN_SIZE;

const traversal = (size: SizeEstimate): SizeEstimate => scaled(size, STRING_TRAVERSAL_FACTOR);

const COMPARED: ReadonlySet<string> = new Set([
  "equals",
  "not_equals",
  ...["less", "greater", "less_equals", "greater_equals"].flatMap((word) => [
    `${word}_string`,
    `${word}_bytes`,
  ]),
]);

/** The estimate for an overload of CEL itself, without the cost of its arguments. */
export function generalEstimate(
  overloadId: string,
  target: CostNode | undefined,
  args: readonly CostNode[],
): CallEstimate {
  const [first, second] = args;
  const one = sizeOf(first);
  if (COMPARED.has(overloadId)) {
    const max = Math.min(one.max, sizeOf(second).max);
    return { cost: traversal({ min: max > 0 ? 1 : 0, max }) };
  }
  switch (overloadId) {
    case "string_format":
      return { cost: traversal(sizeOf(target)) };
    case "string_to_bytes":
      return { cost: traversal(one), resultSize: { min: one.min, max: one.max * 4 } };
    case "bytes_to_string":
      return { cost: traversal(one), resultSize: { min: Math.floor(one.min / 4), max: one.max } };
    case "strings_quote":
      return { cost: traversal(one), resultSize: { min: one.min + 2, max: one.max * 2 + 2 } };
    case "starts_with_string":
    case "ends_with_string":
      return { cost: traversal(one) };
    case "in_list":
      return { cost: sizeOf(second) };
    case "matches":
      return matchEstimate(one, sizeOf(second));
    case "matches_string":
      return matchEstimate(sizeOf(target), one);
    case "contains_string":
      return { cost: product(traversal(sizeOf(target)), traversal(one)) };
    default:
      return { cost: ONE };
  }
}

const matchEstimate = (text: SizeEstimate, pattern: SizeEstimate): CallEstimate => ({
  cost: product(traversal(sumOf(text, ONE)), scaled(pattern, REGEX_LENGTH_FACTOR)),
});
