/**
 * One watch of a kind for everybody in the process: the objects, indexed, and their changes.
 *
 * @see https://pkg.go.dev/k8s.io/client-go/tools/cache#SharedIndexInformer
 */
import type { Timer } from "../../clock.ts";
import { messageOf, TsopError } from "../../errors.ts";
import { copyJson } from "../../kube/json.ts";
import { formatKey, type KubeObject, type ObjectKey } from "../../kube/object.ts";
import type { ResourceInfo } from "../../kube/resource.ts";
import { deferred } from "../deferred.ts";
import { ToldBefore } from "../told-before.ts";
import { DeltaQueue, type Delta } from "./delta-queue.ts";
import { trimmedForCache, withoutManagedFields } from "./freeze.ts";
import { HandlerQueue, type Notification, type ResourceEventHandler } from "./handler-queue.ts";
import { cacheKeyOf, Indexer } from "./indexer.ts";
import type { InformerOptions, Registration } from "./informer-options.ts";
import { compareWithServer } from "./comparison.ts";
import { OwnWrites } from "./own-writes.ts";
import { Reflector } from "./reflector.ts";
import type { ReflectorState } from "./reflector-state.ts";
import { isOlder } from "./resource-version.ts";
import { SharedParts } from "./shared-parts.ts";
import type { InformerOccurrence } from "./watch-session.ts";

interface Listener<T extends KubeObject> {
  readonly queue: HandlerQueue<T>;
  markSynced(): void;
}

export class SharedInformer<T extends KubeObject = KubeObject> {
  readonly resource: ResourceInfo;
  readonly #options: InformerOptions<T>;
  readonly #indexer: Indexer<T>;
  readonly #toldOfIndexes = new ToldBefore();
  readonly #sharedParts = new SharedParts<T>();
  readonly #ownWrites = new OwnWrites<T>();
  readonly #queue: DeltaQueue<T>;
  readonly #reflector: Reflector<T>;
  readonly #listeners = new Set<Listener<T>>();
  readonly #synced = deferred();
  readonly #counts: Record<InformerOccurrence, number> = {
    list: 0,
    watch: 0,
    "short-watch": 0,
    "silent-watch": 0,
    "stale-event": 0,
    "unreadable-object": 0,
    "index-error": 0,
  };
  // The keys are the objects in the store themselves, which handlers get as well.
  readonly #writtenAtMs = new WeakMap<T, number>();
  #hasSynced = false;
  #started = false;
  #stopped = false;
  #resyncTimer: Timer | undefined;

  constructor(options: InformerOptions<T>) {
    this.#options = options;
    this.resource = options.listerWatcher.resource;
    this.#indexer = new Indexer<T>((index, key, error) => {
      this.#counts["index-error"]++;
      this.#indexFailed(index, key, error);
    });
    this.#queue = new DeltaQueue<T>((delta) => {
      this.#process(delta);
    });
    this.#reflector = new Reflector<T>({
      ...options,
      count: (what) => {
        this.#counts[what] += 1;
      },
      store: {
        push: (delta) => {
          this.#queue.push(delta);
        },
        receive: (object) => {
          this.#receive(object);
        },
        isStale: (object) => this.#isStale(object),
      },
    });
  }

  /** The objects in the cache. */
  get indexer(): Indexer<T> {
    return this.#indexer;
  }

  /** Whether the first list is in the indexer. */
  get hasSynced(): boolean {
    return this.#hasSynced;
  }

  /** Resolves when `hasSynced` becomes true. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  get state(): ReflectorState {
    return this.#reflector.state;
  }

  get lastError(): unknown {
    return this.#reflector.lastError;
  }

  /** How often each occurrence happened since the start. */
  get counts(): Readonly<Record<InformerOccurrence, number>> {
    return this.#counts;
  }

  /**
   * The reason why it does not yet hold, or has not yet delivered, everything that the watch
   * brought; `undefined` when it has.
   */
  get unsettled(): string | undefined {
    const { plural } = this.resource;
    const { state, lastError, isWatching } = this.#reflector;
    const why = lastError === undefined ? "" : `: ${messageOf(lastError)}`;
    if (!this.#hasSynced) return `${plural} are not listed yet (${state}${why})`;
    if (!isWatching) return `${plural} are not being watched (${state}${why})`;
    if (!this.#ownWrites.isEmpty)
      return `the watch of ${plural} has not delivered this process's own writes yet`;
    for (const { queue } of this.#listeners) {
      if (!queue.isIdle) return `an event handler of ${plural} is running`;
    }
    return undefined;
  }

  /** Lists everything once; the result tells whether this informer lags behind that list. */
  compareWithServer(signal: AbortSignal): Promise<() => boolean> {
    const { listerWatcher } = this.#options;
    const known = { indexer: this.#indexer, version: () => this.lastSyncResourceVersion };
    return compareWithServer(listerWatcher, known, signal);
  }

  get lastSyncResourceVersion(): string {
    return this.#reflector.lastSyncResourceVersion;
  }

  /**
   * Lists and watches until `signal` is aborted. It cannot be started again.
   *
   * @throws TsopError `informer-started` when it was started before
   */
  async start(signal: AbortSignal): Promise<void> {
    if (this.#started) {
      throw new TsopError(
        "informer-started",
        `The informer of ${this.resource.plural} was already started.`,
        "Make a new one; an informer runs once.",
      );
    }
    this.#started = true;
    this.#scheduleResync();
    try {
      await this.#reflector.start(signal);
    } finally {
      this.#stopped = true;
      this.#resyncTimer?.cancel();
      for (const { queue } of this.#listeners) queue.end();
    }
  }

  /** Lists again, and treats that list as the truth, because the scope has changed. */
  relist(): void {
    this.#reflector.relist();
  }

  /**
   * Adds a handler, at any time before the end: it gets all present objects, then the changes.
   *
   * @throws TsopError `informer-stopped`
   */
  addHandler(handler: ResourceEventHandler<T>): Registration {
    if (this.#stopped) {
      throw new TsopError(
        "informer-stopped",
        `The informer of ${this.resource.plural} has stopped.`,
        "Add handlers before the manager stops.",
      );
    }
    const synced = deferred();
    let hasSynced = false;
    const listener: Listener<T> = {
      queue: new HandlerQueue(handler, this.#options.log),
      markSynced: () => {
        listener.queue.afterAll(() => {
          hasSynced = true;
          synced.resolve();
        });
      },
    };
    this.#listeners.add(listener);
    for (const object of this.#ownWrites.asSeen(this.#indexer.entries())) {
      listener.queue.push({ type: "add", object, initial: true });
    }
    if (this.#hasSynced) listener.markSynced();
    return {
      get hasSynced() {
        return hasSynced;
      },
      synced: synced.promise,
      remove: () => {
        this.#listeners.delete(listener);
        listener.queue.end();
      },
    };
  }

  /**
   * Stores the answer to a write of this process, unless the watch was faster. Handlers get the
   * change from the watch.
   */
  noteWritten(object: T): void {
    const key = cacheKeyOf(object);
    const known = this.#indexer.peek(key);
    const { resourceVersion } = object.metadata;
    const seenByWatch = !isOlder(this.lastSyncResourceVersion || "1", resourceVersion);
    if (seenByWatch || (known && !isOlder(known.metadata.resourceVersion, resourceVersion))) return;
    this.#ownWrites.written(key, known);
    // The caller keeps the answer, and may change it.
    const stored = copyJson(withoutManagedFields(object));
    this.#sharedParts.share(stored, known);
    this.#writtenAtMs.set(stored, this.#options.clock.monotonicMs());
    this.#indexer.set(key, stored);
  }

  /**
   * The time at which this process wrote exactly this state of an object, on the monotonic clock;
   * `undefined` if it did not.
   */
  writtenAtMs(object: T): number | undefined {
    return this.#writtenAtMs.get(object);
  }

  /** Removes an object that this process deleted and the server no longer has. */
  noteDeleted(objectKey: ObjectKey, uid: string): void {
    const key = formatKey(objectKey);
    const known = this.#indexer.peek(key);
    if (known?.metadata.uid !== uid) return;
    this.#ownWrites.deleted(key, known);
    this.#indexer.delete(key);
  }

  #process(delta: Delta<T>): void {
    switch (delta.type) {
      case "Added":
      case "Updated":
        this.#set(delta.object);
        return;
      case "Deleted":
        this.#delete(delta.object);
        return;
      case "Replaced":
        this.#replace(delta);
        return;
      case "Sync": {
        const objects = [...this.#ownWrites.asSeen(this.#indexer.entries())];
        this.#distribute(objects.map((object) => ({ type: "update", old: object, object })));
        return;
      }
    }
  }

  /** Deletions come before the other changes, and the store is in its new state for all of them. */
  #replace(delta: Delta<T> & { type: "Replaced" }): void {
    const initial = !this.#hasSynced;
    const notifications: Notification<T>[] = [];
    // At the start there is nothing to compare a list with, however long it is.
    const compared = this.#indexer.size > 0 || !this.#ownWrites.isEmpty;
    if (compared) this.#removeMissing(delta, initial, notifications);
    for (const object of delta.objects) {
      if (compared && !delta.authoritative && this.#isStale(object)) continue;
      this.#store(object, initial, notifications);
    }
    this.#distribute(notifications);
    if (!initial) return;
    this.#hasSynced = true;
    this.#synced.resolve();
    for (const listener of this.#listeners) listener.markSynced();
  }

  #removeMissing(
    delta: Delta<T> & { type: "Replaced" },
    initial: boolean,
    notifications: Notification<T>[],
  ): void {
    // A list without a version says nothing about the objects that it lacks.
    if (delta.resourceVersion === "") return;
    const listed = new Set(delta.objects.map(cacheKeyOf));
    for (const [key, object] of [...this.#indexer.entries()]) {
      if (listed.has(key)) continue;
      const ahead = this.#ownWrites.get(key);
      // A list older than the object cannot know that it is gone.
      const trusted = delta.authoritative && !(initial && ahead);
      if (!trusted && isOlder(delta.resourceVersion, object.metadata.resourceVersion)) continue;
      this.#indexer.delete(key);
      this.#ownWrites.settle(key);
      const seen = ahead ? ahead.seen : object;
      if (seen) notifications.push({ type: "delete", object: seen, tombstone: true });
    }
    for (const object of this.#ownWrites.settleDeletions(listed)) {
      notifications.push({ type: "delete", object, tombstone: true });
    }
  }

  #set(object: T): void {
    const notifications: Notification<T>[] = [];
    this.#store(object, false, notifications);
    this.#distribute(notifications);
  }

  #delete(object: T): void {
    const key = cacheKeyOf(object);
    const ahead = this.#ownWrites.get(key);
    this.#indexer.delete(key);
    this.#ownWrites.settle(key);
    // Created and deleted before handlers got it.
    if (ahead && !ahead.seen) return;
    this.#distribute([{ type: "delete", object: trimmedForCache(object), tombstone: false }]);
  }

  /** Stores an object and adds the notifications of its change. */
  #store(object: T, initial: boolean, notifications: Notification<T>[]): void {
    const key = cacheKeyOf(object);
    const known = this.#indexer.peek(key);
    const ahead = this.#ownWrites.get(key);
    if (ahead?.deletedUid !== undefined && ahead.deletedUid === object.metadata.uid) return;
    let stored = known;
    if (!stored || !isSameState(stored, object)) {
      stored = trimmedForCache(object);
      this.#indexer.set(key, stored);
    }
    this.#ownWrites.settle(key);
    if (this.#listeners.size === 0) return;
    const old = ahead ? ahead.seen : known;
    if (old && old.metadata.uid === stored.metadata.uid) {
      notifications.push({ type: "update", old, object: stored });
      return;
    }
    // Deleted and recreated between two lists: two objects that share a name.
    if (old) notifications.push({ type: "delete", object: old, tombstone: true });
    notifications.push({ type: "add", object: stored, initial });
  }

  #distribute(notifications: readonly Notification<T>[]): void {
    for (const listener of this.#listeners) {
      for (const notification of notifications) listener.queue.push(notification);
    }
  }

  #receive(object: T): void {
    const known = this.#indexer.size > 0 ? this.#indexer.peek(cacheKeyOf(object)) : undefined;
    this.#sharedParts.share(object, known);
  }

  #indexFailed(index: string, object: string, error: unknown): void {
    if (!this.#toldOfIndexes.isFirst(`${index} ${object}`)) return;
    const { kind } = this.resource;
    this.#options.log.error(
      { kind, index, object, err: error },
      "an index function failed for an object; the index leaves it out",
    );
  }

  #isStale(object: T): boolean {
    const known = this.#indexer.peek(cacheKeyOf(object));
    return isOlder(object.metadata.resourceVersion, known?.metadata.resourceVersion);
  }

  #scheduleResync(): void {
    const { clock, resyncMs } = this.#options;
    if (!resyncMs) return;
    this.#resyncTimer = clock.after(
      resyncMs,
      () => {
        if (this.#hasSynced) this.#queue.push({ type: "Sync" });
        this.#scheduleResync();
      },
      { unref: true },
    );
  }
}

function isSameState(known: KubeObject, object: KubeObject): boolean {
  return (
    object.metadata.resourceVersion === known.metadata.resourceVersion &&
    object.metadata.uid === known.metadata.uid
  );
}
