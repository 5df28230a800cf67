/**
 * List functions: slice, flatten, sort and others.
 *
 * @see https://pkg.go.dev/github.com/google/cel-go/ext#Lists
 */
import {
  exactly,
  product,
  scaled,
  type SizeEstimate,
  STRING_TRAVERSAL_FACTOR,
  sumOf,
  UNKNOWN_MAX,
} from "../cost/estimates.ts";
import {
  type FunctionDeclaration,
  type Implementation,
  member,
  overload,
  functionOf,
} from "../functions.ts";
import type { Library } from "../environment.ts";
import type { CallEstimate, CostNode, LibraryCosts } from "../cost/library-costs.ts";
import { listMacros } from "../syntax/macros.ts";
import { compare } from "../run/operators.ts";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  parameter,
  STRING,
  TIMESTAMP,
  UINT,
} from "../types.ts";
import {
  CelError,
  CelList,
  type CelValue,
  equalValues,
  noSuchOverload,
  sizeOf,
  typeOfValue,
  ValueList,
} from "../values.ts";

type Result = CelValue | CelError;

const LIST_T = listOf(parameter("T"));
const COMPARABLE: readonly CelType[] = [
  INT,
  UINT,
  DOUBLE,
  BOOL,
  DURATION,
  TIMESTAMP,
  STRING,
  BYTES,
];

const onList =
  (run: (list: CelList, ...rest: CelValue[]) => Result): Implementation =>
  (list, ...rest) =>
    list instanceof CelList ? run(list, ...rest) : noSuchOverload();

/** The items, or the first error among them. */
function itemsOf(list: CelList): CelValue[] | CelError {
  const items: CelValue[] = [];
  for (const item of list) {
    if (item instanceof CelError) return item;
    items.push(item);
  }
  return items;
}

const mapped =
  (change: (items: CelValue[]) => CelValue[]): Implementation =>
  (list) => {
    if (!(list instanceof CelList)) return noSuchOverload();
    const items = itemsOf(list);
    return items instanceof CelError ? items : new ValueList(change(items));
  };

function slice(list: CelList, from?: CelValue, to?: CelValue): Result {
  if (typeof from !== "bigint" || typeof to !== "bigint") return noSuchOverload();
  const refused = (reason: string): CelError =>
    new CelError(`cannot slice(${from}, ${to}), ${reason}`);
  if (from < 0n || to < 0n) return refused("negative indexes not supported");
  if (from > to) return refused("start index must be less than or equal to end index");
  if (to > list.size) return refused(`list is length ${list.size}`);
  const items = itemsOf(list);
  if (items instanceof CelError) return items;
  return new ValueList(items.slice(Number(from), Number(to)));
}

function flatten(list: CelList, depth: CelValue = 1n): Result {
  if (typeof depth !== "bigint") return noSuchOverload();
  if (depth < 0n) return new CelError("level must be non-negative");
  const flat: CelValue[] = [];
  const collect = (inner: CelList, level: bigint): CelError | undefined => {
    for (const item of inner) {
      if (item instanceof CelError) return item;
      if (!(item instanceof CelList) || level === 0n) flat.push(item);
      else {
        const error = collect(item, level - 1n);
        if (error) return error;
      }
    }
    return undefined;
  };
  return collect(list, depth) ?? new ValueList(flat);
}

function sortBy(list: CelList, keys?: CelValue): Result {
  if (!(keys instanceof CelList)) return noSuchOverload();
  if (list.size !== keys.size) {
    return new CelError(
      `@sortByAssociatedKeys() expected a list of the same size as the associated keys list, but got ${list.size} and ${keys.size} elements respectively`,
    );
  }
  if (list.size === 0) return list;
  const items = itemsOf(list);
  const order = itemsOf(keys);
  if (items instanceof CelError) return items;
  if (order instanceof CelError) return order;
  const [first = null] = order;
  const type = typeOfValue(first).name;
  if (!COMPARABLE.some(({ name }) => name === type)) {
    return new CelError("list elements must be comparable");
  }
  if (order.some((key) => typeOfValue(key).name !== type)) {
    return new CelError("list elements must have the same type");
  }
  const pairs = items.map((item, index) => ({ item, key: order[index] ?? null }));
  pairs.sort((a, b) => {
    const result = compare(a.key, b.key);
    return result instanceof CelError ? 0 : result;
  });
  return new ValueList(pairs.map(({ item }) => item));
}

function range(count: CelValue): Result {
  if (typeof count !== "bigint") return noSuchOverload();
  return new ValueList(Array.from({ length: Math.max(Number(count), 0) }, (_, i) => BigInt(i)));
}

function distinct(items: readonly CelValue[]): CelValue[] {
  const found: CelValue[] = [];
  for (const item of items) {
    if (!found.some((other) => equalValues(item, other) === true)) found.push(item);
  }
  return found;
}

const functions: readonly FunctionDeclaration[] = [
  functionOf("slice", member("list_slice", [LIST_T, INT, INT], LIST_T, onList(slice))),
  {
    name: "flatten",
    overloads: [
      member(
        "list_flatten",
        [listOf(LIST_T)],
        LIST_T,
        onList((list) => flatten(list)),
      ),
      member("list_flatten_int", [listOf(DYN), INT], listOf(DYN), onList(flatten)),
    ],
    unguarded: true,
  },
  {
    name: "sort",
    overloads: COMPARABLE.map((type) =>
      member(`list_${type.name}_sort`, [listOf(type)], listOf(type)),
    ),
    run: onList((list) => sortBy(list, list)),
    accepts: (value) => value instanceof CelList,
  },
  {
    name: "@sortByAssociatedKeys",
    overloads: COMPARABLE.map((type) =>
      member(`list_${type.name}_sortByAssociatedKeys`, [LIST_T, listOf(type)], LIST_T),
    ),
    run: onList(sortBy),
    accepts: (value) => value instanceof CelList,
  },
  functionOf("lists.range", overload("lists_range", [INT], listOf(INT), range)),
  functionOf(
    "reverse",
    member(
      "list_reverse",
      [LIST_T],
      LIST_T,
      mapped((items) => items.toReversed()),
    ),
  ),
  functionOf("distinct", member("list_distinct", [LIST_T], LIST_T, mapped(distinct))),
];

/** The cost of a call that makes a list of that size. */
const allocating = (factor: number, size: SizeEstimate): CallEstimate => ({
  cost: sumOf(scaled(size, factor), exactly(11)),
  resultSize: size,
});

/** The number of a literal argument; `otherwise` when it is not a literal. */
function literalInt(node: CostNode | undefined, otherwise: number): number {
  const { expr } = node ?? {};
  if (expr?.kind !== "literal" || typeof expr.value !== "bigint") return otherwise;
  return Math.max(Number(expr.value), 0);
}

/** Go's subtraction of unsigned integers. */
const unsignedDifference = (left: number, right: number): number =>
  left >= right ? left - right : UNKNOWN_MAX - (right - left);

function sorting(node: CostNode | undefined, id: string): CallEstimate | undefined {
  if (!node) return undefined;
  const isText = /^list_(string|bytes)_/.test(id);
  const size = node.size();
  return allocating(isText ? 2 + STRING_TRAVERSAL_FACTOR : 2, product(size, size));
}

const costs: LibraryCosts = {
  estimate({ overload: { id }, target, args }) {
    const [first, second] = args;
    if (id === "lists_range") return allocating(1, exactly(literalInt(first, UNKNOWN_MAX)));
    if (!target) return undefined;
    if (id.endsWith("_sortByAssociatedKeys")) return sorting(first, id);
    if (id.endsWith("_sort")) return sorting(target, id);
    switch (id) {
      case "list_slice": {
        const end = literalInt(second, target.size().max);
        return allocating(1, exactly(unsignedDifference(end, literalInt(first, 0))));
      }
      case "list_reverse":
        return allocating(1, target.size());
      case "list_flatten":
      case "list_flatten_int":
        return allocating(first ? literalInt(first, UNKNOWN_MAX) : 1, target.size());
      case "list_distinct":
        return allocating(2, product(target.size(), target.size()));
      default:
        return undefined;
    }
  },
  actual(_name, id, args, result) {
    const [first = null, second = null] = args;
    const allocated = (factor: number, size: number): number => Math.trunc(size * factor) + 11;
    const compared = (list: CelValue): number => {
      const size = sizeOf(list) ?? 1;
      const item = list instanceof CelList && size > 0 ? list.at(0) : undefined;
      const isText = typeof item === "string" || item instanceof Uint8Array;
      return allocated(isText ? 2 + STRING_TRAVERSAL_FACTOR : 2, size * size);
    };
    if (id.endsWith("_sortByAssociatedKeys")) return compared(second);
    if (id.startsWith("list_") && id.endsWith("_sort")) return compared(first);
    switch (id) {
      case "list_slice":
      case "lists_range":
      case "list_reverse":
        return allocated(1, result instanceof CelError ? 1 : (sizeOf(result) ?? 1));
      case "list_flatten":
        return allocated(1, sizeOf(first) ?? 1);
      case "list_flatten_int":
        return allocated(Number(second), sizeOf(first) ?? 1);
      case "list_distinct":
        return compared(first);
      default:
        return undefined;
    }
  },
};

export const listLibrary: Library = { functions, macros: listMacros, costs };
