/**
 * Types of objects to create or to apply. Fields that the server sets are not required, and
 * optional fields may also be `undefined`, so that values that were read can be passed on.
 */
import type { JsonObject, KubeObject, ObjectMeta, SentObject } from "./object.ts";
import type { Whole } from "./resource.ts";

type Scalar = string | number | bigint | boolean | null | undefined;

/** A complete `T`. */
type Full<T> = T extends Scalar
  ? T
  : T extends (infer Item)[]
    ? Full<Item>[]
    : T extends object
      ? FullFields<T>
      : T;

type FullFields<T> = {
  [K in keyof T]: undefined extends T[K] ? Full<T[K]> | undefined : Full<T[K]>;
};

/** Any part of a `T`. */
type Part<T> = T extends Scalar
  ? T
  : T extends (infer Item)[]
    ? Part<Item>[]
    : T extends object
      ? PartFields<T>
      : T;

type PartFields<T> = { [K in keyof T]?: Part<T[K]> | undefined };

/**
 * The fields of a kind beside type and metadata; any fields, where the program has no type of the
 * kind.
 */
type ContentOf<T extends SentObject> = keyof T extends keyof SentObject
  ? object | JsonObject
  : Omit<T, keyof SentObject>;

/** The type of an object, which the token determines already. */
interface Typed {
  apiVersion?: string | undefined;
  kind?: string | undefined;
}

/** The metadata of an object to write. */
export type WrittenMeta = { [K in keyof ObjectMeta]?: ObjectMeta[K] | undefined };

/** The metadata of an object to create: it has a name, or the server generates one. */
export type NewMeta = WrittenMeta & ({ name: string } | { generateName: string });

/** The metadata of an intent, which has a name. */
export type IntentMeta = WrittenMeta & { name: string };

/**
 * An object to create; `apiVersion` and `kind` come from the token. For a kind of one's own any
 * part of the spec is enough: the server fills in the defaults, and refuses missing fields by their
 * path. Built-in kinds require their required fields.
 */
export type NewObject<T extends SentObject> = Typed &
  Whole &
  // A review, which is answered and not stored, has no name.
  (T extends KubeObject ? { metadata: NewMeta } : { metadata?: WrittenMeta | undefined }) &
  // Built-in kinds have a literal version.
  (string extends T["apiVersion"] ? PartFields<ContentOf<T>> : FullFields<ContentOf<T>>);

/** The intent of an object of any kind: the fields that all kinds have. */
export interface AnyIntent extends Typed {
  metadata: IntentMeta;
}

/** The part of an object that its writer wants to determine, for server-side apply. */
export type Intent<T extends SentObject> = AnyIntent & PartFields<ContentOf<T>>;
