/**
 * Loops over keys and values.
 *
 * @see https://pkg.go.dev/github.com/google/cel-go/ext#TwoVarComprehensions
 */
import { overload, functionOf } from "../functions.ts";
import type { Library } from "../environment.ts";
import { twoVariableMacros } from "../syntax/macros.ts";
import { mapOf, parameter } from "../types.ts";
import {
  CelError,
  CelMap,
  type CelValue,
  formatValue,
  noSuchOverload,
  ValueMap,
} from "../values.ts";

const K = parameter("K");
const V = parameter("V");
const MAP_KV = mapOf(K, V);

/** Inserts in place: the map is the accumulator of a loop, which nothing else sees. */
function insert(map: ValueMap, key: CelValue, value: CelValue): CelError | undefined {
  if (map.find(key) !== undefined) {
    return new CelError(`insert failed: key ${formatValue(key)} already exists`);
  }
  map.set(key, value);
  return undefined;
}

function insertOne(map: CelValue, key?: CelValue, value?: CelValue): CelValue | CelError {
  if (!(map instanceof ValueMap) || key === undefined || value === undefined) {
    return noSuchOverload();
  }
  return insert(map, key, value) ?? map;
}

function insertAll(map: CelValue, other: CelValue): CelValue | CelError {
  if (!(map instanceof ValueMap) || !(other instanceof CelMap)) return noSuchOverload();
  for (const key of other.keys()) {
    const value = other.find(key);
    if (value instanceof CelError) return value;
    const error = value === undefined ? undefined : insert(map, key, value);
    if (error) return error;
  }
  return map;
}

/** The library of loops over keys and values. */
export const comprehensionsLibrary: Library = {
  functions: [
    functionOf(
      "cel.@mapInsert",
      overload("@mapInsert_map_key_value", [MAP_KV, K, V], MAP_KV, insertOne),
      overload("@mapInsert_map_map", [MAP_KV, MAP_KV], MAP_KV, insertAll),
    ),
  ],
  macros: twoVariableMacros,
};
