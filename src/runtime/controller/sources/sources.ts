/** The sources of a controller's events. */
import type { Clock } from "../../../clock.ts";
import { formatKey, keyOf, type KubeObject, type ObjectKey } from "../../../kube/object.ts";
import type { ReadToken } from "../../../kube/resource.ts";
import type { InformerCache } from "../../cache/cache.ts";
import { EventRetries, type Happening } from "./event-retries.ts";
import type { Enqueue, EventHandler } from "./handlers.ts";
import type { ObjectEvent, Predicate } from "./predicates.ts";
import type { SourceReport } from "./source-report.ts";
import { present } from "../../../present.ts";

/** Puts keys into a controller's queue until `signal` is aborted. */
export interface Source {
  /** Starts the source; returns at once. */
  start(enqueue: Enqueue, signal: AbortSignal, report?: SourceReport): SourceRun;
}

/** A running source. */
export interface SourceRun {
  /** Resolves once all objects of the first list are in the queue. */
  readonly synced: Promise<unknown>;
  /** Rejects when the source fails, which ends its controller. */
  readonly ended: Promise<void>;
  /** Enqueues all objects again, because the process got other keys to reconcile. */
  readonly resync?: () => void;
}

/**
 * The changes of a kind, from the cache. An event whose handler or filter fails is retried, with
 * growing waits.
 */
export function kindSource<T extends KubeObject>(
  { cache, clock }: { readonly cache: InformerCache; readonly clock: Clock },
  token: ReadToken<T>,
  handler: EventHandler<T>,
  filters: readonly Predicate<T>[],
): Source {
  return {
    start(enqueue, signal, report) {
      const deliver = ({ event, writtenAtMs }: Happening<T>): void | Promise<void> => {
        if (!filters.every((filter) => filter(event))) return;
        const fromEvent = {
          cause: causeOf(event),
          causeType: "event" as const,
          event,
          priority: priorityOf(event),
          ...present({ writtenAtMs }),
        };
        // Enqueued once the handler is done: one that fails is called again, and then enqueues all
        // of its keys.
        let waiting: (() => void)[] | undefined = [];
        const flush = (): void => {
          const ready = waiting ?? [];
          waiting = undefined;
          for (const put of ready) put();
        };
        const pending = handler(event, (key, hint) => {
          const put = (): void => {
            enqueue(key, { ...fromEvent, ...hint });
          };
          if (waiting) waiting.push(put);
          else put();
        });
        if (pending) return pending.then(flush);
        flush();
        return undefined;
      };
      const retries = new EventRetries(clock, deliver, report);
      const handle = (event: ObjectEvent<T>, writtenAtMs?: number): void | Promise<void> =>
        retries.handle({ event, writtenAtMs });
      const kind = cache.informersFor(token);
      let resyncs = 0;
      // One object after the other, like events: a handler may ask the API server for each.
      const bringAgain = async (): Promise<void> => {
        const resync = ++resyncs;
        for (const { indexer } of [...kind.informers.values()]) {
          for (const listed of indexer.list()) {
            // An object that is gone by now brought its own event, and a later resync begins again.
            const object = indexer.get(formatKey(keyOf(listed)));
            if (!object) continue;
            const pending = handle({ type: "create", object, initial: true });
            if (pending) await pending;
            if (signal.aborted || resync !== resyncs) return;
          }
        }
      };
      const registration = kind.addHandler({
        handlerFor: (informer) => ({
          onAdd: (object, initial) =>
            handle({ type: "create", object, initial }, informer.writtenAtMs(object)),
          onUpdate: (old, object) =>
            handle(
              { type: "update", old, object },
              // A resync is meant to be reconciled.
              old === object ? undefined : informer.writtenAtMs(object),
            ),
          onDelete: (object, tombstone) => handle({ type: "delete", object, tombstone }),
        }),
        onLeave: (namespace) => {
          retries.leave(namespace);
        },
      });
      signal.addEventListener(
        "abort",
        () => {
          registration.remove();
          retries.end();
        },
        { once: true },
      );
      return {
        synced: registration.synced,
        ended: Promise.resolve(),
        resync: () => {
          void bringAgain();
        },
      };
    },
  };
}

// controller-runtime's priority for objects of a first list or a resync: they wait behind real
// changes.
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

/**
 * Keys from anywhere, such as a webhook or a message queue. It ends with the iterable.
 *
 * @example
 * async function* fromQueue(): AsyncGenerator<ObjectKey> {
 *   yield { namespace: "default", name: "one" };
 * }
 * controllerFor(manager).for(Web).watchesSource(channelSource(fromQueue()));
 */
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
