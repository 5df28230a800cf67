/**
 * Events whose handling failed: retried, each object on its own, until it succeeds. A map function
 * may read the API server, which may be unreachable for a while; the keys that it would have
 * returned must not be lost with the event.
 */
import type { Clock, Timer } from "../../../clock.ts";
import { messageOf } from "../../../errors.ts";
import { formatKey, keyOf, type KubeObject } from "../../../kube/object.ts";
import type { ObjectEvent } from "./predicates.ts";
import type { SourceReport } from "./source-report.ts";

const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 60_000;

/** An event, and the time at which this process itself wrote its state. */
export interface Happening<T extends KubeObject> {
  readonly event: ObjectEvent<T>;
  readonly writtenAtMs?: number | undefined;
}

interface Waiting<T extends KubeObject> {
  readonly happenings: readonly Happening<T>[];
  readonly attempts: number;
  readonly timer: Timer;
}

export class EventRetries<T extends KubeObject> {
  readonly #clock: Clock;
  readonly #deliver: (happening: Happening<T>) => void | Promise<void>;
  readonly #report: SourceReport | undefined;
  readonly #waiting = new Map<string, Waiting<T>>();
  #ended = false;

  /** @param deliver - throws, or rejects, before it has done anything */
  constructor(
    clock: Clock,
    deliver: (happening: Happening<T>) => void | Promise<void>,
    report: SourceReport | undefined,
  ) {
    this.#clock = clock;
    this.#deliver = deliver;
    this.#report = report;
  }

  /** Delivers an event, with the waiting ones of its object. Never throws, never rejects. */
  handle(happening: Happening<T>): void | Promise<void> {
    if (this.#waiting.size > 0) {
      const id = formatKey(keyOf(happening.event.object));
      const waiting = this.#take(id);
      if (waiting)
        return this.#deliverAll(id, [...waiting.happenings, happening], waiting.attempts);
    }
    try {
      const pending = this.#deliver(happening);
      return pending?.catch((error: unknown) => {
        this.#failed(formatKey(keyOf(happening.event.object)), [happening], 0, error);
      });
    } catch (error) {
      this.#failed(formatKey(keyOf(happening.event.object)), [happening], 0, error);
      return undefined;
    }
  }

  /** Forgets the waiting events of a namespace; of all of them when it is empty. */
  leave(namespace: string): void {
    for (const id of [...this.#waiting.keys()]) {
      if (namespace === "" || id.startsWith(`${namespace}/`)) this.#take(id);
    }
  }

  /** Forgets the waiting events, and takes no more. */
  end(): void {
    this.#ended = true;
    this.leave("");
  }

  #take(id: string): Waiting<T> | undefined {
    const waiting = this.#waiting.get(id);
    waiting?.timer.cancel();
    this.#waiting.delete(id);
    return waiting;
  }

  async #deliverAll(
    id: string,
    happenings: readonly Happening<T>[],
    attempts: number,
  ): Promise<void> {
    const left = merged(happenings);
    try {
      for (let next = left[0]; next; next = left[0]) {
        await this.#deliver(next);
        left.shift();
      }
    } catch (error) {
      this.#failed(id, left, attempts, error);
    }
  }

  #failed(id: string, happenings: readonly Happening<T>[], before: number, error: unknown): void {
    if (this.#ended) return;
    // Another event of the object that arrived during this attempt may have failed, too.
    const known = this.#take(id);
    const attempts = Math.max(before, known?.attempts ?? 0) + 1;
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (attempts - 1), MAX_DELAY_MS);
    const all = merged([...happenings, ...(known?.happenings ?? [])]);
    const timer = this.#clock.after(
      delayMs,
      () => {
        const waiting = this.#take(id);
        if (waiting) void this.#deliverAll(id, waiting.happenings, waiting.attempts);
      },
      { unref: true },
    );
    this.#waiting.set(id, { happenings: all, attempts, timer });
    this.#report?.failed();
    const kind = happenings[0]?.event.object.kind ?? "object";
    const text = `an event of ${kind} ${id} could not be handled: ${messageOf(error)}; it is tried again`;
    // An outage of an hour is one line for each object, not one for each attempt.
    if (attempts === 1) this.#report?.log.error({ err: error, delayMs }, text);
    else this.#report?.log.debug({ err: error, delayMs, attempts }, text);
  }
}

/** Merges events of one object: only the first and last undelivered states matter. */
function merged<T extends KubeObject>(happenings: readonly Happening<T>[]): Happening<T>[] {
  const kept: Happening<T>[] = [];
  for (const happening of happenings) {
    const last = kept.at(-1)?.event;
    const { event } = happening;
    if (last && last.type !== "delete" && event.type === "update") {
      kept[kept.length - 1] = { event: { ...last, object: event.object } };
    } else if (last?.type === "create" && event.type === "delete") kept.pop();
    else kept.push(happening);
  }
  return kept;
}
