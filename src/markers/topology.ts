/**
 * The markers that say how server-side apply merges a list or an object.
 *
 * @see https://kubernetes.io/docs/reference/using-api/server-side-apply/#merge-strategy
 */
import { type FieldMarker, type ObjectMarker, markersOn, typedMarker } from "./marker.ts";
import { aName } from "./parameters.ts";

type ItemKey<V> = NonNullable<V> extends readonly (infer I)[] ? Extract<keyof I, string> : never;

/** A decorator for a list whose items have all of the fields `K`. */
interface KeyedListMarker<K extends string> {
  <This, V extends readonly object[] | null | undefined>(
    value: undefined,
    context: ClassFieldDecoratorContext<This, V> & ([K] extends [ItemKey<V>] ? unknown : never),
  ): void;
  <O extends object, P extends keyof O>(
    target: O,
    key: [K] extends [ItemKey<O[P]>] ? P : never,
  ): void;
}

/**
 * The items are told apart by these fields, and several managers may own different ones:
 * `@ListMap("type") conditions?: Condition[]`. Each key is required in the item, or has a default.
 *
 * @example `@ListMap("type") conditions?: Condition[]`
 */
export const ListMap = typedMarker<<const K extends string>(...keys: K[]) => KeyedListMarker<K>>({
  on: "array",
  parameters: [aName],
  last: "repeated",
  effect: (...keys: string[]) => ({
    schema: { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": keys },
  }),
});

const onArray = markersOn<FieldMarker<readonly unknown[]>>("array");
const onObject = markersOn<ObjectMarker>("object");

/**
 * No item stands twice, and several managers may own different ones: `@ListSet() hosts!: string[]`.
 *
 * @example `@ListSet() hosts!: string[]`
 */
export const ListSet = onArray([], () => ({ schema: { "x-kubernetes-list-type": "set" } }));

/**
 * The list is replaced as a whole. This is the default; the marker says that it is meant.
 *
 * @example `@ListAtomic() args?: string[];`
 */
export const ListAtomic = onArray([], () => ({ schema: { "x-kubernetes-list-type": "atomic" } }));

/**
 * The object or record is replaced as a whole.
 *
 * @example `@Atomic() selector?: Record<string, string>;`
 */
export const Atomic = onObject([], () => ({ schema: { "x-kubernetes-map-type": "atomic" } }));

/**
 * Each entry has an owner of its own. This is the default; the marker says that it is meant.
 *
 * @example `@Granular() labels?: Record<string, string>;`
 */
export const Granular = onObject([], () => ({ schema: { "x-kubernetes-map-type": "granular" } }));
