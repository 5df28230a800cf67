/** Functions that turn a value of one type into another: `int("5")`. */
import { type FunctionDeclaration, type Implementation, overload } from "../functions.ts";
import { Duration, parseDuration, parseTimestamp, Timestamp, timestampFromUnix } from "../time.ts";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  parameter,
  STRING,
  TIMESTAMP,
  typeOf,
  UINT,
} from "../types.ts";
import {
  CelError,
  type CelValue,
  formatDouble,
  INT_MAX,
  INT_MIN,
  TypeValue,
  typeOfValue,
  Uint,
  UINT_MAX,
} from "../values.ts";

type Result = CelValue | CelError;

const failed = (from: CelType, to: CelType): CelError =>
  new CelError(`type conversion error from '${from.name}' to '${to.name}'`);

const identity: Implementation = (value) => value;
const intOverflow = (): CelError => new CelError("integer overflow");
const uintOverflow = (): CelError => new CelError("unsigned integer overflow");

function toInt(value: CelValue): Result {
  if (typeof value === "number") {
    const inRange = value > Number(INT_MIN) && value < Number(INT_MAX);
    return inRange ? BigInt(Math.trunc(value)) : intOverflow();
  }
  if (value instanceof Uint) return value.value > INT_MAX ? intOverflow() : value.value;
  if (value instanceof Duration) return value.nanos;
  if (value instanceof Timestamp) return value.unix;
  if (typeof value !== "string" || !/^[+-]?\d+$/.test(value))
    return failed(typeOfValue(value), INT);
  const result = BigInt(value.replace(/^\+/, ""));
  return result > INT_MAX || result < INT_MIN ? failed(STRING, INT) : result;
}

function toUint(value: CelValue): Result {
  if (typeof value === "number") {
    const inRange = value >= 0 && value < 2 ** 64;
    return inRange ? new Uint(BigInt(Math.trunc(value))) : uintOverflow();
  }
  if (typeof value === "bigint") return value < 0n ? uintOverflow() : new Uint(value);
  if (typeof value !== "string" || !/^\d+$/.test(value)) return failed(typeOfValue(value), UINT);
  const result = BigInt(value);
  return result > UINT_MAX ? failed(STRING, UINT) : new Uint(result);
}

const decimalPattern = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const hexPattern = /^([+-]?)0[xX]([0-9a-fA-F]*)\.?([0-9a-fA-F]*)[pP]([+-]?\d+)$/;

function toDouble(value: CelValue): Result {
  if (typeof value === "bigint") return Number(value);
  if (value instanceof Uint) return Number(value.value);
  if (typeof value !== "string") return failed(typeOfValue(value), DOUBLE);
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(value);
  if (special) {
    const [, sign = "", word = ""] = special;
    if (word.toLowerCase() === "nan") return sign === "" ? Number.NaN : failed(STRING, DOUBLE);
    return sign === "-" ? -Infinity : Infinity;
  }
  const digits = value.replace(/(?<=[0-9a-fA-Fx])_(?=[0-9a-fA-F])/g, "");
  const hex = hexPattern.exec(digits);
  if (hex) return hexDouble(hex);
  const result = decimalPattern.test(digits) ? Number(digits) : Number.NaN;
  return Number.isFinite(result) ? result : failed(STRING, DOUBLE);
}

function hexDouble(match: RegExpExecArray): Result {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] = match;
  if (whole + fraction === "") return failed(STRING, DOUBLE);
  const mantissa = Number(BigInt(`0x${whole}${fraction}`));
  const result = mantissa * 2 ** (Number(exponent) - 4 * fraction.length);
  if (!Number.isFinite(result)) return failed(STRING, DOUBLE);
  return sign === "-" ? -result : result;
}

const TRUE = ["1", "t", "T", "true", "TRUE", "True"];
const FALSE = ["0", "f", "F", "false", "FALSE", "False"];

function toBool(value: CelValue): Result {
  if (typeof value !== "string") return failed(typeOfValue(value), BOOL);
  if (TRUE.includes(value)) return true;
  return FALSE.includes(value) ? false : failed(STRING, BOOL);
}

function toBytes(value: CelValue): Result {
  return typeof value === "string" ? Buffer.from(value) : failed(typeOfValue(value), BYTES);
}

/** `string(value)` of the types of CEL itself. */
export function toText(value: CelValue): Result {
  if (typeof value === "string") return value;
  if (typeof value === "number") return formatDouble(value);
  if (typeof value === "boolean" || typeof value === "bigint") return String(value);
  if (value instanceof Uint || value instanceof TypeValue) return value.toString();
  if (value instanceof Duration) return value.seconds();
  if (value instanceof Timestamp) return value.rfc3339();
  if (value === null) return "null";
  if (!(value instanceof Uint8Array)) return failed(typeOfValue(value), STRING);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return new CelError("invalid UTF-8 in bytes, cannot convert to string");
  }
}

function toDuration(value: CelValue): Result {
  if (typeof value === "string") return parseDuration(value) ?? failed(STRING, DURATION);
  return failed(typeOfValue(value), DURATION);
}

function toTimestamp(value: CelValue): Result {
  if (typeof value === "bigint") return timestampFromUnix(value);
  if (typeof value === "string") return parseTimestamp(value) ?? failed(STRING, TIMESTAMP);
  return failed(typeOfValue(value), TIMESTAMP);
}

type Row = readonly [id: string, from: CelType, run?: Implementation];

const conversion = (
  name: string,
  result: CelType,
  run: Implementation,
  rows: readonly Row[],
): FunctionDeclaration => ({
  name,
  overloads: rows.map(([id, from, other]) => overload(id, [from], result, other ?? run)),
});

/**
 * `bool`, `bytes`, `double`, `duration`, `dyn`, `int`, `string`, `timestamp`, `type` and `uint`.
 */
export const conversions: readonly FunctionDeclaration[] = [
  {
    name: "type",
    overloads: [overload("type", [parameter("A")], typeOf(parameter("A")))],
    run: (value) => new TypeValue(typeOfValue(value)),
  },
  {
    name: "dyn",
    overloads: [overload("to_dyn", [parameter("A")], DYN)],
    run: identity,
  },
  conversion("bool", BOOL, toBool, [
    ["bool_to_bool", BOOL, identity],
    ["string_to_bool", STRING],
  ]),
  conversion("bytes", BYTES, toBytes, [
    ["bytes_to_bytes", BYTES, identity],
    ["string_to_bytes", STRING],
  ]),
  conversion("double", DOUBLE, toDouble, [
    ["double_to_double", DOUBLE, identity],
    ["int64_to_double", INT],
    ["string_to_double", STRING],
    ["uint64_to_double", UINT],
  ]),
  conversion("duration", DURATION, toDuration, [
    ["duration_to_duration", DURATION, identity],
    ["int64_to_duration", INT],
    ["string_to_duration", STRING],
  ]),
  conversion("int", INT, toInt, [
    ["int64_to_int64", INT, identity],
    ["double_to_int64", DOUBLE],
    ["duration_to_int64", DURATION],
    ["string_to_int64", STRING],
    ["timestamp_to_int64", TIMESTAMP],
    ["uint64_to_int64", UINT],
  ]),
  conversion("string", STRING, toText, [
    ["string_to_string", STRING, identity],
    ["bool_to_string", BOOL],
    ["bytes_to_string", BYTES],
    ["double_to_string", DOUBLE],
    ["duration_to_string", DURATION],
    ["int64_to_string", INT],
    ["timestamp_to_string", TIMESTAMP],
    ["uint64_to_string", UINT],
  ]),
  conversion("timestamp", TIMESTAMP, toTimestamp, [
    ["timestamp_to_timestamp", TIMESTAMP, identity],
    ["int64_to_timestamp", INT],
    ["string_to_timestamp", STRING],
  ]),
  conversion("uint", UINT, toUint, [
    ["uint64_to_uint64", UINT, identity],
    ["double_to_uint64", DOUBLE],
    ["int64_to_uint64", INT],
    ["string_to_uint64", STRING],
  ]),
];
