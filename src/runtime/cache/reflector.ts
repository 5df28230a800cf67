/**
 * Keeps a store equal to what the API server has of one kind: list, watch, and everything that can go wrong
 * in between. It is client-go's reflector as a state machine.
 *
 * @see https://github.com/kubernetes/client-go/blob/v0.36.3/tools/cache/reflector.go
 */
import type { Clock } from "../../clock.ts";
import { messageOf } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import type { KubeObject } from "../../kube/object.ts";
import { apiVersionOf, type ResourceInfo } from "../../kube/resource.ts";
import { hasReason, isExpired, StatusError } from "../../kube/status.ts";
import { ConnectionError } from "../transport/transport.ts";
import { Backoff } from "./backoff.ts";
import type { ReflectorStore } from "./delta-queue.ts";
import { listAll } from "./list-pages.ts";
import type { ListerWatcher, ListWatchOptions } from "./lister-watcher.ts";
import { problemOf, ReadableObjects } from "./readable-objects.ts";
import {
  failed,
  IDLE,
  isWatching,
  listedVersion,
  listing,
  stopped,
  streaming,
  synced,
  withWatch,
  type Progress,
  type ReflectorState,
} from "./reflector-state.ts";
import { Round } from "./round.ts";
import { WatchSession, type InformerOccurrence } from "./watch-session.ts";

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
/** A server cannot stop an informer for longer by its Retry-After. */
const MAX_WAIT_SECONDS = 300;

export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #backoff: Backoff;
  readonly #readable: ReadableObjects<T>;
  #state = IDLE;
  #round: Round | undefined;
  /** Whether a failure was reported, and no recovery since. */
  #isFailing = false;
  // What the server was seen to do.
  #sendsBookmarks = false;
  #sendsPages = false;

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
    return this.#state.name;
  }

  /** Whether a watch is open, so that changes reach the store. */
  get isWatching(): boolean {
    return isWatching(this.#state);
  }

  /** The failure of the last round; `undefined` once a later one succeeded. */
  get lastError(): unknown {
    return this.#state.error;
  }

  /** The version up to which the store is known to be complete. */
  get lastSyncResourceVersion(): string {
    return this.#state.version;
  }

  /** Runs until `signal` is aborted. Failures are reported and retried, never thrown. */
  async start(signal: AbortSignal): Promise<void> {
    try {
      while (!signal.aborted) {
        const round = new Round(signal);
        this.#round = round;
        try {
          await this.#run(round);
        } finally {
          round.end();
        }
        if (!round.isCut) await this.#options.clock.sleep(this.#backoff.nextMs(), signal);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.#state = stopped(this.#state);
    }
  }

  /** Lists again at once, and treats that list as the truth, because the scope has changed. */
  relist(): void {
    this.#change({ isRefused: true });
    this.#round?.cut(new RelistNeeded("the scope of the watch has changed"));
  }

  /** One list and the watches on it, up to a failure that needs another list. */
  async #run(round: Round): Promise<void> {
    const { watchList = true } = this.#options;
    this.#state = watchList ? streaming(this.#state) : listing(this.#state);
    try {
      while (!round.signal.aborted) await this.#step(round);
    } catch (error) {
      if (round.signal.aborted) return;
      this.#state = failed(this.#state, error);
      if (!(error instanceof RelistNeeded)) this.#report(error);
    }
  }

  #step(round: Round): Promise<void> {
    switch (this.#state.name) {
      case "streaming":
        return this.#stream(round);
      case "listing":
        return this.#list(round.signal);
      default:
        return this.#watch(round);
    }
  }

  /** The list as the beginning of a watch, then that watch to its end; a list in pages where the server cannot. */
  async #stream(round: Round): Promise<void> {
    const { isRefused, version } = this.#state;
    const session = this.#session(true);
    const resourceVersion = isRefused ? "" : version;
    const failure = await this.#follow(session, round, {
      sendInitialEvents: true,
      resourceVersionMatch: "NotOlderThan",
      resourceVersion,
    });
    if (session.synced) await this.#afterWatch(session, round.signal, failure);
    else if (failure) await this.#afterStream(failure.error, round.signal);
    else if (session.silent || session.tooShort) this.#state = listing(this.#state);
  }

  async #afterStream(error: unknown, signal: AbortSignal): Promise<void> {
    if (isRetriable(error)) await this.#wait(error, signal);
    else if (isVersionRefusal(error) && !this.#state.isRefused) this.#change({ isRefused: true });
    else {
      this.#options.log.debug({ error: messageOf(error) }, "no list by watch; using LIST");
      this.#state = listing(this.#state);
    }
  }

  async #list(signal: AbortSignal): Promise<void> {
    const { listerWatcher, store } = this.#options;
    this.#options.count?.("list");
    const asked = listedVersion(this.#state);
    // With a limit the server reads from etcd instead of its memory; for the versions "" and "0" a
    // limit makes no difference.
    const inPages = this.#sendsPages || asked === "" || asked === "0";
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
      this.#change({ isRefused: true });
      version = "";
      result = await listAll(version, paging);
    }
    if (asked === "0" && result.paged) this.#sendsPages = true;
    const objects = result.list.items.filter((item) => this.#readable.take(item));
    this.#replace(objects, result.list.metadata.resourceVersion ?? "", version === "");
  }

  #replace(objects: readonly T[], resourceVersion: string, authoritative: boolean): void {
    this.#change({ isRefused: false });
    this.#options.store.push({ type: "Replaced", objects, resourceVersion, authoritative });
    this.#state = synced(this.#state, resourceVersion);
  }

  /** One watch from the last version on. */
  async #watch(round: Round): Promise<void> {
    const session = this.#session(false);
    const { version: resourceVersion } = this.#state;
    const failure = await this.#follow(session, round, { resourceVersion });
    if (!failure || failure.wasOpen) await this.#afterWatch(session, round.signal, failure);
    else if (isRetriable(failure.error)) await this.#wait(failure.error, round.signal);
    else throw failure.error;
  }

  /**
   * After an `ERROR` event, or garbage, only 429 lets the next watch go on.
   *
   * @throws RelistNeeded
   */
  async #afterWatch(
    session: WatchSession<T>,
    signal: AbortSignal,
    failure: Failure | undefined,
  ): Promise<void> {
    if (!failure) {
      if (session.tooShort) throw closedAtOnce(this.#options.listerWatcher.resource);
      return;
    }
    const { error } = failure;
    if (hasReason(error, "TooManyRequests")) {
      await this.#wait(error, signal);
      return;
    }
    this.#options.log.debug({ error: messageOf(error) }, "the watch failed");
    throw new RelistNeeded(messageOf(error), { cause: error });
  }

  /** Opens a watch, and takes its events to its end. @throws when the round was aborted */
  async #follow(
    session: WatchSession<T>,
    round: Round,
    options: ListWatchOptions,
  ): Promise<Failure | undefined> {
    const { clock, count, listerWatcher } = this.#options;
    let wasOpen = false;
    try {
      count?.("watch");
      const timeoutSeconds = Math.floor(MIN_WATCH_SECONDS * (1 + clock.random()));
      const stream = await listerWatcher.watch(
        { ...options, allowWatchBookmarks: true, timeoutSeconds },
        session.start(timeoutSeconds, round.requests),
      );
      wasOpen = true;
      if (session.synced) {
        this.#change({ error: undefined });
        this.#recover();
      }
      this.#state = withWatch(this.#state, true);
      await session.consume(stream);
      return undefined;
    } catch (error) {
      if (round.signal.aborted) throw error;
      return { error, wasOpen };
    } finally {
      this.#state = withWatch(this.#state, false);
      session.close();
    }
  }

  #session(initial: boolean): WatchSession<T> {
    const { clock, log, store, listerWatcher } = this.#options;
    const { resource } = listerWatcher;
    const { version } = this.#state;
    return new WatchSession<T>({
      clock,
      log,
      store,
      count: (what) => this.#options.count?.(what),
      readable: this.#readable,
      apiVersion: apiVersionOf(resource),
      kind: resource.kind,
      initial,
      bookmarked: this.#sendsBookmarks,
      onBookmark: () => {
        this.#sendsBookmarks = true;
      },
      // A watch from no version begins with events in no order: their versions say nothing yet.
      ordered: version !== "" && version !== "0",
      onVersion: (reached) => {
        this.#change({ version: reached });
      },
      onInitialEnd: (objects, reached) => {
        const { isRefused, version: known } = this.#state;
        this.#replace(objects, reached, isRefused || known === "");
        this.#recover();
      },
    });
  }

  #change(data: Partial<Progress>): void {
    this.#state = { ...this.#state, ...data };
  }

  #report(error: unknown): void {
    this.#isFailing = true;
    this.#options.onError?.(error);
  }

  #recover(): void {
    if (this.#isFailing) this.#options.onRecovery?.();
    this.#isFailing = false;
  }

  async #wait(error: unknown, signal: AbortSignal): Promise<void> {
    this.#change({ error });
    this.#report(error);
    const askedMs = 1000 * (error instanceof StatusError ? retryAfterSeconds(error) : 0);
    await this.#options.clock.sleep(Math.max(askedMs, this.#backoff.nextMs()), signal);
  }
}

interface Failure {
  readonly error: unknown;
  /** Whether the server had begun to answer. */
  readonly wasOpen: boolean;
}

function retryAfterSeconds({ status }: StatusError): number {
  const seconds: unknown = status.details?.retryAfterSeconds;
  return typeof seconds === "number" && seconds > 0 ? Math.min(seconds, MAX_WAIT_SECONDS) : 0;
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
