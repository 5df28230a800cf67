/**
 * Delivers notifications to one handler: in order, one at a time, and whatever the handler throws stays here.
 *
 * @module
 */
import { messageOf } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import type { KubeObject } from "../../kube/object.ts";
import { frozen } from "./freeze.ts";

/** Told of the changes of one kind. Objects are frozen. A promise that is returned holds back what follows. */
export interface ResourceEventHandler<T extends KubeObject = KubeObject> {
  /** @param initial - the object was there when the handler, or the informer, began */
  onAdd?(object: T, initial: boolean): void | Promise<void>;
  onUpdate?(old: T, object: T): void | Promise<void>;
  /** @param tombstone - the deletion itself was missed; `object` is what was known last */
  onDelete?(object: T, tombstone: boolean): void | Promise<void>;
}

/** One thing to tell a handler. */
export type Notification<T extends KubeObject> =
  | { readonly type: "add"; readonly object: T; readonly initial: boolean }
  | { readonly type: "update"; readonly old: T; readonly object: T }
  | { readonly type: "delete"; readonly object: T; readonly tombstone: boolean };

/** The notifications of one handler. */
export class HandlerQueue<T extends KubeObject> {
  readonly #handler: ResourceEventHandler<T>;
  readonly #log: Logger;
  #waiting: (Notification<T> | (() => void))[] = [];
  #busy = false;
  #ended = false;

  constructor(handler: ResourceEventHandler<T>, log: Logger) {
    this.#handler = handler;
    this.#log = log;
  }

  /** Delivers now, or when what came before is done. */
  push(notification: Notification<T>): void {
    this.#waiting.push(notification);
    this.#work();
  }

  /** Calls `reached` once everything pushed so far is delivered. */
  afterAll(reached: () => void): void {
    this.#waiting.push(reached);
    this.#work();
  }

  /** Drops what was not delivered yet, and takes nothing more. */
  end(): void {
    this.#ended = true;
    this.#waiting = [];
  }

  #work(): void {
    if (this.#busy) return;
    this.#busy = true;
    let done = 0;
    for (; done < this.#waiting.length; done++) {
      const pending = this.#deliver(this.#waiting[done]);
      if (!pending) continue;
      this.#waiting = this.#waiting.slice(done + 1);
      void pending.then(() => {
        this.#busy = false;
        this.#work();
      });
      return;
    }
    this.#waiting = [];
    this.#busy = false;
  }

  /** A promise, which never rejects, when the handler is asynchronous. */
  #deliver(next: Notification<T> | (() => void) | undefined): Promise<void> | undefined {
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
