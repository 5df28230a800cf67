/** The transform of a kind: an author's function that leaves out a part of each object. */
import { messageOf } from "../../errors.ts";
import { copyJson, sameJson } from "../../kube/json.ts";
import { formatKey, keyOf, type KubeObject } from "../../kube/object.ts";
import type { Logger } from "../../log.ts";
import type { WatchEvent, WatchStream } from "../rest/watch-events.ts";
import { ToldBefore } from "../told-before.ts";
import type { ListerWatcher } from "./lister-watcher.ts";
import { markPartial } from "../rest/partial-objects.ts";

export class Transform {
  readonly #transform: (object: KubeObject) => KubeObject;
  readonly #log: Logger;
  readonly #told = new ToldBefore();

  constructor(transform: (object: KubeObject) => KubeObject, log: Logger) {
    this.#transform = transform;
    this.#log = log;
  }

  /**
   * The part that is kept, marked as partial. The whole object where the transform fails, or
   * returns another object.
   */
  keep<T extends KubeObject>(object: T): T {
    const whole = copyJson(object);
    try {
      const kept: unknown = this.#transform(object);
      assertSameObject(whole, kept);
      markPartial(kept);
      // The author's transform says that the part is still a `T`.
      return kept as T;
    } catch (error) {
      const key = formatKey(keyOf(whole));
      if (this.#told.isFirst(key)) {
        const why = messageOf(error);
        this.#log.error(
          { err: error, object: key },
          `a transform failed; the object is cached whole: ${why}`,
        );
      }
      return whole;
    }
  }

  /** The same lister-watcher, of transformed objects. */
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

/** The fields by which the runtime identifies objects: it cannot keep one without them. */
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
  if (!isObject(kept)) throw new Error("it did not return an object");
  const { apiVersion, kind, metadata } = whole;
  if (kept.apiVersion !== apiVersion || kept.kind !== kind) throw new Error("it changed the kind");
  for (const field of IDENTITY) {
    if (!sameJson(kept.metadata[field], metadata[field]))
      throw new Error(`it changed metadata.${field}`);
  }
}
