/**
 * Objects as they are written: to be created, or to be applied. Nothing that the server sets is asked for, and what may be
 * left out may also be `undefined`, so that what was read can be handed on.
 *
 * @module
 */
import type { JsonObject, KubeObject, ObjectMeta, SentObject } from "./object.ts";
import type { Whole } from "./resource.ts";

type Scalar = string | number | bigint | boolean | null | undefined;

/** A `T`, all of it. */
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

/** What an object of a kind says beside its type and metadata; anything, where the program has no type of it. */
type ContentOf<T extends SentObject> = keyof T extends keyof SentObject
  ? object | JsonObject
  : Omit<T, keyof SentObject>;

/** The type of an object, which the token knows anyway. */
interface Typed {
  apiVersion?: string | undefined;
  kind?: string | undefined;
}

/** The metadata of an object that is written. */
export type WrittenMeta = { [K in keyof ObjectMeta]?: ObjectMeta[K] | undefined };

/** The metadata of an object that is to be created: it has a name, or the server makes one up. */
export type NewMeta = WrittenMeta & ({ name: string } | { generateName: string });

/** The metadata of an intent: what is applied has a name. */
export type IntentMeta = WrittenMeta & { name: string };

/**
 * An object that is to be created; `apiVersion` and `kind` come from the token. Of a kind of one's own any part of the spec
 * will do: the server fills in the defaults, and refuses what is missing by its path. Built-in kinds demand what they
 * demand.
 */
export type NewObject<T extends SentObject> = Typed &
  Whole &
  // A review, which is answered and not stored, has no name.
  (T extends KubeObject ? { metadata: NewMeta } : { metadata?: WrittenMeta | undefined }) &
  // Built-in kinds say which version they are of.
  (string extends T["apiVersion"] ? PartFields<ContentOf<T>> : FullFields<ContentOf<T>>);

/** The intent of an object of any kind: what is known of each. */
export interface AnyIntent extends Typed {
  metadata: IntentMeta;
}

/** The part of an object that its writer has an opinion on, for server-side apply. */
export type Intent<T extends SentObject> = AnyIntent & PartFields<ContentOf<T>>;
