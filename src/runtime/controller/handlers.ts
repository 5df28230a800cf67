/**
 * From an event to the keys that it concerns.
 *
 * @module
 */
import { keyOf, type KubeObject, type ObjectKey } from "../../kube/object.ts";
import { parseApiVersion, type ResourceInfo } from "../../kube/resource.ts";
import type { IndexFunction } from "../cache/indexer.ts";
import type { ObjectEvent, Predicate } from "./predicates.ts";
import type { CauseType } from "./reconcile-observer.ts";

/** Why a key is to be looked at, and how urgently. */
export interface EnqueueHint {
  /** 0 when absent; -100 is what is only there and did not change. */
  readonly priority?: number;
  /** For the log: `update of Deployment d/web`. */
  readonly cause?: string;
  /** What that is, for the journal; `event` where it comes from one, `other` when absent. */
  readonly causeType?: CauseType;
  /** What happened to which object, for the journal: what changed stands there. */
  readonly event?: ObjectEvent;
  /**
   * When this process itself wrote what the event tells of, on the monotonic clock: a reconcile that began later has
   * seen it, and need not run again for it.
   */
  readonly writtenAtMs?: number;
}

/** Puts a key into the controller's queue. */
export type Enqueue = (key: ObjectKey, hint?: EnqueueHint) => void;

/** Says which keys an event concerns. */
export type EventHandler<T extends KubeObject = KubeObject> = (
  event: ObjectEvent<T>,
  enqueue: Enqueue,
) => void | Promise<void>;

/** The keys that a change of an object concerns; may read to find out. */
export type MapFunction<T extends KubeObject> = (
  object: T,
) => Iterable<ObjectKey> | Promise<Iterable<ObjectKey>>;

/** How a kind is watched. */
export interface WatchOptions<T extends KubeObject> {
  /** All of them must let an event pass. */
  readonly predicates?: readonly Predicate<T>[];
  /** Indexes over the kind, for `list(token, { index: { name, value } })`. */
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
}

/** What an event of a watched kind leads to: the keys that `map` gives, or what `handler` does. */
export type WatchReaction<T extends KubeObject> =
  | { readonly map: MapFunction<T>; readonly handler?: never }
  | { readonly handler: EventHandler<T>; readonly map?: never };

/** The handler of a reaction. */
export function handlerOf<T extends KubeObject>({
  map,
  handler,
}: WatchReaction<T>): EventHandler<T> {
  return handler ?? enqueueMapped(map);
}

/** The object itself. */
export const enqueueObject: EventHandler = ({ object }, enqueue) => {
  enqueue(keyOf(object));
};

/**
 * The owners of the object that are of the kind `owner`; of both sides of an update, so that an owner that lost
 * the object hears of it.
 *
 * @param everyOwner - all owners of the kind; otherwise only the controller
 */
export function enqueueOwner(owner: ResourceInfo, everyOwner = false): EventHandler {
  return (event, enqueue) => {
    const objects = event.type === "update" ? [event.old, event.object] : [event.object];
    for (const { metadata } of objects) {
      for (const reference of metadata.ownerReferences ?? []) {
        if (!everyOwner && reference.controller !== true) continue;
        // The version is left out: it may be another one than ours.
        if (reference.kind !== owner.kind) continue;
        if (parseApiVersion(reference.apiVersion).group !== owner.group) continue;
        const { namespace } = metadata;
        enqueue({ name: reference.name, ...(owner.namespaced && namespace ? { namespace } : {}) });
      }
    }
  };
}

/** What `map` says; of both sides of an update. */
function enqueueMapped<T extends KubeObject>(map: MapFunction<T>): EventHandler<T> {
  return async (event, enqueue) => {
    const objects = event.type === "update" ? [event.old, event.object] : [event.object];
    for (const object of objects) for (const key of await map(object)) enqueue(key);
  };
}
