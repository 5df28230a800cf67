/** One watch from its request to its end: stores the events, and notices silence. */
import type { Clock, Timer } from "../../clock.ts";
import type { Logger } from "../../log.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { WatchBookmark, WatchEvent, WatchStream } from "../rest/watch-events.ts";
import type { ReflectorStore } from "./delta-queue.ts";
import { cacheKeyOf } from "./indexer.ts";
import type { ReadableObjects } from "./readable-objects.ts";

/**
 * The counted occurrences: a list that was requested, a watch that was opened, one that was closed
 * at once, one that went silent, an event that was older than the cache, an object that cannot be
 * kept.
 */
export type InformerOccurrence =
  | "list"
  | "watch"
  | "short-watch"
  | "silent-watch"
  | "stale-event"
  | "unreadable-object"
  | "index-error";

export interface WatchSessionOptions<T extends KubeObject> {
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: ReflectorStore<T>;
  readonly apiVersion: string;
  readonly kind: string;
  /** Whether the stream begins with all objects and a bookmark after them. */
  readonly initial: boolean;
  /** Whether the server is known to send bookmarks: silence then means a failure. */
  readonly bookmarked: boolean;
  /** Whether the versions of events are comparable from the first one on. */
  readonly ordered: boolean;
  readonly count: (what: InformerOccurrence) => void;
  /** Leaves out objects that cannot be kept. */
  readonly readable: ReadableObjects<T>;
  /** Called when the server sends a bookmark. */
  readonly onBookmark: () => void;
  /** Called when the store is complete up to this version. */
  readonly onVersion: (resourceVersion: string) => void;
  /** Called when all initial objects have arrived. */
  readonly onInitialEnd: (objects: readonly T[], resourceVersion: string) => void;
}

const SHORT_MS = 1000;
// A server sends a bookmark each minute, and can resume a watch that is up to 75 s behind.
const SILENCE_MS = 70_000;
// How much longer than the given timeout a server may take.
const GRACE_MS = 5000;
const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

export class WatchSession<T extends KubeObject> {
  readonly #options: WatchSessionOptions<T>;
  #startedMs: number;
  #requests: AbortController | undefined;
  // Nearly always each object comes once; only when one changes meanwhile they are looked up by
  // key.
  #initialObjects: T[] = [];
  #synced: boolean;
  #ordered: boolean;
  #events = 0;
  #tooShort = false;
  #deadline: Timer | undefined;
  #bookmarked: boolean;

  constructor(options: WatchSessionOptions<T>) {
    this.#options = options;
    this.#startedMs = options.clock.monotonicMs();
    this.#synced = !options.initial;
    this.#bookmarked = options.bookmarked;
    this.#ordered = options.ordered;
  }

  /** Whether the initial objects, if any were awaited, are in the store. */
  get synced(): boolean {
    return this.#synced;
  }

  /** Whether the stream was closed because nothing arrived for too long. */
  get silent(): boolean {
    return this.#requests?.signal.reason instanceof SilentWatch;
  }

  /** Whether the server closed the stream within a second and without an event. */
  get tooShort(): boolean {
    return this.#tooShort;
  }

  /** The signal for the watch's request is that of `requests`, which is aborted when the stream goes silent. */
  start(timeoutSeconds: number, requests: AbortController): AbortSignal {
    this.#requests = requests;
    // Initial objects arrive without a pause; if the server stalls there, a plain list is better.
    const isQuietAllowed = this.#synced && !this.#bookmarked;
    this.#expectWithin(isQuietAllowed ? timeoutSeconds * 1000 + GRACE_MS : SILENCE_MS);
    return requests.signal;
  }

  /**
   * Handles events until the stream ends.
   *
   * @throws StatusError for an `ERROR` event, or a value that is not an event
   */
  async consume(stream: WatchStream<T>): Promise<void> {
    try {
      for await (const batch of stream) {
        for (const event of batch) this.#take(event);
        if (this.#bookmarked || !this.#synced) this.#expectWithin(SILENCE_MS);
      }
    } catch (error) {
      if (!this.silent) throw error;
      this.#options.count("silent-watch");
      this.#options.log.warn(
        { kind: this.#options.kind },
        "the watch went silent; opening a new one",
      );
    }
    const durationMs = this.#options.clock.monotonicMs() - this.#startedMs;
    this.#tooShort = durationMs < SHORT_MS && this.#events === 0;
    if (this.#tooShort) this.#options.count("short-watch");
  }

  /** Ends the session's timer. */
  close(): void {
    this.#deadline?.cancel();
  }

  #take(event: WatchEvent<T>): void {
    const { apiVersion, kind, log } = this.#options;
    const seen = event.object;
    // `metadata` is absent where a proxy or a broken webhook made the object.
    const metadata = seen.metadata as WatchBookmark["object"]["metadata"] | undefined;
    if (seen.apiVersion !== apiVersion || seen.kind !== kind || !metadata) {
      const got = `${seen.apiVersion} ${seen.kind}`;
      log.warn(
        { expected: `${apiVersion} ${kind}`, got },
        "dropped an event about an object of another kind",
      );
      return;
    }
    this.#events += 1;
    if (event.type !== "ADDED") this.#ordered = true;
    const version = metadata.resourceVersion;
    if (event.type !== "BOOKMARK" && !this.#options.readable.take(event.object)) return;
    if (event.type === "ADDED" || event.type === "MODIFIED") {
      this.#options.store.receive(event.object);
    }
    if (!this.#synced) {
      this.#takeInitial(event, version);
      return;
    }
    if (event.type === "BOOKMARK") this.#noteBookmark();
    else {
      // A load-balanced or restarted server may replay the past.
      if (this.#options.store.isStale(event.object)) {
        this.#options.count("stale-event");
        return;
      }
      const type = { ADDED: "Added", MODIFIED: "Updated", DELETED: "Deleted" } as const;
      this.#options.store.push({ type: type[event.type], object: event.object });
    }
    if (this.#ordered) this.#options.onVersion(version);
  }

  #takeInitial(event: WatchEvent<T>, version: string): void {
    if (event.type === "BOOKMARK") {
      if (event.object.metadata.annotations?.[INITIAL_EVENTS_END] !== "true") return;
      this.#synced = true;
      // The events after this belong to the watch itself, which can be too short as well.
      this.#events = 0;
      // A server that ends the initial events with a bookmark sends one each minute from then on.
      this.#noteBookmark();
      this.#startedMs = this.#options.clock.monotonicMs();
      this.#options.onInitialEnd(this.#initialObjects, version);
      this.#initialObjects = [];
      return;
    }
    const { type, object } = event;
    if (type !== "ADDED") {
      const key = cacheKeyOf(object);
      this.#initialObjects = this.#initialObjects.filter((other) => cacheKeyOf(other) !== key);
    }
    if (type !== "DELETED") this.#initialObjects.push(object);
  }

  #noteBookmark(): void {
    this.#bookmarked = true;
    this.#options.onBookmark();
  }

  #expectWithin(durationMs: number): void {
    this.#deadline?.cancel();
    this.#deadline = this.#options.clock.after(
      durationMs,
      () => {
        this.#requests?.abort(new SilentWatch("received neither an event nor a bookmark in time"));
      },
      { unref: true },
    );
  }
}

class SilentWatch extends Error {}
