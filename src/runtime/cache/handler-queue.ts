/**
 * Delivers notifications to one handler: in order, one at a time, and catches whatever the handler
 * throws.
 *
 * Notifications that wait for a slow handler are merged by object: it gets the latest state, not
 * each step to it, and the memory is bounded by the number of objects, not by the number of events.
 */
import { messageOf } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import type { KubeObject } from "../../kube/object.ts";
import { frozen } from "./freeze.ts";
import { cacheKeyOf } from "./indexer.ts";

/**
 * Handles the changes of one kind. Objects are frozen. A promise that is returned holds back the
 * next notifications.
 */
export interface ResourceEventHandler<T extends KubeObject = KubeObject> {
  /**
   * An object was added.
   *
   * @param initial - it was there when the handler, or the informer, began
   */
  onAdd?(object: T, initial: boolean): void | Promise<void>;
  /** An object changed, or is repeated by a resync: then both have the same `resourceVersion`. */
  onUpdate?(old: T, object: T): void | Promise<void>;
  /**
   * An object was deleted.
   *
   * @param tombstone - the deletion itself was missed; `object` is its last known state
   */
  onDelete?(object: T, tombstone: boolean): void | Promise<void>;
}

export type Notification<T extends KubeObject> =
  | { readonly type: "add"; readonly object: T; readonly initial: boolean }
  | { readonly type: "update"; readonly old: T; readonly object: T }
  | { readonly type: "delete"; readonly object: T; readonly tombstone: boolean };

// Below this length there is nothing to gain by compacting the queue.
const LARGE = 1000;

// `undefined` stands for a notification that was merged into another.
type Waiting<T extends KubeObject> = Notification<T> | (() => void) | undefined;

export class HandlerQueue<T extends KubeObject> {
  readonly #handler: ResourceEventHandler<T>;
  readonly #log: Logger;
  #waiting: Waiting<T>[] = [];
  // The index of the next notification, and how many behind it were merged away.
  #head = 0;
  #holes = 0;
  // The index of the last notification of each object; kept only while the handler is slow.
  #places: Map<string, number> | undefined;
  #busy = false;
  #ended = false;

  constructor(handler: ResourceEventHandler<T>, log: Logger) {
    this.#handler = handler;
    this.#log = log;
  }

  /** Delivers at once, or when the notifications before it are delivered. */
  push(notification: Notification<T>): void {
    if (this.#places) this.#merge(notification, this.#places);
    else this.#waiting.push(notification);
    this.#work();
  }

  /** Calls `reached` once everything pushed so far is delivered. */
  afterAll(reached: () => void): void {
    this.#waiting.push(reached);
    this.#work();
  }

  /** How many notifications wait. */
  get length(): number {
    return this.#waiting.length - this.#head - this.#holes;
  }

  /** Whether everything pushed so far is delivered, and its handler is done. */
  get isIdle(): boolean {
    return !this.#busy && this.length === 0;
  }

  /** Drops the notifications that were not delivered yet, and takes no more. */
  end(): void {
    this.#ended = true;
    this.#clear();
  }

  #merge(notification: Notification<T>, places: Map<string, number>): void {
    const key = cacheKeyOf(notification.object);
    const place = places.get(key) ?? -1;
    const known = place >= this.#head ? this.#waiting[place] : undefined;
    const merged = typeof known === "object" ? mergedOf(known, notification) : "both";
    if (merged === "both") {
      places.set(key, this.#waiting.push(notification) - 1);
      return;
    }
    this.#waiting[place] = merged;
    if (merged) return;
    places.delete(key);
    this.#holes++;
    this.#compact(places);
  }

  #compact(places: Map<string, number>): void {
    const gone = this.#head + this.#holes;
    if (gone < LARGE || gone * 2 < this.#waiting.length) return;
    this.#waiting = this.#waiting.slice(this.#head).filter((next) => next !== undefined);
    this.#head = 0;
    this.#holes = 0;
    places.clear();
    for (const [place, next] of this.#waiting.entries()) {
      if (typeof next === "object") places.set(cacheKeyOf(next.object), place);
    }
  }

  #clear(): void {
    this.#waiting = [];
    this.#head = 0;
    this.#holes = 0;
    this.#places = undefined;
  }

  #work(): void {
    if (this.#busy) return;
    this.#busy = true;
    while (this.#head < this.#waiting.length) {
      const next = this.#waiting[this.#head++];
      if (next === undefined) this.#holes--;
      const pending = this.#deliver(next);
      if (!pending) continue;
      this.#places ??= new Map();
      void pending.then(() => {
        this.#busy = false;
        if (this.#places) this.#compact(this.#places);
        this.#work();
      });
      return;
    }
    this.#clear();
    this.#busy = false;
  }

  /** A promise, which never rejects, when the handler is asynchronous. */
  #deliver(next: Waiting<T>): Promise<void> | undefined {
    if (next === undefined || this.#ended) return undefined;
    try {
      if (typeof next === "function") {
        next();
        return undefined;
      }
      const result = this.#call(next);
      return result?.catch((error: unknown) => {
        this.#failed(error);
      });
    } catch (error) {
      this.#failed(error);
      return undefined;
    }
  }

  #call(next: Notification<T>): void | Promise<void> {
    frozen(next.object);
    if (next.type === "update") frozen(next.old);
    switch (next.type) {
      case "add":
        return this.#handler.onAdd?.(next.object, next.initial);
      case "update":
        return this.#handler.onUpdate?.(next.old, next.object);
      case "delete":
        return this.#handler.onDelete?.(next.object, next.tombstone);
    }
  }

  #failed(error: unknown): void {
    this.#log.error({ err: error }, `an event handler failed: ${messageOf(error)}`);
  }
}

/** Merges two notifications of one object. `undefined`: neither is delivered; `both`: both are. */
function mergedOf<T extends KubeObject>(
  before: Notification<T>,
  after: Notification<T>,
): Notification<T> | undefined | "both" {
  if (before.type === "delete" || after.type === "add") return "both";
  // The state before the change may matter to a handler that must learn that the object left it.
  if (after.type === "delete") return before.type === "add" ? undefined : "both";
  return { ...before, object: after.object };
}
