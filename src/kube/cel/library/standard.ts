/**
 * The functions and operators of CEL itself.
 *
 * @see https://github.com/google/cel-spec/blob/master/doc/langdef.md#list-of-standard-definitions
 */
import {
  type FunctionDeclaration,
  member,
  overload,
  type Overload,
  functionOf,
} from "../functions.ts";
import type { Library } from "../environment.ts";
import { standardMacros } from "../syntax/macros.ts";
import { add, compare, divide, multiply, negate, remainder, subtract } from "../run/operators.ts";
import { matchesPattern } from "../patterns.ts";
import { Duration, Timestamp } from "../time.ts";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  INT,
  listOf,
  mapOf,
  parameter,
  STRING,
  TIMESTAMP,
  UINT,
} from "../types.ts";
import {
  CelError,
  CelList,
  CelMap,
  type CelValue,
  isNumeric,
  noSuchOverload,
  sizeOf,
} from "../values.ts";
import { conversions } from "./conversions.ts";
import { timeFunctions } from "./time-functions.ts";

const A = parameter("A");
const LIST_A = listOf(A);
const MAP_AB = mapOf(A, parameter("B"));

type Order = (order: number) => boolean;

const NUMBERS = [
  ["int64", INT],
  ["uint64", UINT],
  ["double", DOUBLE],
] as const;

/** The overloads of a comparison: every comparable pair of types, with the name of its overload. */
function comparison(operator: string, word: string, holds: Order): FunctionDeclaration {
  const pairs: [string, CelType, CelType][] = [["bool", BOOL, BOOL]];
  for (const [leftName, left] of NUMBERS) {
    for (const [rightName, right] of NUMBERS) {
      pairs.push([left === right ? leftName : `${leftName}_${rightName}`, left, right]);
    }
  }
  pairs.push(["string", STRING, STRING], ["bytes", BYTES, BYTES]);
  pairs.push(["timestamp", TIMESTAMP, TIMESTAMP], ["duration", DURATION, DURATION]);
  return {
    name: operator,
    overloads: pairs.map(([name, left, right]) => overload(`${word}_${name}`, [left, right], BOOL)),
    run: (left, right) => {
      const order = compare(left, right);
      return order instanceof CelError ? order : holds(order);
    },
    accepts: isComparable,
  };
}

const isComparable = (value: CelValue): boolean =>
  isNumeric(value) ||
  typeof value === "string" ||
  typeof value === "boolean" ||
  value instanceof Uint8Array ||
  value instanceof Duration ||
  value instanceof Timestamp;

const isAddable = (value: CelValue): boolean =>
  (isComparable(value) && typeof value !== "boolean") || value instanceof CelList;

type Operands = readonly [id: string, left: CelType, right: CelType, result: CelType];

const arithmetic = (
  name: string,
  run: (left: CelValue, right: CelValue) => CelValue | CelError,
  accepts: (value: CelValue) => boolean,
  operands: readonly Operands[],
): FunctionDeclaration => ({
  name,
  overloads: operands.map(([id, left, right, result]) => overload(id, [left, right], result)),
  run,
  accepts,
});

const same = (id: string, type: CelType): Operands => [id, type, type, type];

const isIntegral = (value: CelValue): boolean => isNumeric(value) && typeof value !== "number";

const ADD: readonly Operands[] = [
  same("add_bytes", BYTES),
  same("add_double", DOUBLE),
  same("add_duration_duration", DURATION),
  ["add_duration_timestamp", DURATION, TIMESTAMP, TIMESTAMP],
  ["add_timestamp_duration", TIMESTAMP, DURATION, TIMESTAMP],
  same("add_int64", INT),
  same("add_list", LIST_A),
  same("add_string", STRING),
  same("add_uint64", UINT),
];

const SUBTRACT: readonly Operands[] = [
  same("subtract_double", DOUBLE),
  same("subtract_duration_duration", DURATION),
  same("subtract_int64", INT),
  ["subtract_timestamp_duration", TIMESTAMP, DURATION, TIMESTAMP],
  ["subtract_timestamp_timestamp", TIMESTAMP, TIMESTAMP, DURATION],
  same("subtract_uint64", UINT),
];

const numeric = (word: string): Operands[] => [
  same(`${word}_double`, DOUBLE),
  same(`${word}_int64`, INT),
  same(`${word}_uint64`, UINT),
];

const operators: readonly FunctionDeclaration[] = [
  functionOf("_?_:_", overload("conditional", [BOOL, A, A], A)),
  functionOf("_&&_", overload("logical_and", [BOOL, BOOL], BOOL)),
  functionOf("_||_", overload("logical_or", [BOOL, BOOL], BOOL)),
  {
    name: "!_",
    overloads: [overload("logical_not", [BOOL], BOOL)],
    run: (value) => (typeof value === "boolean" ? !value : noSuchOverload()),
  },
  functionOf("@not_strictly_false", overload("not_strictly_false", [BOOL], BOOL)),
  functionOf("_==_", overload("equals", [A, A], BOOL)),
  functionOf("_!=_", overload("not_equals", [A, A], BOOL)),
  arithmetic("_+_", add, isAddable, ADD),
  arithmetic("_-_", subtract, (value) => isNumeric(value) || isTime(value), SUBTRACT),
  arithmetic("_*_", multiply, isNumeric, numeric("multiply")),
  arithmetic("_/_", divide, isNumeric, numeric("divide")),
  arithmetic("_%_", remainder, isIntegral, numeric("modulo").slice(1)),
  {
    name: "-_",
    overloads: [overload("negate_double", [DOUBLE], DOUBLE), overload("negate_int64", [INT], INT)],
    run: negate,
    accepts: (value) => typeof value === "bigint" || typeof value === "number" || isTime(value),
  },
  comparison("_<_", "less", (order) => order < 0),
  comparison("_<=_", "less_equals", (order) => order <= 0),
  comparison("_>_", "greater", (order) => order > 0),
  comparison("_>=_", "greater_equals", (order) => order >= 0),
  functionOf(
    "_[_]",
    overload("index_list", [LIST_A, INT], A),
    overload("index_map", [MAP_AB, A], parameter("B")),
  ),
  {
    name: "@in",
    overloads: [overload("in_list", [A, LIST_A], BOOL), overload("in_map", [A, MAP_AB], BOOL)],
    run: isIn,
  },
];

const isTime = (value: CelValue): boolean =>
  value instanceof Duration || value instanceof Timestamp;

function isIn(value: CelValue, container: CelValue): CelValue | CelError {
  if (container instanceof CelList) return container.contains(value);
  if (!(container instanceof CelMap)) return noSuchOverload();
  const found = container.find(value);
  return found instanceof CelError ? found : found !== undefined;
}

const onString = (
  name: string,
  run: (text: string, other: string) => boolean,
): FunctionDeclaration => ({
  name,
  overloads: [
    member(
      { contains: "contains_string", endsWith: "ends_with_string" }[name] ?? "starts_with_string",
      [STRING, STRING],
      BOOL,
      (text, other) =>
        typeof text === "string" && typeof other === "string" ? run(text, other) : noSuchOverload(),
    ),
  ],
  unguarded: true,
});

const bothForms = (id: string, type: CelType): readonly Overload[] => [
  overload(`size_${id}`, [type], INT),
  member(`${id}_size`, [type], INT),
];

const functions: readonly FunctionDeclaration[] = [
  {
    name: "size",
    overloads: [
      ...bothForms("bytes", BYTES),
      ...bothForms("list", LIST_A),
      ...bothForms("map", MAP_AB),
      ...bothForms("string", STRING),
    ],
    run: (value) => BigInt(sizeOf(value) ?? 0),
    accepts: (value) => sizeOf(value) !== undefined,
  },
  onString("contains", (text, other) => text.includes(other)),
  onString("endsWith", (text, other) => text.endsWith(other)),
  onString("startsWith", (text, other) => text.startsWith(other)),
  {
    name: "matches",
    overloads: [
      overload("matches", [STRING, STRING], BOOL),
      member("matches_string", [STRING, STRING], BOOL),
    ],
    run: (text, pattern) =>
      typeof text === "string" && typeof pattern === "string"
        ? matchesPattern(text, pattern)
        : noSuchOverload(),
    accepts: (value) => typeof value === "string",
  },
];

/** CEL itself. */
export const standardLibrary: Library = {
  functions: [...operators, ...functions, ...conversions, ...timeFunctions],
  macros: standardMacros,
};
