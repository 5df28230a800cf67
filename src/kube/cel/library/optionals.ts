/**
 * Values that may be missing: `optional.of(x)`, `a.?b`, `orValue`.
 *
 * @see https://pkg.go.dev/github.com/google/cel-go/cel#OptionalTypes
 */
import { type FunctionDeclaration, member, overload, functionOf } from "../functions.ts";
import type { Library } from "../environment.ts";
import { optionalMacros } from "../syntax/macros.ts";
import { Duration, Timestamp } from "../time.ts";
import {
  BOOL,
  DYN,
  INT,
  listOf,
  mapOf,
  OPTIONAL,
  optionalOf,
  parameter,
  STRING,
} from "../types.ts";
import {
  CelError,
  CelList,
  CelMap,
  type CelValue,
  formatValue,
  noSuchOverload,
  Optional,
  Uint,
  ValueList,
} from "../values.ts";

const K = parameter("K");
const V = parameter("V");
const OPTIONAL_V = optionalOf(V);
const LIST_V = listOf(V);
const MAP_KV = mapOf(K, V);
const LIST_OPTIONAL = listOf(OPTIONAL_V);

/** Whether a value is the zero of its type. */
function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === "") return true;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof Uint) return value.value === 0n;
  if (value instanceof ValueList) return value.size === 0;
  if (value instanceof CelMap) return value.size === 0;
  if (value instanceof Duration) return value.nanos === 0n;
  return value instanceof Timestamp && value.rfc3339() === "0001-01-01T00:00:00Z";
}

function itemAt(list: CelValue, index: (size: number) => number): CelValue | CelError {
  if (!(list instanceof CelList)) return noSuchOverload();
  if (list.size === 0) return new Optional();
  const item = list.at(index(list.size));
  return item instanceof CelError ? item : new Optional(item);
}

function unwrap(list: CelValue): CelValue | CelError {
  if (!(list instanceof CelList)) return noSuchOverload();
  const items: CelValue[] = [];
  for (const item of list) {
    if (!(item instanceof Optional)) {
      return new CelError(`value ${formatValue(item)} is not optional`);
    }
    if (item.value !== undefined) items.push(item.value);
  }
  return new ValueList(items);
}

const functions: readonly FunctionDeclaration[] = [
  functionOf(
    "optional.of",
    overload("optional_of", [V], OPTIONAL_V, (value) => new Optional(value)),
  ),
  functionOf(
    "optional.ofNonZeroValue",
    overload("optional_ofNonZeroValue", [V], OPTIONAL_V, (value) =>
      isZero(value) ? new Optional() : new Optional(value),
    ),
  ),
  functionOf(
    "optional.none",
    overload("optional_none", [], OPTIONAL_V, () => new Optional()),
  ),
  functionOf(
    "value",
    member("optional_value", [OPTIONAL_V], V, (optional) =>
      optional instanceof Optional ? (optional.value ?? missingValue(optional)) : noSuchOverload(),
    ),
  ),
  functionOf(
    "hasValue",
    member("optional_hasValue", [OPTIONAL_V], BOOL, (optional) =>
      optional instanceof Optional ? optional.value !== undefined : noSuchOverload(),
    ),
  ),
  functionOf("or", member("optional_or_optional", [OPTIONAL_V, OPTIONAL_V], OPTIONAL_V)),
  functionOf("orValue", member("optional_orValue_value", [OPTIONAL_V, V], V)),
  functionOf("_?._", overload("select_optional_field", [DYN, STRING], OPTIONAL_V)),
  functionOf(
    "_[?_]",
    overload("list_optindex_optional_int", [LIST_V, INT], OPTIONAL_V),
    overload("optional_list_optindex_optional_int", [optionalOf(LIST_V), INT], OPTIONAL_V),
    overload("map_optindex_optional_value", [MAP_KV, K], OPTIONAL_V),
    overload("optional_map_optindex_optional_value", [optionalOf(MAP_KV), K], OPTIONAL_V),
  ),
  functionOf(
    "_[_]",
    overload("optional_list_index_int", [optionalOf(LIST_V), INT], OPTIONAL_V),
    overload("optional_map_index_value", [optionalOf(MAP_KV), K], OPTIONAL_V),
  ),
  functionOf(
    "last",
    member("list_last", [LIST_V], OPTIONAL_V, (list) => itemAt(list, (size) => size - 1)),
  ),
  functionOf(
    "first",
    member("list_first", [LIST_V], OPTIONAL_V, (list) => itemAt(list, () => 0)),
  ),
  functionOf("optional.unwrap", overload("optional_unwrap", [LIST_OPTIONAL], LIST_V, unwrap)),
  functionOf("unwrapOpt", member("optional_unwrapOpt", [LIST_OPTIONAL], LIST_V, unwrap)),
];

/** The value of an optional, or the error of an empty one; an optional of null has a value. */
const missingValue = (optional: Optional): CelValue | CelError =>
  optional.value === null ? null : new CelError("optional.none() dereference");

export const optionalsLibrary: Library = {
  functions,
  macros: optionalMacros,
  types: [OPTIONAL],
};
