/** Names of resources and keys of objects, for the controllers. */
import type { SentObject, ObjectKey } from "../../kube/object.ts";
import { msOf } from "../../kube/values/times.ts";
import { isSameResource, type ResourceName } from "../resource-name.ts";
import type { StoreEvent } from "./client.ts";

declare const isAbout: unique symbol;

/** An event about a resource whose objects are of type `T`. */
interface EventAbout<T extends SentObject> extends StoreEvent<T> {
  /** Only for the compiler: tells it from events about other resources. */
  readonly [isAbout]: true;
}

/** Whether the event is about that resource. */
export function concerns<T extends SentObject>(
  event: StoreEvent,
  resource: ResourceName<T>,
): event is EventAbout<T> {
  return isSameResource(event.resource, resource);
}

/** `namespace/name`, with an empty namespace for cluster-scoped objects. */
export function textOf(object: SentObject): string {
  return `${object.metadata.namespace ?? ""}/${object.metadata.name ?? ""}`;
}

/** The key that `textOf` wrote. */
export function keyFrom(text: string): ObjectKey & { readonly namespace: string } {
  const slash = text.indexOf("/");
  return { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}

/** Orders objects by name. */
export function byName(left: SentObject, right: SentObject): number {
  return (left.metadata.name ?? "") < (right.metadata.name ?? "") ? -1 : 1;
}

/** Orders objects by age, the oldest first; those of the same second by name. */
export function byAge(left: SentObject, right: SentObject): number {
  const ageOf = ({ metadata }: SentObject): number => msOf(metadata.creationTimestamp);
  return ageOf(left) - ageOf(right) || byName(left, right);
}
