/**
 * Reports reconciles that do no good: those in a loop, those that ask for the next run all the time,
 * and those that do not end. Each kind is limited to a few lines a minute.
 */
import type { Clock, Timer } from "../../clock.ts";
import type { Logger } from "../../log.ts";
import type { EventDetails } from "../events/recorder.ts";
import type { ObjectKey } from "../../kube/object.ts";
import { listed } from "../listed.ts";
import { LruMap } from "../lru.ts";
import type { HotLoop } from "./hot-loops.ts";
import { parseKey } from "./outcomes.ts";
import type { OwnWrites } from "./own-writes.ts";
import type { ReconcileRun } from "./reconcile-run.ts";
import { omittedText, ReportLimit } from "../report-limit.ts";

interface ReportParts {
  readonly clock: Clock;
  /** The log of the controller. */
  readonly log: Logger;
  readonly name: string;
  readonly ownWrites: OwnWrites;
  readonly tell?: ((key: ObjectKey, details: EventDetails) => void) | undefined;
}

/** The requeues of a key that asks for the next run within a second. */
interface Requeues {
  sinceMs: number;
  /** In this window, and since the last line. */
  count: number;
  total: number;
  toldMs: number;
  waitMs: number;
}

const SOON_MS = 1000;
const HOT_REQUEUES = 100;
const REQUEUE_WINDOW_MS = 30_000;
const LONG_MS = 60_000;
const LOOK_MS = 10_000;
const LONGEST_WAIT_MS = 3_600_000;
const NAMED = 5;
const REMEMBERED = 1000;

export class ControllerReports {
  readonly #parts: ReportParts;
  readonly #loops: ReportLimit;
  readonly #hot: ReportLimit;
  readonly #requeues = new LruMap<Requeues>(REMEMBERED);
  // In the order of their starts.
  readonly #running = new Set<ReconcileRun>();
  #look: Timer | undefined;
  // The age at which a reconcile is reported next.
  readonly #tellAtMs = new WeakMap<ReconcileRun, number>();

  constructor(parts: ReportParts) {
    this.#parts = parts;
    this.#loops = new ReportLimit(parts.clock);
    this.#hot = new ReportLimit(parts.clock);
  }

  /** The running reconciles, the oldest first. */
  get running(): ReadonlySet<ReconcileRun> {
    return this.#running;
  }

  began(run: ReconcileRun): void {
    this.#running.add(run);
    this.#look ??= this.#lookSoon();
  }

  ended(run: ReconcileRun): void {
    this.#running.delete(run);
  }

  /** Nothing is looked for any more. */
  stop(): void {
    this.#look?.cancel();
    this.#look = undefined;
  }

  /** Reports a loop to the log, and at the object. */
  hotLoop(run: ReconcileRun, { delayMs, change, times, runs }: HotLoop): void {
    const { name, ownWrites, tell } = this.#parts;
    const { object, method } = change.target;
    const fight = times === undefined ? undefined : ownWrites.fightOf(change);
    const fields = fight?.fields ?? ownWrites.varying(change);
    const where = `${object}${fields.length > 0 ? ` (${fields.join(", ")})` : ""}`;
    const reason = fight
      ? `the same write of ${where} changed something ${times} times: ${fight.text}`
      : `${runs} reconciles in a row changed something, the last one ${where}; does it write a value that differs each time, such as a timestamp?`;
    const omitted = this.#loops.admit();
    const line = { delayMs, method, object, fields, ...(times !== undefined && { times }) };
    const text = `the reconciles form a loop and are slowed down: ${reason}`;
    if (omitted === undefined) run.log.debug(line, text);
    else run.log.warn(line, `${text}${omittedText(omitted)}`);
    tell?.(parseKey(run.scope.key), {
      type: "Warning",
      reason: "HotLoop",
      message: `${name} reconciles it at most every ${delayMs / 1000} s: ${reason}`,
      action: "SlowDown",
    });
  }

  /** Notes that a reconcile asked for the next one, and reports a key that does so all the time. */
  requeued(run: ReconcileRun, requeueAfterMs: number): void {
    if (requeueAfterMs >= SOON_MS) return;
    const nowMs = this.#parts.clock.monotonicMs();
    const { key } = run.scope;
    const fresh = { sinceMs: nowMs, count: 0, total: 0, toldMs: -Infinity, waitMs: LONG_MS };
    const known = this.#requeues.get(key) ?? fresh;
    if (nowMs - known.sinceMs > REQUEUE_WINDOW_MS)
      Object.assign(known, { sinceMs: nowMs, count: 0 });
    known.count++;
    known.total++;
    this.#requeues.set(key, known);
    if (known.count < HOT_REQUEUES || nowMs - known.toldMs < known.waitMs) return;
    const omitted = this.#hot.admit();
    if (omitted === undefined) return;
    const { count, total, sinceMs } = known;
    const seconds = (nowMs - sinceMs) / 1000;
    const before = total > count ? ` (${total} times since this was last logged)` : "";
    run.log.warn(
      { requeues: total, requeueAfterMs },
      `The reconciles of this object ask for the next one all the time: ${count} times within ${seconds.toFixed(1)} s${before}, the last one after ${requeueAfterMs} ms. Return a larger requeueAfterMs, or watch the object that you wait for.${omittedText(omitted)}`,
    );
    const isFirst = known.toldMs === -Infinity;
    known.waitMs = isFirst ? LONG_MS : Math.min(2 * known.waitMs, LONGEST_WAIT_MS);
    Object.assign(known, { toldMs: nowMs, sinceMs: nowMs, count: 0, total: 0 });
  }

  #lookSoon(): Timer {
    const look = (): void => {
      this.#look = undefined;
      this.#lookForLong();
    };
    return this.#parts.clock.after(LOOK_MS, look, { unref: true });
  }

  /** Reports reconciles that run for a minute, then for two, four and so on, on one line together. */
  #lookForLong(): void {
    if (this.#running.size === 0) return;
    this.#look = this.#lookSoon();
    const nowMs = this.#parts.clock.monotonicMs();
    const due: ReconcileRun[] = [];
    for (const run of this.#running) {
      const ageMs = nowMs - run.startMs;
      if (ageMs < (this.#tellAtMs.get(run) ?? LONG_MS)) continue;
      this.#tellAtMs.set(run, Math.min(2 * ageMs, ageMs + LONGEST_WAIT_MS));
      due.push(run);
    }
    if (due.length > 0) this.#tellLong(due);
  }

  #tellLong(runs: readonly ReconcileRun[]): void {
    const { clock, log } = this.#parts;
    const nowMs = clock.monotonicMs();
    const running = runs.slice(0, NAMED).map((run) => runningFields(run, nowMs));
    const names = runs.map((run) => runningText(run, nowMs));
    const [only] = running;
    const about = runs.length === 1 ? only : { running, count: runs.length };
    log.warn(
      { ...about },
      `${runs.length === 1 ? "A reconcile does" : `${runs.length} reconciles do`} not end: ${listed(names, NAMED)}. Pass context.signal to the calls that wait, and set reconcileTimeoutMs.`,
    );
  }
}

function runningFields(run: ReconcileRun, nowMs: number): Record<string, unknown> {
  const seconds = Math.round((nowMs - run.startMs) / 1000);
  return { ...parseKey(run.scope.key), reconcileID: run.scope.id, seconds };
}

/** A running reconcile for people: `d/web (for 70 s)`. */
function runningText(run: ReconcileRun, nowMs: number): string {
  return `${run.scope.key} (for ${Math.round((nowMs - run.startMs) / 1000)} s)`;
}
