/**
 * Types with keywords, for places where no decorator can stand: the items of a list, the values of
 * a record, type aliases and interfaces.
 *
 * At run time and to the compiler they are the type itself; the generator reads the keywords.
 */
import type { Schema } from "../kube/schema/structural.ts";

type Described = Pick<
  Schema,
  | "title"
  | "description"
  | "default"
  | "example"
  | "externalDocs"
  | "nullable"
  | "enum"
  | "allOf"
  | "anyOf"
  | "oneOf"
  | "not"
  | "x-kubernetes-validations"
>;

type TextKeywords = "minLength" | "maxLength" | "pattern" | "format";
type NumberKeywords =
  | "minimum"
  | "maximum"
  | "exclusiveMinimum"
  | "exclusiveMaximum"
  | "multipleOf"
  | "format";
type ListKeywords =
  | "minItems"
  | "maxItems"
  | "x-kubernetes-list-type"
  | "x-kubernetes-list-map-keys";
type ObjectKeywords =
  | "minProperties"
  | "maxProperties"
  | "required"
  | "x-kubernetes-map-type"
  | "x-kubernetes-preserve-unknown-fields"
  | "x-kubernetes-embedded-resource";

type KeywordsOf<T> = T extends string
  ? TextKeywords
  : T extends number
    ? NumberKeywords
    : T extends readonly unknown[]
      ? ListKeywords
      : T extends boolean | null | undefined
        ? never
        : ObjectKeywords;

/** The keywords of OpenAPI that make sense on a `T`; on `unknown`, all of them. */
export type KeywordsFor<T> = unknown extends T ? Schema : Described & Pick<Schema, KeywordsOf<T>>;

/**
 * A `T` whose schema has these keywords too: `With<Int32, { minimum: 1 }>[]`. `With<unknown, {...}>` is
 * a schema written by hand. The keywords are checked against `T`, and by `tsop manifests` as by the API
 * server.
 */
// The parameters are for the generator, which reads what the compiler has checked.
export type With<T, _Keywords extends KeywordsFor<T>> = T;

/** A text with bounds: `Record<string, Str<{ maxLength: 63 }>>`. Short for `With<string, ...>`. */
export type Str<_Keywords extends KeywordsFor<string>> = string;
