/** A source of external state without notifications: polled, and compared. */
import { timeoutSignal, type Clock } from "../../../clock.ts";
import { messageOf } from "../../../errors.ts";
import type { Logger } from "../../../log.ts";
import { sameJson } from "../../../kube/json.ts";
import { formatKey, type ObjectKey } from "../../../kube/object.ts";
import { unlessAborted } from "../../abortable.ts";
import { bindMethods } from "../../bind-methods.ts";
import { deferred } from "../../deferred.ts";
import type { Enqueue } from "./handlers.ts";
import { periodMs } from "./periods.ts";
import type { SourceReport } from "./source-report.ts";
import type { Source, SourceRun } from "./sources.ts";

const MIN_TIMEOUT_MS = 60_000;

/** The options of a poll. */
export interface PollOptions<V> {
  /** The name in messages: `buckets of the cloud`. */
  readonly name: string;
  /** The time from the end of one poll to the next, in milliseconds; also after a failed one. */
  readonly everyMs: number;
  /**
   * The timeout of a poll, in milliseconds, after which its signal is aborted and it has failed.
   * `everyMs` when absent, at least a minute.
   */
  readonly timeoutMs?: number;
  /**
   * Returns all present values, by the key of the object that each belongs to. Values are compared
   * as JSON.
   */
  readonly poll: (signal: AbortSignal) => Promise<Iterable<readonly [key: ObjectKey, value: V]>>;
}

/** The parts of a manager that a poll needs. */
interface PollParts {
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Enqueues the keys whose values were added, changed or removed; reconcilers read the values here.
 *
 * @example
 * const buckets = new PollSource(manager, {
 *   name: "buckets",
 *   everyMs: 60_000,
 *   poll: (signal) => listBuckets(signal),
 * });
 * controllerFor(manager).for(Web).watchesSource(buckets).complete(new WebReconciler(manager.client));
 */
export class PollSource<V> implements Source {
  readonly #parts: PollParts;
  readonly #options: PollOptions<V>;
  readonly #timeoutMs: number;
  #values = new Map<string, { readonly key: ObjectKey; readonly value: V }>();

  /**
   * @param parts - a manager fits
   * @throws TsopError `bad-period`
   */
  constructor(parts: PollParts, options: PollOptions<V>) {
    const { name, everyMs, timeoutMs = Math.max(everyMs, MIN_TIMEOUT_MS) } = options;
    this.#parts = parts;
    this.#options = options;
    periodMs(`everyMs of the poll of ${name}`, everyMs);
    this.#timeoutMs = periodMs(`timeoutMs of the poll of ${name}`, timeoutMs);
    bindMethods(this, PollSource);
  }

  /** The value of a key in the last poll that succeeded. */
  find(key: ObjectKey): V | undefined {
    return this.#values.get(formatKey(key))?.value;
  }

  start(enqueue: Enqueue, signal: AbortSignal, report?: SourceReport): SourceRun {
    const first = deferred();
    const tried = (): void => {
      first.resolve();
    };
    return {
      synced: first.promise,
      ended: this.#run(enqueue, signal, tried, report),
      resync: () => {
        for (const { key } of this.#values.values()) enqueue(key, { cause: "resync" });
      },
    };
  }

  async #run(
    enqueue: Enqueue,
    signal: AbortSignal,
    tried: () => void,
    report: SourceReport | undefined,
  ): Promise<void> {
    const { clock, log } = this.#parts;
    const { name, everyMs, poll } = this.#options;
    while (!signal.aborted) {
      const timeout = timeoutSignal(clock, this.#timeoutMs, signal);
      try {
        // Not every poll heeds its signal.
        this.#compare(await unlessAborted(poll(timeout.signal), timeout.signal), enqueue);
      } catch (error) {
        // The polled system may be unreachable for long; the controller continues with the last
        // known values.
        if (!isAborted(signal)) {
          report?.failed();
          log.warn({ err: error }, `cannot poll ${name}: ${messageOf(error)}`);
        }
      } finally {
        timeout.clear();
      }
      tried();
      await clock.sleep(everyMs, signal).catch(() => undefined);
    }
    tried();
  }

  #compare(polled: Iterable<readonly [ObjectKey, V]>, enqueue: Enqueue): void {
    const before = this.#values;
    const now = new Map([...polled].map(([key, value]) => [formatKey(key), { key, value }]));
    this.#values = now;
    const cause = `poll of ${this.#options.name}`;
    for (const [id, { key, value }] of now) {
      const known = before.get(id);
      if (!known || !sameJson(known.value, value)) enqueue(key, { cause });
    }
    for (const [id, { key }] of before) if (!now.has(id)) enqueue(key, { cause });
  }
}

/** Asks for the state now, which the compiler takes for unchanged. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}
