/**
 * Lists compared as sets.
 *
 * @see https://pkg.go.dev/github.com/google/cel-go/ext#Sets
 */
import { exactly, product, scaled, sumOf } from "../cost/estimates.ts";
import { type FunctionDeclaration, overload, functionOf } from "../functions.ts";
import type { Library } from "../environment.ts";
import type { LibraryCosts } from "../cost/library-costs.ts";
import { BOOL, listOf, parameter } from "../types.ts";
import { CelError, CelList, type CelValue, noSuchOverload, sizeOf } from "../values.ts";
import { tableOf } from "../../../table.ts";

const LIST_T = listOf(parameter("T"));

function contains(list: CelList, part: CelList): boolean | CelError {
  for (const item of part) {
    const found = item instanceof CelError ? item : list.contains(item);
    if (found !== true) return found;
  }
  return true;
}

function equivalent(left: CelList, right: CelList): boolean | CelError {
  const found = contains(left, right);
  return found === true ? contains(right, left) : found;
}

function intersects(left: CelList, right: CelList): boolean {
  for (const item of left) {
    if (!(item instanceof CelError) && right.contains(item) === true) return true;
  }
  return false;
}

/** How often the items of both lists are compared, by function. */
const FACTORS = tableOf<number>({
  list_sets_contains_list: 1,
  list_sets_intersects_list: 1,
  list_sets_equivalent_list: 2,
});

const costs: LibraryCosts = {
  estimate({ overload: { id }, args: [left, right] }) {
    const factor = FACTORS.get(id);
    if (factor === undefined || !left || !right) return undefined;
    return { cost: sumOf(scaled(product(left.size(), right.size()), factor), exactly(1)) };
  },
  actual(_name, overloadId, [left = null, right = null]) {
    const factor = FACTORS.get(overloadId);
    if (factor === undefined) return undefined;
    return 1 + (sizeOf(left) ?? 1) * (sizeOf(right) ?? 1) * factor;
  },
};

const onLists = (
  word: string,
  run: (left: CelList, right: CelList) => boolean | CelError,
): FunctionDeclaration =>
  functionOf(
    `sets.${word}`,
    overload(`list_sets_${word}_list`, [LIST_T, LIST_T], BOOL, (left: CelValue, right: CelValue) =>
      left instanceof CelList && right instanceof CelList ? run(left, right) : noSuchOverload(),
    ),
  );

export const setsLibrary: Library = {
  functions: [
    onLists("contains", contains),
    onLists("equivalent", equivalent),
    onLists("intersects", intersects),
  ],
  costs,
};
