/**
 * The environment of an expression: variables, functions, macros, and the fields of object types.
 */
import { type FunctionDeclaration, functionTable } from "./functions.ts";
import type { Macro } from "./syntax/macros.ts";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  INT,
  LIST,
  MAP,
  NULL,
  STRING,
  struct,
  TIMESTAMP,
  TYPE,
  UINT,
} from "./types.ts";
import type { LibraryCosts } from "./cost/library-costs.ts";
import type { CelError, CelValue } from "./values.ts";

/** A type whose values expressions make: `Name{field: value}`. */
export interface MessageType {
  readonly type: CelType;
  /**
   * The type of a field. Also called for names that do not exist; a type that no value fits refuses
   * those.
   */
  field(name: string): CelType;
  /** The value with these fields. */
  make(fields: ReadonlyMap<string, CelValue>): CelValue | CelError;
}

/** Functions, macros and types that belong together. */
export interface Library {
  readonly functions?: readonly FunctionDeclaration[];
  readonly macros?: readonly Macro[];
  /** Types that may be named in expressions. */
  readonly types?: readonly CelType[];
  /** The type of that name whose values expressions can make, if there is one. */
  readonly messages?: (name: string) => MessageType | undefined;
  /** The costs of calls that differ from the general rules. */
  readonly costs?: LibraryCosts;
}

/** The types of an object type's fields. */
export interface ObjectFields {
  /** The type of a field; `undefined` when the object has none of that name. */
  field(type: string, name: string): CelType | undefined;
  /** Whether there is an object type of that name. */
  has(type: string): boolean;
}

/** The types of variables, by name. */
export type Variables = Readonly<Record<string, CelType>>;

/** The types that can be named and are values at run time. */
const TYPE_NAMES: readonly CelType[] = [
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  INT,
  LIST,
  MAP,
  NULL,
  STRING,
  TIMESTAMP,
  TYPE,
  UINT,
];

/**
 * Names that the checker takes for types but that are not values: using one fails when the program
 * is planned.
 */
const HALF_KNOWN = new Map<string, CelType>([
  ["timestamp", TIMESTAMP],
  ["duration", DURATION],
  ...["Any", "ListValue", "NullValue", "Struct", "Value"].map(
    (name) => [`google.protobuf.${name}`, struct(`google.protobuf.${name}`)] as const,
  ),
  ...["Bool", "Bytes", "Double", "Float", "Int32", "Int64", "String", "UInt32", "UInt64"].map(
    (name) => [`google.protobuf.${name}Value`, struct(`google.protobuf.${name}Value`)] as const,
  ),
]);

export class Environment {
  readonly macros: readonly Macro[];
  readonly costs: readonly LibraryCosts[];
  readonly #functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly #variables: Variables;
  readonly #types = new Map<string, CelType>();
  readonly #objects: ObjectFields | undefined;
  readonly #libraries: readonly Library[];

  constructor(
    libraries: readonly Library[],
    variables: Variables = {},
    objects?: ObjectFields,
    functions?: ReadonlyMap<string, FunctionDeclaration>,
  ) {
    this.#libraries = libraries;
    this.#functions =
      functions ?? functionTable(libraries.flatMap((library) => library.functions ?? []));
    this.macros = libraries.flatMap(({ macros = [] }) => macros);
    this.costs = libraries.flatMap(({ costs }) => (costs ? [costs] : []));
    for (const type of [...TYPE_NAMES, ...libraries.flatMap(({ types = [] }) => types)]) {
      this.#types.set(type.name, type);
    }
    this.#variables = variables;
    this.#objects = objects;
  }

  /** The same libraries with other variables and object types. */
  withVariables(variables: Variables, objects?: ObjectFields): Environment {
    return new Environment(this.#libraries, variables, objects, this.#functions);
  }

  findFunction(name: string): FunctionDeclaration | undefined {
    return this.#functions.get(name.replace(/^\./, ""));
  }

  findVariable(name: string): CelType | undefined {
    const plain = name.replace(/^\./, "");
    return Object.hasOwn(this.#variables, plain) ? this.#variables[plain] : undefined;
  }

  /** The functions and macros that a rule can call by name. */
  get names(): readonly string[] {
    const names = [...this.#functions.keys(), ...this.macros.map(({ name }) => name)];
    return [...new Set(names)].filter((name) => /^[A-Za-z]/.test(name));
  }

  /** The type of that name; `value` is false when it cannot be used at run time. */
  findType(name: string): { readonly type: CelType; readonly value: boolean } | undefined {
    const plain = name.replace(/^\./, "");
    const type = this.#types.get(plain) ?? this.findMessage(plain)?.type;
    if (type) return { type, value: true };
    const half = HALF_KNOWN.get(plain);
    return half && { type: half, value: false };
  }

  /** The type of that name whose values can be made. */
  findMessage(name: string): MessageType | undefined {
    const plain = name.replace(/^\./, "");
    for (const { messages } of this.#libraries) {
      const found = messages?.(plain);
      if (found) return found;
    }
    return undefined;
  }

  hasObjectType(name: string): boolean {
    return this.#objects?.has(name) === true || this.findMessage(name) !== undefined;
  }

  fieldType(objectType: string, field: string): CelType | undefined {
    return this.#objects?.field(objectType, field) ?? this.findMessage(objectType)?.field(field);
  }
}
