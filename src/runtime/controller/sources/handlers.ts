/** Handlers: from an event to the keys that it concerns. */
import { keyOf, type KubeObject, type ObjectKey } from "../../../kube/object.ts";
import { parseApiVersion, type ResourceInfo } from "../../../kube/resource.ts";
import type { IndexFunction } from "../../cache/indexer.ts";
import type { ObjectEvent, Predicate } from "./predicates.ts";

/** The type of a cause: an event of an object, or a plan of the operator itself. */
export type CauseType = "event" | "timer" | "retry" | "requeue" | "other";

/** The cause and priority of an enqueued key. */
export interface EnqueueHint {
  /** The priority; 0 when absent; -100 for an object that did not change, as in a first list. */
  readonly priority?: number;
  /** The cause, for the log: `update of Deployment d/web`. */
  readonly cause?: string;
  /** The type of the cause, for the journal; `event` for an event, `other` when absent. */
  readonly causeType?: CauseType;
  /** The event, for the journal, which shows the changes. */
  readonly event?: ObjectEvent;
  /**
   * The time at which this process wrote the state in the event, on the monotonic clock: a
   * reconcile that began later has seen it, and need not run again for it.
   */
  readonly writtenAtMs?: number;
}

/** Puts a key into the controller's queue. */
export type Enqueue = (key: ObjectKey, hint?: EnqueueHint) => void;

/** Enqueues the keys that an event concerns. */
export type EventHandler<T extends KubeObject = KubeObject> = (
  event: ObjectEvent<T>,
  enqueue: Enqueue,
) => void | Promise<void>;

/** Returns the keys that a change of an object concerns; it may read to find them. */
export type MapFunction<T extends KubeObject> = (
  object: T,
) => Iterable<ObjectKey> | Promise<Iterable<ObjectKey>>;

/** The options for a watched kind. */
export interface WatchOptions<T extends KubeObject> {
  /** The filters of events; an event must pass all of them. */
  readonly predicates?: readonly Predicate<T>[];
  /** Indexes over the kind, for `list(token, { index: { name, value } })`. */
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
}

/** The reaction to an event: the keys that `map` returns, or the calls of `handler`. */
export type WatchReaction<T extends KubeObject> =
  | { readonly map: MapFunction<T>; readonly handler?: never }
  | { readonly handler: EventHandler<T>; readonly map?: never };

export function handlerOf<T extends KubeObject>({
  map,
  handler,
}: WatchReaction<T>): EventHandler<T> {
  return handler ?? enqueueMapped(map);
}

export const enqueueObject: EventHandler = ({ object }, enqueue) => {
  enqueue(keyOf(object));
};

/**
 * Enqueues the owners of the object that are of the kind `owner`; for both states of an update, so
 * that an owner that lost the object is reconciled.
 *
 * @param everyOwner - all owners of the kind; otherwise only the controller
 */
export function enqueueOwner(owner: ResourceInfo, everyOwner = false): EventHandler {
  return (event, enqueue) => {
    const objects = event.type === "update" ? [event.old, event.object] : [event.object];
    for (const { metadata } of objects) {
      for (const reference of metadata.ownerReferences ?? []) {
        if (!everyOwner && reference.controller !== true) continue;
        // The version is not compared: it may differ from ours.
        if (reference.kind !== owner.kind) continue;
        if (parseApiVersion(reference.apiVersion).group !== owner.group) continue;
        const { namespace } = metadata;
        enqueue({ name: reference.name, ...(owner.namespaced && namespace ? { namespace } : {}) });
      }
    }
  };
}

/** Enqueues the keys that `map` returns; for both states of an update. */
function enqueueMapped<T extends KubeObject>(map: MapFunction<T>): EventHandler<T> {
  return async (event, enqueue) => {
    const objects = event.type === "update" ? [event.old, event.object] : [event.object];
    for (const object of objects) for (const key of await map(object)) enqueue(key);
  };
}
