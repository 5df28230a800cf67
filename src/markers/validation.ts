/**
 * The markers that say which values a field takes.
 *
 * Each is its documentation, its type and its effect on the schema; most have a JSDoc tag of the same
 * name (`@minimum 1`), for interfaces and type aliases, which cannot carry decorators.
 */
import type { Json } from "../kube/object.ts";
import type { Schema } from "../kube/schema/structural.ts";
import {
  type FieldMarker,
  type FieldOrClassMarker,
  type ObjectMarker,
  type TextMarker,
  markersOn,
  typedMarker,
} from "./marker.ts";
import {
  aCount,
  aJson,
  aNumber,
  aPattern,
  aStep,
  aText,
  type Parameter,
  oneOfTexts,
  options,
} from "./parameters.ts";
import { type TextFormat, textFormats } from "./text-formats.ts";
import { present } from "../present.ts";

const onNumber = markersOn<FieldMarker<number>>("number");
const onText = markersOn<TextMarker>("string");
const onArray = markersOn<FieldMarker<readonly unknown[]>>("array");
const onObject = markersOn<ObjectMarker>("object");
const onAny = markersOn<FieldOrClassMarker<unknown>>("any");

/**
 * The smallest number the field takes: `@Minimum(1) replicas!: Int32`.
 *
 * @example `@Minimum(1) replicas!: Int32`
 */
export const Minimum = onNumber([aNumber], (limit) => ({ schema: { minimum: limit } }));

/**
 * The largest number the field takes: `@Maximum(65535) port!: Int32`.
 *
 * @example `@Maximum(65535) port!: Int32`
 */
export const Maximum = onNumber([aNumber], (limit) => ({ schema: { maximum: limit } }));

/**
 * Numbers have to be greater than this: `@ExclusiveMinimum(0) ratio!: Double`.
 *
 * @example `@ExclusiveMinimum(0) ratio!: Double`
 */
export const ExclusiveMinimum = onNumber([aNumber], (limit) => ({
  schema: { minimum: limit, exclusiveMinimum: true },
}));

/**
 * Numbers have to be less than this: `@ExclusiveMaximum(100) percent!: Double`.
 *
 * @example `@ExclusiveMaximum(100) percent!: Double`
 */
export const ExclusiveMaximum = onNumber([aNumber], (limit) => ({
  schema: { maximum: limit, exclusiveMaximum: true },
}));

/**
 * Numbers have to be a multiple of this: `@MultipleOf(5) minutes!: Int32`.
 *
 * @example `@MultipleOf(5) minutes!: Int32`
 */
export const MultipleOf = onNumber([aStep], (step) => ({ schema: { multipleOf: step } }));

/**
 * The least number of characters: `@MinLength(1) name!: string`.
 *
 * @example `@MinLength(1) name!: string`
 */
export const MinLength = onText([aCount], (length) => ({ schema: { minLength: length } }));

/**
 * The greatest number of characters: `@MaxLength(63) name!: string`.
 *
 * @example `@MaxLength(63) name!: string`
 */
export const MaxLength = onText([aCount], (length) => ({ schema: { maxLength: length } }));

/**
 * The pattern that the text has to match, in Go's syntax (RE2: no look-around, no back-references):
 * `@Pattern(/^[a-z]+$/) name!: string`. It matches anywhere unless it is anchored.
 *
 * @example `@Pattern(/^[a-z]+$/) name!: string`
 */
export const Pattern = onText([aPattern], (pattern) => ({
  schema: { pattern: typeof pattern === "string" ? pattern : pattern.source },
}));

/**
 * The text's format: `@Format("ipv4") address!: string`.
 *
 * @example `@Format("ipv4") address!: string`
 */
export const Format = typedMarker<(format: TextFormat) => TextMarker>({
  on: "string",
  parameters: [oneOfTexts("a format that the API server knows", textFormats)],
  effect: (format: string) => ({ schema: { format } }),
});

/**
 * The least number of items: `@MinItems(1) hosts!: string[]`.
 *
 * @example `@MinItems(1) hosts!: string[]`
 */
export const MinItems = onArray([aCount], (count) => ({ schema: { minItems: count } }));

/**
 * The greatest number of items: `@MaxItems(16) hosts!: string[]`. Rules on long lists need it.
 *
 * @example `@MaxItems(16) hosts!: string[]`
 */
export const MaxItems = onArray([aCount], (count) => ({ schema: { maxItems: count } }));

/**
 * The least number of entries: `@MinProperties(1) labels!: Record<string, string>`.
 *
 * @example `@MinProperties(1) labels!: Record<string, string>`
 */
export const MinProperties = onObject([aCount], (count) => ({ schema: { minProperties: count } }));

/**
 * The greatest number of entries: `@MaxProperties(8) labels!: Record<string, string>`.
 *
 * @example `@MaxProperties(8) labels!: Record<string, string>`
 */
export const MaxProperties = onObject([aCount], (count) => ({ schema: { maxProperties: count } }));

/** A `T` of which the API server fills in the fields that are not there. */
type Unfilled<T> = T extends readonly (infer I)[]
  ? readonly Unfilled<I>[]
  : T extends object
    ? { readonly [K in keyof T]?: Unfilled<T[K]> }
    : T;

/** A decorator for fields that may hold a `D`. */
interface ValueMarker<D> {
  <This, V>(
    value: undefined,
    context: ClassFieldDecoratorContext<This, V> & ([D] extends [Unfilled<V>] ? unknown : never),
  ): void;
  <O extends object, K extends keyof O>(
    target: O,
    key: [D] extends [Unfilled<O[K]>] ? K : never,
  ): void;
}

/**
 * The value that the API server fills in when the field is absent, where an initialiser cannot say it:
 * `@Default("Always") policy?: Policy`. A field with a default is not required.
 *
 * @example `@Default("Always") policy?: string;`
 */
export const Default = typedMarker<<const D extends Constant>(value: D) => ValueMarker<Mutable<D>>>(
  {
    on: "any",
    parameters: [aJson],
    effect: (value: Json) => ({ schema: { default: value }, required: false }),
  },
);

/** JSON as it is written in a program; constants are read-only. */
type Constant =
  | string
  | number
  | boolean
  | null
  | readonly Constant[]
  | { readonly [key: string]: Constant };

type Mutable<T> = T extends readonly unknown[] | Record<string, unknown>
  ? { -readonly [K in keyof T]: Mutable<T[K]> }
  : T;

/**
 * A value shown as an example: `@Example("nginx:1.27") image!: string`.
 *
 * @example `@Example("nginx:1.27") image!: string`
 */
export const Example = typedMarker<<const D extends Constant>(value: D) => ValueMarker<Mutable<D>>>(
  {
    on: "any",
    parameters: [aJson],
    effect: (value: Json) => ({ schema: { example: value } }),
  },
);

/**
 * The only values that the field takes: `@Enum("a", "b") mode!: string`. A union of literals as the
 * field's type says the same, and the compiler knows it too.
 *
 * @example `@Enum("a", "b") mode?: string;`
 */
export const Enum = typedMarker<
  <const V extends readonly (string | number | boolean | null)[]>(
    ...values: V
  ) => ValueMarker<V[number]>
>({
  on: "any",
  parameters: [aJson],
  last: "repeated",
  effect: (...values: Json[]) => ({ schema: { enum: values } }),
});

/**
 * The short name of the field in documentation: `@Title("Node port")`.
 *
 * @example `@Title("Node port") port?: Int32;`
 */
export const Title = onAny([aText], (title) => ({ schema: { title } }));

/**
 * The text of `kubectl explain`, where JSDoc cannot hold it as it is. It stands for the JSDoc text.
 *
 * @example `@Description("See {docs} & more.") name?: string;`
 */
export const Description = onAny([aText], (description) => ({ schema: { description } }));

/**
 * A link to further documentation of the field:
 * `@ExternalDocs("https://example.com", "The manual")`.
 *
 * @example `@ExternalDocs("https://example.com", "The manual") mode?: string;`
 */
export const ExternalDocs = typedMarker<
  (url: string, description?: string) => FieldOrClassMarker<unknown>
>({
  on: "any",
  parameters: [aText, aText],
  last: "optional",
  effect: (url: string, description?: string) => ({
    schema: { externalDocs: { url, ...present({ description }) } },
  }),
});

/**
 * The API server keeps fields that the schema does not name: for objects of any shape.
 *
 * @example `@PreserveUnknownFields() values?: unknown;`
 */
export const PreserveUnknownFields = onAny([], () => ({
  schema: { "x-kubernetes-preserve-unknown-fields": true },
}));

/**
 * The field holds a whole Kubernetes object, with its `apiVersion`, `kind` and `metadata`.
 *
 * @example `@EmbeddedResource() @PreserveUnknownFields() template?: object;`
 */
export const EmbeddedResource = onObject([], () => ({
  schema: { "x-kubernetes-embedded-resource": true },
}));

/**
 * The field takes a number or a string: for a field typed `string` that YAML may write as a number.
 *
 * @example `@AcceptNumber() port?: string;`
 */
export const AcceptNumber = onText([], () => ({
  schema: { "x-kubernetes-int-or-string": true },
}));

/**
 * Must be set, although the field has a default or is written with `?`.
 *
 * @example `@Required() mode: string = "fast";`
 */
export const Required = onAny([], () => ({ required: true }));

/**
 * The field is not part of the schema.
 *
 * @example `@Ignore() cached?: string;`
 */
export const Ignore = onAny([], () => ({ ignored: true }));

/**
 * The field's value never changes once it was set.
 *
 * @example `@Immutable() className?: string;`
 */
export const Immutable = onAny([], () => ({ immutable: true }));

const aSchema: Parameter<Schema> = { ...options<Schema>(), says: "an OpenAPI schema" };

/**
 * The schema, written by hand, in place of what the field's type says. It is checked all the same.
 *
 * @example `@RawSchema({ type: "string", maxLength: 63 }) name?: unknown;`
 */
export const RawSchema = onAny([aSchema], (schema) => ({
  schema,
  replaces: true,
}));

/**
 * Keywords that are added to what the type and the other markers say, as they are:
 * `@AddSchema({ oneOf: [{ required: ["a"] }, { required: ["b"] }] })`. They are checked all the same.
 *
 * @example `@AddSchema({ not: { enum: ["none"] } }) name?: string;`
 */
export const AddSchema = onAny([aSchema], (schema) => ({
  schema,
}));
