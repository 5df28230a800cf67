/**
 * Takes keys from its sources and gives each to the reconciler, until that succeeds.
 *
 * @see https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/controller
 * @module
 */
import { settlePromises, timeoutSignal, type Clock } from "../../clock.ts";
import { messageOf, TerminalError, TsopError } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import { formatKey, type ObjectKey } from "../../kube/object.ts";
import { isConflict } from "../../kube/status.ts";
import { LruMap } from "../lru.ts";
import type { EventDetails } from "../events/recorder.ts";
import type { ControllerMetrics } from "../manager/metrics.ts";
import { ItemExponentialFailureRateLimiter, type RateLimiter } from "../queue/rate-limiters.ts";
import { PriorityQueue, type QueueObserver, type RateLimitingQueue } from "../queue/work-queue.ts";
import type { KeyGate } from "../sharding/key-gate.ts";
import { Causes } from "./causes.ts";
import type { Enqueue, EnqueueHint } from "./handlers.ts";
import { FailureLog } from "./failure-log.ts";
import { HotLoops } from "./hot-loops.ts";
import { givenUpAfter, isGone, parseKey, requeueOf } from "./outcomes.ts";
import { ReconcileRun } from "./reconcile-run.ts";
import type { ReconcileScope, ReconcileScopes } from "./reconcile-scopes.ts";
import type { Outcome, ReconcileContext, Reconciler } from "./reconciler.ts";
import type { Source } from "./sources.ts";

/** What a controller logs once it works; `tsop dev` waits for it. */
export const CONTROLLER_STARTED = "controller started";

/** How a controller works; everything may be left out. */
export interface ControllerOptions {
  /** How many keys are worked on at a time; 1 when absent. Never two workers on one key. */
  readonly maxConcurrentReconciles?: number;
  /** How long failed keys wait; 5 ms doubled up to 1000 s when absent. */
  readonly rateLimiter?: RateLimiter;
  /** A queue of another order. */
  readonly newQueue?: (
    clock: Clock,
    limiter: RateLimiter | undefined,
    observer: QueueObserver,
  ) => RateLimitingQueue;
  /**
   * Aborts the signal of a reconcile that takes longer; never when absent. One that does not end within 5 s of that
   * is given up: it can write nothing more, and its key is tried again.
   */
  readonly reconcileTimeoutMs?: number;
  /** Works only in the process that leads, where there is leader election; true when absent. */
  readonly needLeaderElection?: boolean;
  /** How long a `cleanup` may take before an event and a metric tell people; 10 minutes when absent. */
  readonly cleanupTimeoutMs?: number;
  /**
   * The finalizer of a reconciler with `cleanup`; `<group>/<controller>` when absent. For a kind that is not this program's
   * own it must be given: others may have a controller of that name. It is kept in the objects, so it must never change.
   */
  readonly finalizer?: string;
}

const ABORT_GRACE_MS = 5000;
// How long a key waits that asks to be looked at now, and at most if it does so again and again.
const AT_ONCE_MS = 5;
const MAX_AT_ONCE_MS = 60_000;
// Of how many keys the last begin is known; the events of own writes come soon after.
const KEYS = 10_000;
// Far longer than an event of an own write takes. One that comes later still causes one reconcile too many.
const OWN_EVENTS_MS = 600_000;
// Reconciles that wait for nothing leave the event loop no turn of its own. After so many, and so long, it has one.
const RECONCILES_PER_TURN = 100;
const MS_PER_TURN = 10;

/** What a controller is made of. */
export interface ControllerParts {
  readonly name: string;
  readonly reconciler: Reconciler;
  readonly sources: readonly Source[];
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ControllerMetrics;
  /** Shared with the client that the reconciler writes with. */
  readonly scopes: ReconcileScopes;
  readonly options: ControllerOptions;
  /** Which keys this process may work on; all when absent. */
  readonly gate?: KeyGate;
  /** Lets the reconciler say what went wrong, before it is tried again. */
  readonly onError?: (key: ObjectKey, error: unknown, context: ReconcileContext) => Promise<void>;
  /** Records an event about the object of a key, if it is known which that is. */
  readonly tell?: (key: ObjectKey, details: EventDetails) => void;
}

/** One reconciler and what feeds it. */
export class Controller {
  readonly name: string;
  readonly needLeaderElection: boolean;
  readonly #parts: ControllerParts;
  readonly #queue: RateLimitingQueue;
  readonly #causes = new Causes();
  readonly #atOnce = new ItemExponentialFailureRateLimiter(AT_ONCE_MS, MAX_AT_ONCE_MS);
  readonly #hotLoops: HotLoops;
  readonly #failures: FailureLog;
  // Only for a while after this process wrote something: there are no events of own writes otherwise.
  readonly #begunAtMs = new LruMap<number>(KEYS);
  #writesSeen = 0;
  #notedUntilMs = -Infinity;
  // Keys that nobody may work on just now, because they change hands.
  readonly #parked = new Set<string>();
  #reconciles = 0;
  #idPrefix: string | undefined;
  #turn: Promise<void> | undefined;
  #turnAtMs = 0;
  #sinceTurn = 0;

  constructor(parts: ControllerParts) {
    this.name = parts.name;
    // Who shares the keys has no leader.
    this.needLeaderElection = (parts.options.needLeaderElection ?? true) && !parts.gate;
    this.#parts = parts;
    this.#hotLoops = new HotLoops(parts.clock);
    this.#failures = new FailureLog(parts.clock);
    const { newQueue, rateLimiter } = parts.options;
    this.#queue = newQueue
      ? newQueue(parts.clock, rateLimiter, parts.metrics)
      : new PriorityQueue(parts.clock, rateLimiter, parts.metrics);
  }

  /** Lets the reconciler look at an object, as an event would. */
  enqueue(key: ObjectKey, { priority, cause = "asked for", writtenAtMs }: EnqueueHint = {}): void {
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
    this.#causes.add(id, cause);
    const delayMs = this.#hotLoops.delayMs(id);
    if (delayMs > 0) this.#queue.addAfter(id, delayMs, priority);
    else this.#queue.add(id, priority);
  }

  /**
   * Works until `signal` is aborted; resolves when the reconciles that were under way have ended.
   *
   * @throws what a source failed with
   */
  async start(signal: AbortSignal): Promise<void> {
    const { sources, log, name, options, metrics } = this.#parts;
    const stop = new AbortController();
    let failure: unknown;
    const end = (): void => {
      this.#queue.shutDown();
      stop.abort(signal.reason);
    };
    if (signal.aborted) end();
    signal.addEventListener("abort", end, { once: true });
    const aborted = new Promise<void>((resolve) => {
      stop.signal.addEventListener("abort", () => {
        resolve();
      });
    });
    const report = { log: log.child({ controller: name }), failed: metrics.sourceFailed };
    const enqueue: Enqueue = (key, hint) => {
      this.enqueue(key, hint);
    };
    const runs = sources.map((source) => source.start(enqueue, stop.signal, report));
    const { gate } = this.#parts;
    gate?.onChange(() => {
      for (const id of [...this.#parked]) {
        this.#parked.delete(id);
        this.enqueue(parseKey(id), { cause: "its shard is this one's now" });
      }
      for (const { resync } of runs) resync?.();
    }, stop.signal);
    for (const { ended } of runs) {
      ended.catch((error: unknown) => {
        failure ??= error;
        end();
      });
    }
    // Without the whole picture a reconciler would see objects missing that are only not there yet.
    await Promise.race([Promise.all(runs.map(({ synced }) => synced)), aborted]);
    if (!stop.signal.aborted) log.info({ controller: name }, CONTROLLER_STARTED);
    const workers = Array.from({ length: options.maxConcurrentReconciles ?? 1 }, () =>
      this.#work(stop.signal),
    );
    await Promise.all(workers);
    signal.removeEventListener("abort", end);
    if (failure !== undefined) {
      throw new TsopError(
        "source-failed",
        `A source of the controller ${name} failed: ${messageOf(failure)}.`,
        "The controller cannot go on without it; see the cause.",
        { cause: failure },
      );
    }
  }

  async #work(signal: AbortSignal): Promise<void> {
    const queue = this.#queue;
    for (;;) {
      const key = queue.take?.() ?? (await queue.get());
      if (key === undefined) return;
      // What is in line is not lost: the next process finds it in its first list.
      if (!signal.aborted && this.#enter(key)) await this.#reconcile(key, signal);
      queue.done(key);
      if (this.#isTurnDue()) this.#turn = this.#nextTurn();
      if (this.#turn) await this.#turn;
    }
  }

  #isTurnDue(): boolean {
    if (this.#turn || ++this.#sinceTurn < RECONCILES_PER_TURN) return false;
    return this.#parts.clock.monotonicMs() - this.#turnAtMs >= MS_PER_TURN;
  }

  async #nextTurn(): Promise<void> {
    await settlePromises();
    this.#turn = undefined;
    this.#tookTurn(this.#parts.clock.monotonicMs());
  }

  #tookTurn(atMs: number): void {
    this.#sinceTurn = 0;
    this.#turnAtMs = atMs;
  }

  /** Whether this process may work on the key; it is parked otherwise. */
  #enter(id: string): boolean {
    const { gate } = this.#parts;
    if (!gate || gate.enter(id)) return true;
    this.#parked.add(id);
    this.#queue.forget(id);
    this.#causes.take(id);
    return false;
  }

  async #reconcile(id: string, parent: AbortSignal): Promise<void> {
    const { clock, metrics, options, scopes, gate } = this.#parts;
    const timeoutMs = options.reconcileTimeoutMs;
    const timeout = timeoutMs === undefined ? undefined : timeoutSignal(clock, timeoutMs, parent);
    const run = this.#begin(id, timeout?.signal ?? parent);
    try {
      let result: Outcome;
      try {
        const call = scopes.run(run.scope, () => this.#call(id, run));
        result = await (timeoutMs === undefined ? call : this.#inTime(run.scope, call, timeoutMs));
      } finally {
        this.#note(run);
      }
      this.#succeeded(id, run, result);
    } catch (error) {
      if (run.signal.aborted && !parent.aborted) metrics.timedOut();
      metrics.reconciled("error", (clock.monotonicMs() - run.startMs) / 1000);
      if (this.#parts.onError) await this.#tellFailure(id, error, run.again(parent));
      this.#failed(id, error, run);
    } finally {
      scopes.leave(run.scope);
      timeout?.clear();
      gate?.leave(id);
    }
  }

  #begin(key: string, signal: AbortSignal): ReconcileRun {
    const { clock, name, scopes, log } = this.#parts;
    const startMs = clock.monotonicMs();
    if (scopes.writes !== this.#writesSeen) {
      this.#writesSeen = scopes.writes;
      this.#notedUntilMs = startMs + OWN_EVENTS_MS;
    }
    if (startMs < this.#notedUntilMs) this.#begunAtMs.set(key, startMs);
    this.#reconciles++;
    // The last one in line: workers wait for events from here on.
    if (this.#queue.length === 0) this.#tookTurn(startMs);
    this.#idPrefix ??= Math.floor(clock.random() * 2 ** 24).toString(16);
    const id = `${this.#idPrefix}-${this.#reconciles}`;
    const causes = this.#causes.take(key);
    if (log.isLevelEnabled?.("debug") ?? true) {
      log.debug({ controller: name, key, reconcileID: id, causes }, "reconciling");
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
      failures,
      log,
    });
  }

  #succeeded(id: string, { startMs }: ReconcileRun, result: Outcome): void {
    const { clock, metrics } = this.#parts;
    const requeueAfterMs = requeueOf(result);
    this.#queue.forget(id);
    const seconds = (clock.monotonicMs() - startMs) / 1000;
    metrics.reconciled(requeueAfterMs === undefined ? "success" : "requeue_after", seconds);
    if (requeueAfterMs === undefined || requeueAfterMs > 0) this.#atOnce.forget(id);
    if (requeueAfterMs === undefined) return;
    this.#causes.add(id, `asked for after ${requeueAfterMs} ms`);
    // A time that is over means now; one that is over each time must not keep the process busy.
    const delayMs = requeueAfterMs > 0 ? requeueAfterMs : this.#atOnce.when(id);
    this.#queue.addAfter(id, delayMs, result?.priority ?? this.#queue.priority(id));
  }

  /** Looks at what a reconcile changed, once it has ended. */
  #note(run: ReconcileRun): void {
    const { key, changes } = run.scope;
    const { metrics, name, tell } = this.#parts;
    const loop = this.#hotLoops.note(key, changes);
    if (!loop) return;
    metrics.hotLoop();
    run.log.warn({ delayMs: loop.delayMs }, `a loop; slowed down: ${loop.reason}`);
    tell?.(parseKey(key), {
      type: "Warning",
      reason: "HotLoop",
      message: `${name} reconciles it at most each ${loop.delayMs / 1000} s: ${loop.reason}`,
      action: "SlowDown",
    });
  }

  /** Lets the reconciler say what went wrong. What goes wrong there changes nothing about that. */
  async #tellFailure(id: string, error: unknown, run: ReconcileRun): Promise<void> {
    const { clock, onError, options, scopes } = this.#parts;
    const key = parseKey(id);
    if (run.signal.aborted || isConflict(error) || isGone(error, key)) return;
    const timeoutMs = options.reconcileTimeoutMs;
    // What it writes is no reason to try again earlier than the failure allows.
    this.#begunAtMs.set(id, Infinity);
    try {
      const call = scopes.run(run.scope, async () => onError?.(key, error, run));
      await (timeoutMs === undefined ? call : this.#inTime(run.scope, call, timeoutMs));
    } catch (failure) {
      run.log.error({ err: failure }, `onError failed: ${messageOf(failure)}`);
    } finally {
      scopes.leave(run.scope);
      this.#note(run);
      this.#begunAtMs.set(id, clock.monotonicMs() + 1);
    }
  }

  /** What the call comes to, unless it takes far longer than it may. */
  async #inTime(
    scope: ReconcileScope,
    call: Promise<Outcome>,
    timeoutMs: number,
  ): Promise<Outcome> {
    const { clock } = this.#parts;
    const overdue = new AbortController();
    const afterMs = timeoutMs + ABORT_GRACE_MS;
    const givenUp = clock.sleep(afterMs, overdue.signal).then(() => {
      scope.expired = true;
      throw givenUpAfter(afterMs);
    });
    try {
      return await Promise.race([call, givenUp]);
    } finally {
      overdue.abort();
    }
  }

  /** The reconciler, with what it throws before it returns a promise counted as a panic. */
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
    this.#causes.add(id, `retry ${this.#queue.retries(id) + 1} after: ${messageOf(error)}`);
    this.#queue.addRateLimited(id, this.#queue.priority(id));
    // Somebody else wrote in between: the next try sees that, and nobody need look at it.
    if (isConflict(error)) log.info("the object changed meanwhile; trying again");
    else if (isGone(error, parseKey(id))) log.info(`trying again: ${error.message}`);
    else this.#failures.tell(log, parseKey(id).name, error);
  }
}
