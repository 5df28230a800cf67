/**
 * Where a controller's events come from.
 *
 * @module
 */
import type { KubeObject, ObjectKey } from "../../kube/object.ts";
import type { Token } from "../../kube/resource.ts";
import type { Cache } from "../cache/cache.ts";
import type { Registration } from "../cache/shared-informer.ts";
import type { Enqueue, EventHandler } from "./handlers.ts";
import type { ObjectEvent, Predicate } from "./predicates.ts";

/** Puts keys into a controller's queue until `signal` is aborted. */
export interface Source {
  start(enqueue: Enqueue, signal: AbortSignal): SourceRun;
}

/** A source at work. */
export interface SourceRun {
  /** Resolves once everything that was there at the beginning is in the queue. */
  readonly synced: Promise<unknown>;
  /** Rejects when the source fails, which ends its controller. */
  readonly ended: Promise<void>;
}

/** The changes of a kind, from the cache. */
export function kindSource<T extends KubeObject>(
  cache: Cache,
  token: Token<T>,
  handler: EventHandler<T>,
  filters: readonly Predicate<T>[],
): Source {
  return {
    start(enqueue, signal) {
      const handle = (event: ObjectEvent<T>): void | Promise<void> => {
        if (filters.every((filter) => filter(event))) return handler(event, enqueue);
      };
      const registrations: Registration[] = [];
      for (const informer of cache.informersFor(token).informers.values()) {
        registrations.push(
          informer.addHandler({
            onAdd: (object, initial) => handle({ type: "create", object, initial }),
            onUpdate: (old, object) => handle({ type: "update", old, object }),
            onDelete: (object, tombstone) => handle({ type: "delete", object, tombstone }),
          }),
        );
      }
      signal.addEventListener(
        "abort",
        () => {
          for (const registration of registrations) registration.remove();
        },
        { once: true },
      );
      return {
        synced: Promise.all(registrations.map(({ synced }) => synced)),
        ended: Promise.resolve(),
      };
    },
  };
}

/** Keys from anywhere, such as a webhook or a message queue. It ends with the iterable. */
export function channelSource(keys: AsyncIterable<ObjectKey>): Source {
  return {
    start: (enqueue, signal) => ({
      synced: Promise.resolve(),
      ended: forward(keys, enqueue, signal),
    }),
  };
}

async function forward(
  keys: AsyncIterable<ObjectKey>,
  enqueue: Enqueue,
  signal: AbortSignal,
): Promise<void> {
  for await (const key of keys) {
    if (signal.aborted) return;
    enqueue(key);
  }
}
