/**
 * Kubernetes' list functions: sums, extremes, order, positions.
 *
 * @see https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-list-library
 */
import { type FunctionDeclaration, type Implementation, member, functionOf } from "../functions.ts";
import type { Library } from "../environment.ts";
import { add, compare } from "../run/operators.ts";
import { Duration } from "../time.ts";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  INT,
  listOf,
  parameter,
  STRING,
  TIMESTAMP,
  UINT,
} from "../types.ts";
import { CelError, CelList, type CelValue, noSuchOverload, ownEquals, Uint } from "../values.ts";

type Result = CelValue | CelError;

const A = parameter("A");
const COMPARABLE: readonly (readonly [string, CelType])[] = [
  ["int", INT],
  ["uint", UINT],
  ["double", DOUBLE],
  ["bool", BOOL],
  ["duration", DURATION],
  ["timestamp", TIMESTAMP],
  ["string", STRING],
  ["bytes", BYTES],
];
const SUMMABLE: readonly (readonly [string, CelType, CelValue])[] = [
  ["int", INT, 0n],
  ["uint", UINT, new Uint(0n)],
  ["double", DOUBLE, 0],
  ["duration", DURATION, new Duration(0n)],
];

const onList =
  (run: (list: CelList, item: CelValue) => Result): Implementation =>
  (list, item = null) =>
    list instanceof CelList ? run(list, item) : noSuchOverload();

function isSorted(list: CelList): Result {
  let before: CelValue | undefined;
  for (const item of list) {
    if (item instanceof CelError) return item;
    if (before !== undefined) {
      const order = compare(before, item);
      if (!(order instanceof CelError) && order > 0) return false;
    }
    before = item;
  }
  return true;
}

const extreme = (name: string, better: (order: number) => boolean): Implementation =>
  onList((list) => {
    let best: CelValue | undefined;
    for (const item of list) {
      if (item instanceof CelError) return item;
      const order = best === undefined ? undefined : compare(item, best);
      if (order === undefined || (!(order instanceof CelError) && better(order))) best = item;
    }
    return best ?? new CelError(`${name} called on empty list`);
  });

const sum = (zero: CelValue): Implementation =>
  onList((list) => {
    let total = zero;
    for (const item of list) {
      const next = item instanceof CelError ? item : add(total, item);
      if (next instanceof CelError) return next;
      total = next;
    }
    return total;
  });

function position(list: CelList, wanted: CelValue, indexes: Iterable<number>): bigint {
  for (const index of indexes) {
    const item = list.at(index);
    if (!(item instanceof CelError) && ownEquals(item, wanted) === true) return BigInt(index);
  }
  return -1n;
}

const functions: readonly FunctionDeclaration[] = [
  {
    name: "isSorted",
    overloads: COMPARABLE.map(([name, type]) =>
      member(`list_${name}_is_sorted_bool`, [listOf(type)], BOOL, onList(isSorted)),
    ),
  },
  {
    name: "sum",
    overloads: SUMMABLE.map(([name, type, zero]) =>
      member(`list_${name}_sum_${name}`, [listOf(type)], type, sum(zero)),
    ),
  },
  {
    name: "max",
    overloads: COMPARABLE.map(([name, type]) =>
      member(
        `list_${name}_max_${name}`,
        [listOf(type)],
        type,
        extreme("max", (order) => order > 0),
      ),
    ),
  },
  {
    name: "min",
    overloads: COMPARABLE.map(([name, type]) =>
      member(
        `list_${name}_min_${name}`,
        [listOf(type)],
        type,
        extreme("min", (order) => order < 0),
      ),
    ),
  },
  functionOf(
    "indexOf",
    member(
      "list_a_index_of_int",
      [listOf(A), A],
      INT,
      onList((list, item) => position(list, item, Array(list.size).keys())),
    ),
  ),
  functionOf(
    "lastIndexOf",
    member(
      "list_a_last_index_of_int",
      [listOf(A), A],
      INT,
      onList((list, item) => position(list, item, [...Array(list.size).keys()].reverse())),
    ),
  ),
];

export const kubernetesListLibrary: Library = { functions };
