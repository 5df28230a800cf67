/**
 * Where a controller's events come from.
 *
 * @module
 */
import { formatKey, keyOf, type KubeObject, type ObjectKey } from "../../kube/object.ts";
import type { ReadToken } from "../../kube/resource.ts";
import type { Cache } from "../cache/cache.ts";
import type { Enqueue, EventHandler } from "./handlers.ts";
import type { ObjectEvent, Predicate } from "./predicates.ts";

/** Puts keys into a controller's queue until `signal` is aborted. */
export interface Source {
  /** Begins; returns at once. */
  start(enqueue: Enqueue, signal: AbortSignal): SourceRun;
}

/** A source at work. */
export interface SourceRun {
  /** Resolves once everything that was there at the beginning is in the queue. */
  readonly synced: Promise<unknown>;
  /** Rejects when the source fails, which ends its controller. */
  readonly ended: Promise<void>;
  /** Puts everything that there is into the queue once more: the process got other keys to work on. */
  readonly resync?: () => void;
}

/** The changes of a kind, from the cache. */
export function kindSource<T extends KubeObject>(
  cache: Cache,
  token: ReadToken<T>,
  handler: EventHandler<T>,
  filters: readonly Predicate<T>[],
): Source {
  return {
    start(enqueue, signal) {
      const handle = (event: ObjectEvent<T>, writtenAtMs?: number): void | Promise<void> => {
        if (!filters.every((filter) => filter(event))) return;
        const fromEvent = {
          cause: causeOf(event),
          priority: priorityOf(event),
          ...(writtenAtMs === undefined ? {} : { writtenAtMs }),
        };
        return handler(event, (key, hint) => {
          enqueue(key, { ...fromEvent, ...hint });
        });
      };
      const kind = cache.informersFor(token);
      const registration = kind.addHandler({
        handlerFor: (informer) => ({
          onAdd: (object, initial) =>
            handle({ type: "create", object, initial }, informer.writtenAtMs(object)),
          onUpdate: (old, object) =>
            handle(
              { type: "update", old, object },
              // A resync is meant to be looked at.
              old === object ? undefined : informer.writtenAtMs(object),
            ),
          onDelete: (object, tombstone) => handle({ type: "delete", object, tombstone }),
        }),
      });
      signal.addEventListener(
        "abort",
        () => {
          registration.remove();
        },
        { once: true },
      );
      return {
        synced: registration.synced,
        ended: Promise.resolve(),
        resync: () => {
          for (const { indexer } of kind.informers.values()) {
            for (const object of indexer.list()) {
              // A handler that fails here fails as it would have at the start: the informer's log has it.
              void handle({ type: "create", object, initial: true });
            }
          }
        },
      };
    },
  };
}

// controller-runtime's: what a restart or a resync brings up waits behind what really happened.
const LOW_PRIORITY = -100;

function priorityOf(event: ObjectEvent): number {
  if (event.type === "create") return event.initial ? LOW_PRIORITY : 0;
  if (event.type === "delete") return 0;
  const before = event.old.metadata.resourceVersion;
  return before === event.object.metadata.resourceVersion ? LOW_PRIORITY : 0;
}

function causeOf(event: ObjectEvent): string {
  const what =
    event.type === "create" && event.initial
      ? "start with"
      : event.type === "update" && event.old === event.object
        ? "resync of"
        : `${event.type} of`;
  return `${what} ${event.object.kind} ${formatKey(keyOf(event.object))}`;
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
