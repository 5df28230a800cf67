/**
 * Objects of which only a part was read, or is kept by the cache: they are marked, so that none of them is written back as if it were whole.
 *
 * The mark is a symbol of the object itself: a copy by `mutableCopy` and a spread have it too, and JSON has not.
 *
 * @module
 */
import { messageOf, TsopError } from "../../errors.ts";
import { copyJson, sameJson } from "../../kube/json.ts";
import { formatKey, keyOf, type KubeObject } from "../../kube/object.ts";
import type { Logger } from "../../log.ts";
import type { WatchEvent, WatchStream } from "../client/watch-events.ts";
import { ToldBefore } from "../told-before.ts";
import type { ListerWatcher } from "./lister-watcher.ts";

const PARTIAL: unique symbol = Symbol("tsop.partial");

/** Whether only a part of the object was kept. */
export function isPartial(object: object): boolean {
  return PARTIAL in object;
}

/** A copy of an object that may be changed, which is as whole as the object. */
export function copyWithMark<T>(object: T): T {
  const copy = copyJson(object);
  if (typeof object === "object" && object !== null && isPartial(object)) mark(copy as object);
  return copy;
}

/**
 * Refuses to write an object of which only a part was read: the rest of it would be removed.
 *
 * @throws TsopError `partial-write`
 */
export function assertNotPartial(object: object, kind: string): void {
  if (!isPartial(object)) return;
  throw new TsopError(
    "partial-write",
    `This ${kind} cannot be written as a whole: only a part of it was read, and the rest would be lost.`,
    "Read it with client.live and write that, or patch the fields (client.patch).",
  );
}

/** Marks an object of which only a part was read, and gives it back. */
export function markPartial<T extends object>(object: T): T {
  if (!isPartial(object)) mark(object);
  return object;
}

function mark(object: object): void {
  Object.defineProperty(object, PARTIAL, { value: true, enumerable: true });
}

/** What the cache keeps of objects. */
export class Transform {
  readonly #transform: (object: KubeObject) => KubeObject;
  readonly #log: Logger;
  readonly #told = new ToldBefore();

  constructor(transform: (object: KubeObject) => KubeObject, log: Logger) {
    this.#transform = transform;
    this.#log = log;
  }

  /** The part that is kept, marked. The whole object where the transform fails, or gives another one. */
  keep<T extends KubeObject>(object: T): T {
    const whole = copyJson(object);
    try {
      const kept: unknown = this.#transform(object);
      assertSameObject(whole, kept);
      mark(kept);
      // What is kept of a `T` is what its author takes for one.
      return kept as T;
    } catch (error) {
      const key = formatKey(keyOf(whole));
      if (this.#told.isFirst(key)) {
        const why = messageOf(error);
        this.#log.error({ err: error, object: key }, `a transform failed; kept whole: ${why}`);
      }
      return whole;
    }
  }

  /** Lists and watches what is kept. */
  of<T extends KubeObject>(whole: ListerWatcher<T>): ListerWatcher<T> {
    return {
      resource: whole.resource,
      list: async (options, signal, receive) => {
        const list = await whole.list(options, signal, () => undefined);
        const items = list.items.map((item) => (isObject(item) ? this.keep(item) : item));
        for (const item of items) if (isObject(item)) receive(item);
        return { ...list, items };
      },
      watch: async (options, signal) => this.#stream(await whole.watch(options, signal)),
    };
  }

  async *#stream<T extends KubeObject>(whole: WatchStream<T>): AsyncGenerator<WatchEvent<T>[]> {
    for await (const events of whole) {
      yield events.map((event) =>
        event.type !== "BOOKMARK" && isObject(event.object)
          ? { ...event, object: this.keep(event.object) }
          : event,
      );
    }
  }
}

function isObject(value: unknown): value is KubeObject {
  const { metadata } = (value ?? {}) as { metadata?: unknown };
  return typeof metadata === "object" && metadata !== null;
}

/** By these the runtime finds and keeps objects: what it does not see, it would take for nothing. */
const IDENTITY = [
  "name",
  "namespace",
  "uid",
  "resourceVersion",
  "deletionTimestamp",
  "finalizers",
  "ownerReferences",
] as const;

function assertSameObject(whole: KubeObject, kept: unknown): asserts kept is KubeObject {
  if (!isObject(kept)) throw new Error("it gave no object");
  const { apiVersion, kind, metadata } = whole;
  if (kept.apiVersion !== apiVersion || kept.kind !== kind) throw new Error("it changed the kind");
  for (const field of IDENTITY) {
    if (!sameJson(kept.metadata[field], metadata[field]))
      throw new Error(`it changed metadata.${field}`);
  }
}
