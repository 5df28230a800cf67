/**
 * Keeps a store equal to what the API server has of one kind: list, watch, and everything that can go wrong
 * in between. It is client-go's reflector as a state machine whose state can be seen.
 *
 * @see https://github.com/kubernetes/client-go/blob/v0.36.3/tools/cache/reflector.go
 */
import type { Clock } from "../../clock.ts";
import { messageOf } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import type { KubeObject } from "../../kube/object.ts";
import { apiVersionOf, type ResourceInfo } from "../../kube/resource.ts";
import { hasReason, isExpired, isForbidden, StatusError } from "../../kube/status.ts";
import type { WatchStream } from "../client/watch-events.ts";
import { ConnectionError } from "../transport/transport.ts";
import { Backoff } from "./backoff.ts";
import type { ReflectorStore } from "./delta-queue.ts";
import { listAll } from "./list-pages.ts";
import type { ListerWatcher, ListWatchOptions } from "./lister-watcher.ts";
import { problemOf, ReadableObjects } from "./readable-objects.ts";
import { WatchSession, type InformerOccurrence } from "./watch-session.ts";

/**
 * The state of a reflector. Only `synced` is healthy; the reason for `denied` and `backoff` is in
 * `lastError`.
 */
export type ReflectorState =
  | "idle"
  | "listing"
  | "streaming"
  | "synced"
  | "backoff"
  | "denied"
  | "stopped";

/** The options of a reflector. */
export interface ReflectorOptions<T extends KubeObject> {
  readonly listerWatcher: ListerWatcher<T>;
  readonly store: ReflectorStore<T>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Asks for the list as a stream first; falls back to LIST where the server cannot. */
  readonly watchList?: boolean;
  /** Gets each failure that ends a round; the reflector recovers by itself. */
  readonly onError?: (error: unknown) => void;
  /** Called when a watch runs again after a failure. */
  readonly onRecovery?: () => void;
  readonly count?: (what: InformerOccurrence) => void;
}

/** The shortest time after which a watch is renewed; the longest is twice that. */
const MIN_WATCH_SECONDS = 300;

/** Lists and watches until it is stopped. */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #backoff: Backoff;
  readonly #readable: ReadableObjects<T>;
  #state: ReflectorState = "idle";
  #lastError: unknown;
  #lastVersion = "";
  #bookmarked = false;
  // The server refused the last version (410, or "too large"): the next request must not name it.
  #versionUnavailable = false;
  #paged = false;
  #failing = false;
  #watching = false;
  #cut: AbortController | undefined;
  #requests: AbortController | undefined;

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#backoff = new Backoff(options.clock);
    this.#readable = new ReadableObjects({
      log: options.log,
      kind: options.listerWatcher.resource.kind,
      count: () => options.count?.("unreadable-object"),
    });
  }

  get state(): ReflectorState {
    return this.#state;
  }

  /** Whether a watch is open, so that changes reach the store. */
  get isWatching(): boolean {
    return this.#watching;
  }

  /** The failure of the last round; `undefined` once a later one succeeded. */
  get lastError(): unknown {
    return this.#lastError;
  }

  /** The version up to which the store is known to be complete. */
  get lastSyncResourceVersion(): string {
    return this.#lastVersion;
  }

  /** Runs until `signal` is aborted. Failures are reported and retried, never thrown. */
  async start(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) {
        const cut = await this.#cuttable(signal, (round) => this.#round(round));
        if (cut) continue;
        if (this.#state !== "denied") this.#state = "backoff";
        await this.#options.clock.sleep(this.#backoff.nextMs(), signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#state = "stopped";
    }
  }

  /** Lists again at once, and treats that list as the truth, because the scope has changed. */
  relist(): void {
    this.#versionUnavailable = true;
    this.#cut?.abort(new RelistNeeded("the scope of the watch has changed"));
  }

  /** Runs a round that `relist` can end early; returns whether it did. */
  async #cuttable(
    signal: AbortSignal,
    round: (signal: AbortSignal) => Promise<void>,
  ): Promise<boolean> {
    const cut = new AbortController();
    const follow = (): void => {
      cut.abort(signal.reason);
    };
    signal.addEventListener("abort", follow, { once: true });
    this.#cut = cut;
    this.#requests = undefined;
    try {
      await round(cut.signal);
    } finally {
      signal.removeEventListener("abort", follow);
    }
    return cut.signal.aborted && !signal.aborted;
  }

  /** One list and the watches on it, up to a failure that needs another list. */
  async #round(signal: AbortSignal): Promise<void> {
    try {
      const streamed = this.#options.watchList !== false && (await this.#streamList(signal));
      if (!streamed) await this.#list(signal);
      while (!signal.aborted && (await this.#watch(signal)));
    } catch (error) {
      if (signal.aborted) return;
      this.#state = isForbidden(error) ? "denied" : "backoff";
      this.#lastError = error;
      if (!(error instanceof RelistNeeded)) this.#report(error);
    }
  }

  /**
   * The list as the beginning of a watch, then that watch to its end.
   *
   * @returns false when the server cannot do it, and LIST is to be used
   */
  async #streamList(signal: AbortSignal): Promise<boolean> {
    for (;;) {
      signal.throwIfAborted();
      this.#state = "streaming";
      const session = this.#session(true);
      try {
        const stream = await this.#open(
          { sendInitialEvents: true, resourceVersionMatch: "NotOlderThan" },
          this.#versionUnavailable ? "" : this.#lastVersion,
          session,
          signal,
        );
        await this.#consume(session, stream);
      } catch (error) {
        if (signal.aborted) throw error;
        if (session.synced) return await this.#afterWatchError(error, signal);
        if (isRetriable(error)) await this.#wait(error, signal);
        else if (isVersionRefusal(error) && !this.#versionUnavailable) {
          this.#versionUnavailable = true;
        } else {
          this.#options.log.debug({ error: messageOf(error) }, "no list by watch; using LIST");
          return false;
        }
        continue;
      } finally {
        session.close();
      }
      if (session.silent && !session.synced) return false;
      if (session.tooShort) {
        if (!session.synced) return false;
        throw closedAtOnce(this.#options.listerWatcher.resource);
      }
      if (session.synced) return true;
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { listerWatcher, store } = this.#options;
    this.#state = "listing";
    this.#options.count?.("list");
    const asked = this.#versionUnavailable ? "" : this.#lastVersion || "0";
    // With a limit the server reads from etcd instead of its memory; for the versions "" and "0" a
    // limit makes no difference.
    const inPages = this.#paged || asked === "" || asked === "0";
    const receive = (object: T): void => {
      if (problemOf(object) === undefined) store.receive(object);
    };
    const paging = { listerWatcher, receive, inPages, signal };
    let version = asked;
    let result;
    try {
      result = await listAll(version, paging);
    } catch (error) {
      if (!isVersionRefusal(error)) throw error;
      this.#versionUnavailable = true;
      version = "";
      result = await listAll(version, paging);
    }
    if (asked === "0" && result.paged) this.#paged = true;
    const objects = result.list.items.filter((item) => this.#readable.take(item));
    this.#replace(objects, result.list.metadata.resourceVersion ?? "", version === "");
  }

  #replace(objects: readonly T[], resourceVersion: string, authoritative: boolean): void {
    this.#versionUnavailable = false;
    this.#options.store.push({ type: "Replaced", objects, resourceVersion, authoritative });
    this.#lastVersion = resourceVersion;
    this.#state = "synced";
    this.#lastError = undefined;
  }

  /**
   * One watch from the last version on.
   *
   * @returns whether the next watch may go on from there; a new list is needed otherwise
   */
  async #watch(signal: AbortSignal): Promise<boolean> {
    const session = this.#session(false);
    let stream: WatchStream<T>;
    try {
      stream = await this.#open({}, this.#lastVersion, session, signal);
    } catch (error) {
      session.close();
      if (signal.aborted || !isRetriable(error)) throw error;
      await this.#wait(error, signal);
      return true;
    }
    this.#lastError = undefined;
    this.#recover();
    try {
      await this.#consume(session, stream);
    } catch (error) {
      if (signal.aborted) throw error;
      return await this.#afterWatchError(error, signal);
    } finally {
      session.close();
    }
    if (!session.tooShort) return true;
    throw closedAtOnce(this.#options.listerWatcher.resource);
  }

  /** An `ERROR` event, or garbage, in a running watch: only 429 lets the next watch go on. */
  async #afterWatchError(error: unknown, signal: AbortSignal): Promise<boolean> {
    if (hasReason(error, "TooManyRequests")) {
      await this.#wait(error, signal);
      return true;
    }
    this.#options.log.debug({ error: messageOf(error) }, "the watch failed");
    throw new RelistNeeded(messageOf(error), { cause: error });
  }

  async #consume(session: WatchSession<T>, stream: WatchStream<T>): Promise<void> {
    this.#watching = true;
    try {
      await session.consume(stream);
    } finally {
      this.#watching = false;
    }
  }

  #open(
    options: ListWatchOptions,
    resourceVersion: string,
    session: WatchSession<T>,
    signal: AbortSignal,
  ): Promise<WatchStream<T>> {
    this.#options.count?.("watch");
    const timeoutSeconds = Math.floor(MIN_WATCH_SECONDS * (1 + this.#options.clock.random()));
    return this.#options.listerWatcher.watch(
      { ...options, resourceVersion, allowWatchBookmarks: true, timeoutSeconds },
      session.start(timeoutSeconds, this.#requestsUntil(signal)),
    );
  }

  /**
   * Aborts the watches of a round. It is made anew only when a watch went silent: a signal costs as
   * much as a request.
   */
  #requestsUntil(signal: AbortSignal): AbortController {
    if (this.#requests?.signal.aborted === false) return this.#requests;
    const requests = new AbortController();
    const follow = (): void => {
      requests.abort(signal.reason);
    };
    if (signal.aborted) follow();
    else signal.addEventListener("abort", follow, { once: true, signal: requests.signal });
    this.#requests = requests;
    return requests;
  }

  #session(initial: boolean): WatchSession<T> {
    const { clock, log, store, listerWatcher } = this.#options;
    const { resource } = listerWatcher;
    return new WatchSession<T>({
      clock,
      log,
      store,
      count: (what) => this.#options.count?.(what),
      readable: this.#readable,
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      initial,
      bookmarked: this.#bookmarked,
      onBookmark: () => {
        this.#bookmarked = true;
      },
      // A watch from no version begins with events in no order: their versions say nothing yet.
      ordered: this.#lastVersion !== "" && this.#lastVersion !== "0",
      onVersion: (version) => {
        this.#lastVersion = version;
      },
      onInitialEnd: (objects, version) => {
        this.#replace(objects, version, this.#versionUnavailable || this.#lastVersion === "");
        this.#recover();
      },
    });
  }

  #report(error: unknown): void {
    this.#failing = true;
    this.#options.onError?.(error);
  }

  #recover(): void {
    if (this.#failing) this.#options.onRecovery?.();
    this.#failing = false;
  }

  async #wait(error: unknown, signal: AbortSignal): Promise<void> {
    this.#lastError = error;
    this.#report(error);
    const askedMs = 1000 * (error instanceof StatusError ? retryAfterSeconds(error) : 0);
    await this.#options.clock.sleep(Math.max(askedMs, this.#backoff.nextMs()), signal);
  }
}

/** The server's `Retry-After`, in seconds. */
function retryAfterSeconds({ status }: StatusError): number {
  const seconds: unknown = status.details?.retryAfterSeconds;
  return typeof seconds === "number" && seconds > 0 ? seconds : 0;
}

/** The watch cannot continue; a new list can. Not reported: it is the normal course after 410. */
class RelistNeeded extends Error {}

/** The guard against a server, or a proxy, that closes each watch at once. */
function closedAtOnce(resource: ResourceInfo): RelistNeeded {
  return new RelistNeeded(
    `the watch of ${resource.plural} was closed by the server within a second, without an event`,
  );
}

/** Whether the same watch may be retried after a wait: the server is unavailable, or busy. */
function isRetriable(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.failure === "refused";
  return hasReason(error, "TooManyRequests");
}

/** Whether the server no longer has, or does not have yet, the requested version. */
function isVersionRefusal(error: unknown): boolean {
  if (isExpired(error)) return true;
  if (!(error instanceof StatusError)) return false;
  const causes = error.status.details?.causes ?? [];
  if (causes.some(({ reason }) => reason === "ResourceVersionTooLarge")) return true;
  return error.reason === "Timeout" && error.message.includes("Too large resource version");
}
