/** Names of resources and of collections in the store, which carry the type of their objects. */
import type { SentObject } from "../kube/object.ts";
import { type ResourceInfo, groupResourceOf } from "../kube/resource.ts";

declare const objectType: unique symbol;

/** A resource by its group and plural, in its preferred version, whose objects are of type `T`. */
export interface ResourceName<T extends SentObject = SentObject> extends Pick<
  ResourceInfo,
  "group" | "plural"
> {
  /** Only for the compiler: carries `T`. */
  readonly [objectType]?: T;
}

/** A collection of the store whose objects are of type `T`. */
export type CollectionName<T extends SentObject = SentObject> = string & {
  /** Only for the compiler: carries `T`. */
  readonly [objectType]?: T;
};

/** A reader of the stored objects. */
export interface ObjectSource {
  get<T extends SentObject>(collection: CollectionName<T>, key: string): T | undefined;
  /** The objects in key order; of one namespace when it is given. */
  list<T extends SentObject>(collection: CollectionName<T>, namespace?: string): readonly T[];
}

/** Whether two names are of one resource. */
export const isSameResource = (left: ResourceName, right: ResourceName): boolean =>
  left.group === right.group && left.plural === right.plural;

/** The object as one of the kind; `undefined` where `resource` is another kind's. */
export function asKind<T extends SentObject>(
  kind: ResourceName<T>,
  resource: ResourceName,
  object: SentObject,
): T | undefined {
  return isSameResource(kind, resource) ? (object as T) : undefined;
}

/** The name of the store's collection for a resource; both Event groups show the same one. */
export function collectionOf<T extends SentObject>(resource: ResourceName<T>): CollectionName<T> {
  const name = groupResourceOf(resource);
  return name === "events.events.k8s.io" ? "events" : name;
}
