/**
 * A controller: takes keys from its sources and gives each to the reconciler, until that succeeds.
 *
 * @see https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/controller
 */
import { manyListeners, timeoutSignal, untilAborted } from "../../clock.ts";
import { messageOf, TerminalError, TsopError } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import { announce } from "../../logging/safe-logger.ts";
import { formatKey, type KubeObject, type ObjectKey } from "../../kube/object.ts";
import type { ReadToken } from "../../kube/resource.ts";
import { isConflict } from "../../kube/status.ts";
import { waitText } from "../../kube/values/duration.ts";
import { LruMap } from "../lru.ts";
import { ItemExponentialFailureRateLimiter } from "../queue/rate-limiters.ts";
import { PriorityQueue, type RateLimitingQueue } from "../queue/work-queue.ts";
import { Causes } from "./causes.ts";
import type { Activity } from "./activity.ts";
import type { Enqueue, EnqueueHint, WatchOptions, WatchReaction } from "./sources/handlers.ts";
import type { ControllerParts } from "./controller-parts.ts";
import { ControllerReports } from "./controller-reports.ts";
import { FailureLog } from "./failure-log.ts";
import { HotLoops } from "./hot-loops.ts";
import { inTime } from "./in-time.ts";
import { LoopTurns } from "./loop-turns.ts";
import { explained, isGone, outcomeOf, parseKey, requeueOf } from "./outcomes.ts";
import { ReconcileRun } from "./reconcile-run.ts";
import type { ObservedReconcile } from "./reconcile-observer.ts";
import type { Outcome, ReconcileContext } from "./reconciler.ts";
import type { ReplayStart } from "../rest/reconcile-tap.ts";
import { RunningSources, type AddedWatch } from "./sources/running-sources.ts";

/** The recorded start of a reconcile, without its key. */
type RecordedBegin = Omit<ReplayStart, "key">;

/** The log message of a started controller; `tsop dev` waits for it. */
export const CONTROLLER_STARTED = "controller started";

// The wait of a key that asks to be requeued at once, and the longest one if it does so repeatedly.
const AT_ONCE_MS = 5;
const MAX_AT_ONCE_MS = 60_000;
// The number of keys whose last start is remembered; the events of own writes arrive soon after.
const REMEMBERED_KEYS = 10_000;
// Far longer than the event of an own write takes. A later one still causes one reconcile too many.
const OWN_EVENTS_MS = 600_000;

/**
 * One reconciler and its sources.
 *
 * @example
 * const controller = controllerFor(manager).for(Web).complete(new WebReconciler(manager.client));
 * controller.watch(ConfigMap, { map: (config) => [keyOf(config)] });
 */
export class Controller {
  readonly name: string;
  readonly needLeaderElection: boolean;
  readonly #parts: ControllerParts;
  readonly #log: Logger;
  readonly #queue: RateLimitingQueue;
  readonly #sources: RunningSources;
  readonly #causes: Causes;
  readonly #atOnce = new ItemExponentialFailureRateLimiter(AT_ONCE_MS, MAX_AT_ONCE_MS);
  readonly #hotLoops: HotLoops;
  readonly #failures: FailureLog;
  readonly #reports: ControllerReports;
  // Kept only for a while after a write of this process: otherwise there are no events of own
  // writes.
  readonly #begunAtMs = new LruMap<number>(REMEMBERED_KEYS);
  #writesSeen = 0;
  #notedUntilMs = -Infinity;
  // Keys that this process may not reconcile while keys move between processes.
  readonly #parked = new Set<string>();
  readonly #inHand = new Set<string>();
  readonly #turns: LoopTurns;
  #isSyncing = false;
  #reconciles = 0;
  #idPrefix: string | undefined;

  constructor(parts: ControllerParts) {
    this.name = parts.name;
    this.#turns = new LoopTurns(parts.clock);
    // A process that shares the keys has no leader.
    this.needLeaderElection = (parts.options.needLeaderElection ?? true) && !parts.gate;
    this.#parts = parts;
    this.#log = parts.log.child({ controller: parts.name });
    this.#sources = new RunningSources(parts.sources);
    this.#causes = new Causes(parts.observer?.wantsOrigins === true);
    this.#hotLoops = new HotLoops(parts.clock);
    this.#failures = new FailureLog(parts.clock);
    const { clock, name, tell } = parts;
    const { ownWrites } = parts.scopes;
    this.#reports = new ControllerReports({ clock, log: this.#log, name, ownWrites, tell });
    const { newQueue, rateLimiter } = parts.options;
    this.#queue = newQueue
      ? newQueue(parts.clock, rateLimiter, parts.metrics)
      : new PriorityQueue(parts.clock, rateLimiter, parts.metrics);
  }

  /** The present activity, and the keys that wait for their time; for `manager.idle()`. */
  activity(): Activity {
    const { name } = this.#parts;
    const busy = [...this.#inHand].map((id) => `${name} reconciles ${id}`);
    if (this.#queue.length > 0) busy.push(`${name}: ${this.#queue.length} keys are queued`);
    if (this.#isSyncing) busy.push(`${name} waits for its sources`);
    const { clock } = this.#parts;
    const sinceMs = clock.now() - clock.monotonicMs();
    const delayed = (this.#queue.delayed?.() ?? []).map(({ key, readyAtMs }) => ({
      key,
      atMs: sinceMs + readyAtMs,
    }));
    const waiting = delayed.map(({ key, atMs }) => ({
      controller: name,
      key: parseKey(key),
      atMs,
    }));
    const depth = this.#queue.length;
    const queue = { controller: name, inHand: [...this.#inHand], depth, waiting: delayed };
    return { busy, waiting, queue };
  }

  /** Enqueues an object, as an event would. */
  enqueue(key: ObjectKey, hint: EnqueueHint = {}): void {
    const { priority, cause = "asked for", causeType = "other", event, writtenAtMs } = hint;
    const id = formatKey(key);
    if (writtenAtMs !== undefined && writtenAtMs < (this.#begunAtMs.get(id) ?? -Infinity)) {
      this.#parts.metrics.ownEvent();
      return;
    }
    const { gate } = this.#parts;
    if (gate && !gate.mayWork(id)) {
      if (!gate.settled) this.#parked.add(id);
      return;
    }
    this.#causes.add(id, cause, causeType, event);
    const delayMs = this.#hotLoops.delayMs(id);
    if (delayMs > 0) this.#queue.addAfter(id, delayMs, priority);
    else this.#queue.add(id, priority);
  }

  /**
   * Watches another kind from now on, also while the controller runs. The rights on a kind that is
   * unknown when the program is built, such as one of a later CRD, must be granted by hand.
   *
   * @example
   * const watch = controller.watch(await client.dynamic("example.com/v1", "Web"), { map: () => [key] });
   * await watch.synced;
   */
  watch<T extends KubeObject>(
    token: ReadToken<T>,
    options: WatchReaction<T> & WatchOptions<T>,
  ): AddedWatch {
    return this.#sources.add(this.#parts.sourceOf(token, options));
  }

  /**
   * Runs until `signal` is aborted; resolves when the reconciles that were under way have ended.
   *
   * @throws the failure of a source
   */
  async start(signal: AbortSignal): Promise<void> {
    const { name, options, metrics } = this.#parts;
    const log = this.#log;
    const stop = manyListeners(new AbortController());
    let failure: unknown;
    const end = (): void => {
      this.#queue.shutDown();
      stop.abort(signal.reason);
    };
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
    const report = { log, failed: metrics.sourceFailed };
    const enqueue: Enqueue = (key, hint) => {
      this.enqueue(key, hint);
    };
    const { gate } = this.#parts;
    gate?.onChange(() => {
      for (const id of [...this.#parked]) {
        this.#parked.delete(id);
        this.enqueue(parseKey(id), { cause: "this process took over its shard" });
      }
      this.#sources.resync();
    }, stop.signal);
    const failed = (error: unknown): void => {
      failure ??= error;
      end();
    };
    const synced = this.#sources.start({ enqueue, signal: stop.signal, report, failed });
    // Before all informers have synced, a reconciler would take objects as missing that are only
    // not loaded yet.
    this.#isSyncing = true;
    await Promise.race([synced, untilAborted(stop.signal)]);
    this.#isSyncing = false;
    if (!stop.signal.aborted) announce(log, {}, CONTROLLER_STARTED);
    const workers = Array.from({ length: options.maxConcurrentReconciles ?? 1 }, () =>
      this.#work(stop.signal),
    );
    await Promise.all(workers);
    this.#reports.stop();
    signal.removeEventListener("abort", end);
    if (failure !== undefined) {
      throw new TsopError(
        "source-failed",
        `A source of the controller ${name} failed: ${messageOf(failure)}.`,
        "The controller cannot continue without it; see the cause.",
        { cause: failure },
      );
    }
  }

  /**
   * Runs one reconcile as it was recorded, and nothing else; not while the controller runs. The
   * observer gets its outcome.
   */
  async replay({ key, ...begin }: ReplayStart): Promise<void> {
    await this.#reconcile(key, manyListeners(new AbortController()).signal, begin);
    this.#queue.shutDown();
  }

  async #work(signal: AbortSignal): Promise<void> {
    const queue = this.#queue;
    for (;;) {
      const key = queue.take?.() ?? (await queue.get());
      if (key === undefined) return;
      // Keys in line are not lost: the next process finds their objects in its first list.
      this.#inHand.add(key);
      if (!signal.aborted && this.#enter(key)) await this.#reconcile(key, signal);
      this.#inHand.delete(key);
      queue.done(key);
      const turn = this.#turns.due();
      if (turn) await turn;
    }
  }

  /** Whether this process may reconcile the key; it is parked otherwise. */
  #enter(id: string): boolean {
    const { gate } = this.#parts;
    if (!gate || gate.enter(id)) return true;
    this.#parked.add(id);
    this.#queue.forget(id);
    this.#causes.take(id, this.#parts.clock.monotonicMs());
    return false;
  }

  async #reconcile(id: string, parent: AbortSignal, as?: RecordedBegin): Promise<void> {
    const { clock, metrics, options, scopes, gate } = this.#parts;
    const timeoutMs = options.reconcileTimeoutMs;
    const timeout = timeoutMs === undefined ? undefined : timeoutSignal(clock, timeoutMs, parent);
    const run = this.#begin(id, timeout?.signal ?? parent, as);
    this.#reports.began(run);
    const observed = this.#observe(run);
    const work = (): Promise<Outcome> => this.#call(id, run);
    try {
      let result: Outcome;
      try {
        const call = scopes.run(run.scope, observed ? () => observed.run(work) : work);
        result = await (timeoutMs === undefined ? call : inTime(clock, run.scope, call, timeoutMs));
      } finally {
        this.#note(run);
      }
      observed?.succeeded(requeueOf(result));
      this.#succeeded(id, run, result);
    } catch (error) {
      // The process ends, and the reconcile gave up because it was told so: that is no failure.
      if (parent.aborted && error === parent.reason) return;
      observed?.failed(error);
      if (run.signal.aborted && !parent.aborted) metrics.timedOut();
      metrics.reconciled("error", (clock.monotonicMs() - run.startMs) / 1000);
      if (this.#parts.onError) await this.#tellFailure(id, error, run.again(parent));
      this.#failed(id, error, run);
    } finally {
      observed?.end();
      this.#reports.ended(run);
      scopes.leave(run.scope);
      timeout?.clear();
      gate?.leave(id);
    }
  }

  /** Notifies the observer of a reconcile that begins. */
  #observe(run: ReconcileRun): ObservedReconcile | undefined {
    const { observer, kind, resource } = this.#parts;
    return observer && run.observeBy(observer, { kind, resource, queueDepth: this.#queue.length });
  }

  #begin(key: string, signal: AbortSignal, as?: RecordedBegin): ReconcileRun {
    const { clock, name, scopes } = this.#parts;
    const log = this.#log;
    const startMs = clock.monotonicMs();
    if (scopes.writes !== this.#writesSeen) {
      this.#writesSeen = scopes.writes;
      this.#notedUntilMs = startMs + OWN_EVENTS_MS;
    }
    if (startMs < this.#notedUntilMs) this.#begunAtMs.set(key, startMs);
    this.#reconciles++;
    // The last queued key: from here on workers wait for events.
    if (this.#queue.length === 0) this.#turns.took(startMs);
    this.#idPrefix ??= Math.floor(clock.random() * 2 ** 24).toString(16);
    const id = `${this.#idPrefix}-${this.#reconciles}`;
    const { texts: causes, origins } = this.#causes.take(key, startMs);
    if (log.isLevelEnabled?.("debug") ?? true) {
      log.debug({ ...parseKey(key), reconcileID: id, causes }, "reconciling");
    }
    const failures = this.#queue.retries(key);
    const nowMs = clock.now();
    return new ReconcileRun({
      controller: name,
      key,
      id,
      startMs,
      nowMs,
      signal,
      causes,
      origins,
      failures,
      log,
      ...as,
    });
  }

  #succeeded(id: string, run: ReconcileRun, result: Outcome): void {
    const { clock, metrics } = this.#parts;
    const { startMs } = run;
    const requeueAfterMs = requeueOf(result);
    this.#queue.forget(id);
    const seconds = (clock.monotonicMs() - startMs) / 1000;
    metrics.reconciled(outcomeOf(result), seconds);
    if (requeueAfterMs === undefined || requeueAfterMs > 0) this.#atOnce.forget(id);
    if (requeueAfterMs === undefined) return;
    this.#reports.requeued(run, requeueAfterMs);
    // A time in the past means now; a key that always asks for that must not keep the process busy.
    const delayMs = requeueAfterMs > 0 ? requeueAfterMs : this.#atOnce.when(id);
    const text = `asked for after ${waitText(requeueAfterMs)}`;
    const dueMs = clock.monotonicMs() + delayMs;
    this.#causes.addLater(id, { dueMs, text, type: "requeue" });
    this.#queue.addAfter(id, delayMs, result?.priority ?? this.#queue.priority(id));
  }

  /** Checks the changes of a reconcile for a hot loop, once it has ended. */
  #note(run: ReconcileRun): void {
    const { key, changes } = run.scope;
    const loop = this.#hotLoops.note(key, changes);
    if (!loop) return;
    this.#parts.metrics.hotLoop();
    this.#reports.hotLoop(run, loop);
  }

  /** Calls the reconciler's error hook. An error of the hook changes nothing about the failure. */
  async #tellFailure(id: string, error: unknown, run: ReconcileRun): Promise<void> {
    const { clock, onError, options, scopes } = this.#parts;
    const key = parseKey(id);
    const isGoneNow = isGone(error, key, this.#queue.retries(id));
    if (run.signal.aborted || isConflict(error) || isGoneNow) return;
    const timeoutMs = options.reconcileTimeoutMs;
    // The writes of the hook are not a reason to retry earlier than the backoff allows.
    this.#begunAtMs.set(id, Infinity);
    try {
      const call = scopes.run(run.scope, async () => onError?.(key, error, run));
      await (timeoutMs === undefined ? call : inTime(clock, run.scope, call, timeoutMs));
    } catch (failure) {
      run.log.error({ err: failure }, `onError failed: ${messageOf(failure)}`);
    } finally {
      scopes.leave(run.scope);
      this.#note(run);
      this.#begunAtMs.set(id, clock.monotonicMs() + 1);
    }
  }

  /** Calls the reconciler; an error before it returns a promise counts as a panic. */
  #call(id: string, context: ReconcileContext): Promise<Outcome> {
    const { reconciler, metrics } = this.#parts;
    try {
      return reconciler.reconcile({ key: parseKey(id) }, context);
    } catch (error) {
      metrics.panicked();
      throw error;
    }
  }

  #failed(id: string, error: unknown, run: ReconcileRun): void {
    const { log } = run;
    if (error instanceof TerminalError) {
      this.#parts.metrics.terminalError();
      this.#queue.forget(id);
      log.error({ err: error }, `the reconcile failed for good: ${error.message}`);
      return;
    }
    const retries = this.#queue.retries(id);
    const text = `retry ${retries + 1} after: ${messageOf(error)}`;
    const nowMs = this.#parts.clock.monotonicMs();
    const waitMs = this.#queue.addRateLimited(id, this.#queue.priority(id));
    this.#causes.addLater(id, { dueMs: nowMs + waitMs, text, type: "retry" });
    // The object changed in between: the retry reads it again, and nobody need act.
    if (isConflict(error)) log.info("the object changed in the meantime; retrying");
    else if (isGone(error, parseKey(id), retries)) log.info(`trying again: ${error.message}`);
    else this.#failures.tell(log, parseKey(id).name, explained(error, parseKey(id)));
  }
}
