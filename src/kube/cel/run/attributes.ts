/**
 * Paths through values: `self.spec.ports[0].?name`.
 *
 * A path is one step with qualifiers, not a chain of steps: its cost and its optional parts depend
 * on that.
 *
 * @see https://pkg.go.dev/github.com/google/cel-go/interpreter#Attribute
 */
import type { Scope, Step } from "./scope.ts";
import {
  CelError,
  CelList,
  CelMap,
  type CelValue,
  formatValue,
  noSuchOverload,
  Optional,
  typeOfValue,
  Uint,
  type Result,
} from "../values.ts";

/** One step of a path. */
export interface Qualifier {
  readonly optional: boolean;
  /** The value at the qualifier; an error when there is none. */
  qualify(scope: Scope, value: CelValue): Result;
  /** The value at the qualifier; `undefined` when there is none. */
  find(scope: Scope, value: CelValue): Result | undefined;
}

/** A field or index that is known beforehand. */
export class ConstantQualifier implements Qualifier {
  readonly optional: boolean;
  readonly #key: CelValue;

  constructor(key: CelValue, optional: boolean) {
    this.#key = key;
    this.optional = optional;
  }

  qualify(scope: Scope, value: CelValue): Result {
    const found = lookUp(value, this.#key);
    scope.meter.charge(1);
    return found === undefined ? missing(value, this.#key) : found;
  }

  find(scope: Scope, value: CelValue): Result | undefined {
    const found = lookUp(value, this.#key);
    if (found !== undefined) scope.meter.charge(1);
    return found;
  }
}

/** The last field in `has()`: tests whether it is present. */
export class PresenceQualifier implements Qualifier {
  readonly optional = false;
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  qualify(scope: Scope, value: CelValue): Result {
    const found = lookUp(value, this.#key);
    scope.meter.charge(1);
    return found instanceof CelError ? found : found !== undefined;
  }

  find(scope: Scope, value: CelValue): Result | undefined {
    const found = lookUp(value, this.#key);
    scope.meter.charge(1);
    return found;
  }
}

/** An index that has to be evaluated. */
export class ComputedQualifier implements Qualifier {
  readonly optional: boolean;
  readonly #key: (scope: Scope) => Result;

  constructor(key: (scope: Scope) => Result, optional: boolean) {
    this.#key = key;
    this.optional = optional;
  }

  qualify(scope: Scope, value: CelValue): Result {
    const key = this.#key(scope);
    const found = key instanceof CelError ? key : lookUp(value, key);
    scope.meter.charge(1);
    if (found !== undefined) return found;
    return key instanceof CelError ? key : missing(value, key);
  }

  find(scope: Scope, value: CelValue): Result | undefined {
    const key = this.#key(scope);
    const found = key instanceof CelError ? key : lookUp(value, key);
    if (found !== undefined && !(found instanceof CelError)) scope.meter.charge(1);
    return found;
  }
}

/** The value under a key; an error when the key cannot be used with the value. */
function lookUp(value: CelValue, key: CelValue): Result | undefined {
  if (value instanceof CelMap) return value.find(key);
  if (value instanceof CelList) {
    const index = indexOf(key);
    if (index instanceof CelError) return index;
    return index >= 0 && index < value.size ? value.at(index) : undefined;
  }
  return undefined;
}

function indexOf(key: CelValue): number | CelError {
  if (typeof key === "bigint") return Number(key);
  if (typeof key === "number" && Number.isInteger(key)) return key;
  if (key instanceof Uint) return Number(key.value);
  if (typeof key === "number") {
    return new CelError(`unsupported index value ${formatValue(key)} in list`);
  }
  return new CelError(`unsupported index type '${typeOfValue(key).name}' in list`);
}

const missing = (value: CelValue, key: CelValue): CelError =>
  new CelError(
    value instanceof CelList
      ? `index out of bounds: ${formatValue(key)}`
      : `no such key: ${formatValue(key)}`,
  );

/** A path; qualifiers are added while the expression is planned. */
export interface Path {
  add(qualifier: Qualifier): void;
  /** The value at its end; the start of the path is free here. */
  resolve(scope: Scope): Result;
  /** The cost of evaluating the path as a whole, beside its qualifiers. */
  readonly cost: number;
}

function follow(scope: Scope, start: CelValue, qualifiers: readonly Qualifier[]): Result {
  let value = start;
  let optional = start instanceof Optional && qualifiers.length > 0;
  if (start instanceof Optional && optional) {
    if (start.value === undefined) return start;
    value = start.value;
  }
  for (const qualifier of qualifiers) {
    optional ||= qualifier.optional;
    const next = optional ? qualifier.find(scope, value) : qualifier.qualify(scope, value);
    if (next === undefined) return new Optional();
    if (next instanceof CelError) return next;
    value = next;
  }
  return optional ? new Optional(value) : value;
}

/** A path that starts at a variable. */
export class VariablePath implements Path {
  readonly cost = 1;
  readonly #name: string;
  readonly #qualifiers: Qualifier[] = [];

  constructor(name: string) {
    this.#name = name;
  }

  add(qualifier: Qualifier): void {
    this.#qualifiers.push(qualifier);
  }

  resolve(scope: Scope): Result {
    const value = scope.find(this.#name);
    if (value === undefined) return new CelError(`no such attribute(s): ${this.#name}`);
    if (value instanceof CelError) return value;
    return follow(scope, value, this.#qualifiers);
  }
}

/** A path that starts at the result of a step. */
export class StepPath implements Path {
  readonly cost = 1;
  readonly #start: Step;
  readonly #qualifiers: Qualifier[] = [];

  constructor(start: Step) {
    this.#start = start;
  }

  add(qualifier: Qualifier): void {
    this.#qualifiers.push(qualifier);
  }

  resolve(scope: Scope): Result {
    const value = this.#start.run(scope);
    return value instanceof CelError ? value : follow(scope, value, this.#qualifiers);
  }
}

/** `condition ? path : path`; later qualifiers apply to both. */
export class ConditionalPath implements Path {
  readonly cost = 0;
  readonly #condition: Step;
  readonly #yes: Path;
  readonly #no: Path;

  constructor(condition: Step, yes: Path, no: Path) {
    this.#condition = condition;
    this.#yes = yes;
    this.#no = no;
  }

  add(qualifier: Qualifier): void {
    this.#yes.add(qualifier);
    this.#no.add(qualifier);
  }

  resolve(scope: Scope): Result {
    const condition = this.#condition.run(scope);
    if (condition === true) return this.#yes.resolve(scope);
    if (condition === false) return this.#no.resolve(scope);
    return condition instanceof CelError ? condition : noSuchOverload();
  }
}

export class PathStep implements Step {
  readonly path: Path;
  readonly #tests: boolean;

  /** @param tests - whether the path ends in a `PresenceQualifier` */
  constructor(path: Path, tests = false) {
    this.path = path;
    this.#tests = tests;
  }

  run(scope: Scope): Result {
    const value = this.path.resolve(scope);
    if (this.#tests) return value instanceof Optional ? value.value !== undefined : value;
    scope.meter.charge(this.path.cost);
    return value;
  }
}
