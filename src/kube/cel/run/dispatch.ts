/**
 * Finds the implementation of a call, by its overload or, where types are dynamic, by its
 * arguments.
 */
import type { FunctionDeclaration, Overload } from "../functions.ts";
import { type CelType, firstParameter, secondParameter } from "../types.ts";
import {
  CelError,
  CelList,
  CelMap,
  type CelValue,
  noSuchOverload,
  typeOfValue,
  type Result,
} from "../values.ts";
import { Duration, Timestamp } from "../time.ts";

/** A function on evaluated arguments. */
export type Runner = (args: readonly CelValue[]) => Result;

/** The function to run for a call. */
export function dispatch(declaration: FunctionDeclaration, overloads: readonly Overload[]): Runner {
  const { name, run, accepts, unguarded = false } = declaration;
  if (run) {
    return (args) => {
      const [first] = args;
      if (!accepts || first === undefined || accepts(first)) return run(...args);
      return takesAnyCall(first) ? noSuchOverload() : new CelError(`no such overload: ${name}`);
    };
  }
  const [only] = overloads;
  const candidates = overloads.length === 1 && only ? [only] : declaration.overloads;
  return (args) => {
    for (const candidate of candidates) {
      if (candidate.run && fits(candidate, args, unguarded)) return candidate.run(...args);
    }
    const types = args.map((arg) => typeOfValue(arg).name).join(", ");
    return new CelError(`no such overload: ${name}(${types})`);
  };
}

/** Whether a value answers calls of functions that it does not know. */
const takesAnyCall = (value: CelValue): boolean =>
  typeof value === "string" || value instanceof Duration || value instanceof Timestamp;

function fits(overload: Overload, args: readonly CelValue[], unguarded: boolean): boolean {
  if (overload.args.length !== args.length) return false;
  return (
    unguarded ||
    overload.args.every((type, index) => {
      const arg = args[index];
      return arg !== undefined && holds(type, arg);
    })
  );
}

/** Whether a value is of a type, as far as its first item shows. */
function holds(type: CelType, value: CelValue | CelError): boolean {
  if (value instanceof CelError) return false;
  if (type.kind === "dyn" || type.kind === "parameter") return true;
  if (typeOfValue(value).name !== type.name) return false;
  if (type.kind === "list" && value instanceof CelList) {
    return value.size === 0 || holds(firstParameter(type), value.at(0));
  }
  if (type.kind === "map" && value instanceof CelMap) {
    for (const key of value.keys()) {
      const found = value.find(key);
      return holds(firstParameter(type), key) && holds(secondParameter(type), found ?? null);
    }
  }
  return true;
}
