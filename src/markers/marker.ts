/**
 * A marker is a decorator that the compiler checks against its field, and a definition that the
 * generator reads. At run time a marker does nothing.
 */
import type { Schema } from "../kube/schema/structural.ts";
import type { Parameter } from "./parameters.ts";

/** A decorator for fields of type `T`, in the standard (TC39) form and under `experimentalDecorators`. */
export interface FieldMarker<T> {
  <This, V extends T | null | undefined>(
    value: undefined,
    context: ClassFieldDecoratorContext<This, V>,
  ): void;
  <O extends object, K extends keyof O>(
    target: O,
    key: O[K] extends T | null | undefined ? K : never,
  ): void;
}

/** A decorator for fields that may hold a string: `string`, literal unions, `IntOrString`. */
export interface TextMarker {
  <This, V>(
    value: undefined,
    context: ClassFieldDecoratorContext<This, V> &
      ([Extract<V, string>] extends [never] ? never : unknown),
  ): void;
  <O extends object, K extends keyof O>(
    target: O,
    key: [Extract<O[K], string>] extends [never] ? never : K,
  ): void;
}

/** `never` for a list, which is an object to the compiler. */
type NoList<V> = [Extract<V, readonly unknown[]>] extends [never] ? unknown : never;

/** A decorator for fields that hold an object or a record, or for the class of such fields. */
export interface ObjectMarker {
  <This, V extends object | null | undefined>(
    value: undefined,
    context: ClassFieldDecoratorContext<This, V> & NoList<V>,
  ): void;
  <O extends object, K extends keyof O>(
    target: O,
    key: O[K] extends object | null | undefined
      ? unknown extends NoList<O[K]>
        ? K
        : never
      : never,
  ): void;
  <C extends abstract new (...args: never[]) => object>(
    target: C,
    context?: ClassDecoratorContext<C>,
  ): void;
}

/** A decorator for classes whose objects are `T`, in both forms. */
export type ClassMarker<T> = <C extends abstract new (...args: never[]) => T>(
  target: C,
  context?: ClassDecoratorContext<C>,
) => void;

/** A decorator for a field of type `T`, or for the class of such fields. */
export type FieldOrClassMarker<T> = FieldMarker<T> & ClassMarker<T>;

/** The schemas that a marker makes sense on. */
export type MarkerTarget = "number" | "string" | "array" | "object" | "any";

/**
 * The part of a field's type that is written to the CRD. Paths go through lists:
 * `spec.containers.ports`.
 */
export interface EmbedOptions<Path extends string = string> {
  /** The fields to keep; all others are left out. */
  readonly only?: readonly Path[];
  /** The fields to leave out. */
  readonly omit?: readonly Path[];
  /** False: without descriptions. A number: cut after so many bytes, at the end of a sentence. */
  readonly descriptions?: boolean | number;
  /** False: without the defaults in the type, but for those of the keys of lists, which the API server demands. */
  readonly defaults?: boolean;
  /** False: metadata inside is `type: object` alone, as controller-gen writes it; the API server prunes what is in it. */
  readonly metadata?: boolean;
}

/** The changes that a marker makes. */
export interface Effect {
  /** Keywords to set. Lists of rules are appended, bounds are intersected. */
  readonly schema?: Schema;
  /** Overrides what the field's `?` or initialiser says. */
  readonly required?: boolean;
  /** The field is not part of the schema. */
  readonly ignored?: boolean;
  /** `schema` is the whole schema, whatever the field's type. */
  readonly replaces?: boolean;
  /** The part of the field's type that is written to the schema. */
  readonly embed?: EmbedOptions;
  /** Fields of the object that have to be optional. */
  readonly optionalFields?: readonly string[];
  /** The field keeps its first value; one that is optional may be set once. */
  readonly immutable?: boolean;
}

/** A marker as the generator knows it. */
export interface MarkerDefinition {
  readonly on: MarkerTarget;
  readonly parameters: readonly Parameter<unknown>[];
  /** The last parameter may be left out, or may stand several times. */
  readonly last: "once" | "optional" | "repeated";
  effect(...values: unknown[]): Effect;
}

const definition: unique symbol = Symbol("tsop.marker");

/** A function that makes markers, with the definition that the generator reads: `Minimum`. */
export type Marker<Call> = Call & { readonly [definition]: MarkerDefinition };

type Values<P extends readonly Parameter<unknown>[]> = {
  -readonly [I in keyof P]: P[I] extends Parameter<infer T> ? T : never;
};

/** Makes markers for one target, whose arguments are those of their parameters. */
// The caller says what its decorators accept; nothing else in the call could.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
export function markersOn<Decorator>(on: MarkerTarget) {
  return <const P extends readonly Parameter<unknown>[]>(
    parameters: P,
    effect: (...values: Values<P>) => Effect,
  ): Marker<(...values: Values<P>) => Decorator> =>
    typedMarker({ on, parameters, effect: effect as (...values: never[]) => Effect });
}

/** Makes a marker whose call has a type of its own, because what it takes depends on the field. */
export function typedMarker<Call extends (...values: never[]) => unknown>(options: {
  readonly on: MarkerTarget;
  readonly parameters: readonly Parameter<unknown>[];
  readonly last?: MarkerDefinition["last"];
  readonly effect: (...values: never[]) => Effect;
}): Marker<Call> {
  const { on, parameters, last = "once", effect } = options;
  const decorator = (): void => undefined;
  return Object.assign((() => decorator) as Call, {
    [definition]: { on, parameters, last, effect: effect as (...values: unknown[]) => Effect },
  });
}

/** The definition that a marker carries. */
export function definitionOf(factory: {
  readonly [definition]: MarkerDefinition;
}): MarkerDefinition {
  return factory[definition];
}
