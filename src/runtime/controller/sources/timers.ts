/** Reconciles by time instead of by event: each object of a kind at its own period. */
import type { Clock, Timer } from "../../../clock.ts";
import { formatKey, keyOf, type KubeObject } from "../../../kube/object.ts";
import { groupResourceOf, resourceOf, type ReadToken } from "../../../kube/resource.ts";
import { informersOf } from "../../cache/cache.ts";
import type { Cache } from "../../cache/cache-view.ts";
import { EventRetries } from "./event-retries.ts";
import { periodMs, waitMs } from "./periods.ts";
import type { Source } from "./sources.ts";

/** The periods of a kind's objects. */
export interface TimerOptions<T extends KubeObject> {
  /**
   * The period in milliseconds; computed for each object when it changes, `undefined`: never. A
   * function that throws, or returns no time above 0, is called again, with growing waits.
   */
  readonly everyMs: number | ((object: T) => number | undefined);
  /**
   * The wait before the first run, in milliseconds; random between 0 and a whole period when
   * absent, so that a restart is not a burst.
   */
  readonly initialDelayMs?: number;
  /** Skips objects that changed within this time, in milliseconds. */
  readonly idleMs?: number;
}

interface Ticking {
  readonly timer: Timer;
  readonly atMs: number;
  readonly everyMs: number;
}

/**
 * Enqueues each object of a kind from time to time, in addition to its events.
 *
 * @example
 * controllerFor(manager).for(Web).watchesSource(timerSource(manager, Web, { everyMs: 3_600_000 }));
 *
 * @throws TsopError `bad-period`
 */
export function timerSource<T extends KubeObject>(
  { cache, clock }: { readonly cache: Cache; readonly clock: Clock },
  token: ReadToken<T>,
  { everyMs, initialDelayMs, idleMs = 0 }: TimerOptions<T>,
): Source {
  const name = `of the timer of ${groupResourceOf(resourceOf(token))}`;
  if (typeof everyMs === "number") periodMs(`everyMs ${name}`, everyMs);
  if (initialDelayMs !== undefined) waitMs(`initialDelayMs ${name}`, initialDelayMs);
  waitMs(`idleMs ${name}`, idleMs);
  const periodOf = (object: T): number | undefined => {
    const period = typeof everyMs === "function" ? everyMs(object) : everyMs;
    return period === undefined ? undefined : periodMs(`everyMs ${name}`, period);
  };
  // Requested now, so that the informer starts with the others.
  const kind = informersOf(cache).informersFor(token);
  return {
    start(enqueue, signal, report) {
      const ticking = new Map<string, Ticking>();
      const stop = (id: string): void => {
        ticking.get(id)?.timer.cancel();
        ticking.delete(id);
      };
      const schedule = (object: T, period: number, delayMs: number): void => {
        const id = formatKey(keyOf(object));
        stop(id);
        const timer = clock.after(
          delayMs,
          () => {
            enqueue(keyOf(object), { cause: `timer of ${period} ms`, causeType: "timer" });
            schedule(object, period, period);
          },
          { unref: true },
        );
        ticking.set(id, { timer, atMs: clock.monotonicMs() + delayMs, everyMs: period });
      };
      const added = (object: T): void => {
        const period = periodOf(object);
        if (period === undefined) return;
        schedule(object, period, Math.max(initialDelayMs ?? period * clock.random(), idleMs));
      };
      const updated = (object: T): void => {
        const id = formatKey(keyOf(object));
        const known = ticking.get(id);
        const period = periodOf(object);
        if (period === undefined) stop(id);
        else if (!known) added(object);
        else {
          const leftMs = known.everyMs === period ? known.atMs - clock.monotonicMs() : period;
          schedule(object, period, Math.max(leftMs, idleMs));
        }
      };
      const retries = new EventRetries<T>(
        clock,
        ({ event: { type, object } }) => {
          if (type === "create") added(object);
          else if (type === "update") updated(object);
          else stop(formatKey(keyOf(object)));
        },
        report,
      );
      const registration = kind.addHandler({
        handlerFor: () => ({
          onAdd: (object, initial) =>
            retries.handle({ event: { type: "create", object, initial } }),
          onUpdate: (old, object) =>
            old === object ? undefined : retries.handle({ event: { type: "update", old, object } }),
          onDelete: (object, tombstone) =>
            retries.handle({ event: { type: "delete", object, tombstone } }),
        }),
        onLeave: (namespace) => {
          retries.leave(namespace);
          for (const id of [...ticking.keys()]) {
            if (namespace === "" || id.startsWith(`${namespace}/`)) stop(id);
          }
        },
      });
      const end = (): void => {
        registration.remove();
        retries.end();
        for (const id of [...ticking.keys()]) stop(id);
      };
      signal.addEventListener("abort", end, { once: true });
      return {
        synced: registration.synced,
        ended: Promise.resolve(),
      };
    },
  };
}
