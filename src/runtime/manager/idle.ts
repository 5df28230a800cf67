/** Waits until a manager has nothing left to do, except for work that is due at a later time. */
import { settlePromises, systemClock, timeoutSignal } from "../../clock.ts";
import { messageOf, TsopError } from "../../errors.ts";
import type { SharedInformer } from "../cache/shared-informer.ts";
import type { WaitingKey } from "../controller/activity.ts";

/** How long `manager.idle()` waits. */
export interface IdleOptions {
  /** 4 s of real time when absent: less than the 5 s after which vitest ends a test. Virtual time does not pass. */
  readonly timeoutMs?: number;
}

/** The state of an idle manager. */
export interface IdleState {
  /** Keys that are due later, by a `requeueAfterMs` or a retry; the earliest first. */
  readonly waiting: readonly WaitingKey[];
}

export interface IdleParts {
  /** The work under way, in words. */
  busy(): readonly string[];
  waiting(): readonly WaitingKey[];
  informers(): readonly SharedInformer[];
  /** Whether the transport knows that no request is open; `undefined`: it cannot know. */
  isQuiet(): boolean | undefined;
  /** @throws when the manager does not run */
  checkRunning(): void;
}

// Real I/O takes longer than a few turns of the event loop.
const EAGER_TURNS = 20;
const PAUSE_MS = 2;

/**
 * Resolves when nothing is under way.
 *
 * @throws TsopError `not-idle`, `manager-not-running`
 */
export async function untilIdle(
  parts: IdleParts,
  { timeoutMs = 4000 }: IdleOptions,
): Promise<IdleState> {
  const timeout = timeoutSignal(systemClock, timeoutMs);
  try {
    await untilCalm(parts, timeout.signal, timeoutMs, () => []);
    if (parts.isQuiet() === undefined) {
      const behind = await compare(parts, timeout.signal);
      await untilCalm(parts, timeout.signal, timeoutMs, behind);
    }
  } finally {
    timeout.clear();
  }
  const waiting = [...parts.waiting()].sort((one, other) => one.atMs - other.atMs);
  return { waiting };
}

async function untilCalm(
  parts: IdleParts,
  timeout: AbortSignal,
  timeoutMs: number,
  more: () => readonly string[],
): Promise<void> {
  for (let turn = 0; ; turn++) {
    await settlePromises();
    parts.checkRunning();
    const unsettled = parts.informers().flatMap((informer) => informer.unsettled ?? []);
    const busy = [...parts.busy(), ...unsettled, ...more()];
    if (busy.length === 0 && parts.isQuiet() !== false) return;
    if (timeout.aborted) throw notIdle(busy, timeoutMs);
    if (turn >= EAGER_TURNS) await systemClock.sleep(PAUSE_MS);
  }
}

/** Lists every kind once; the returned function names the informers that are behind these lists. */
async function compare(parts: IdleParts, signal: AbortSignal): Promise<() => readonly string[]> {
  const checks = await Promise.all(
    parts.informers().map(async (informer) => {
      try {
        return { informer, isBehind: await informer.compareWithServer(signal) };
      } catch (error) {
        const why = messageOf(error);
        return { informer, isBehind: () => true, why };
      }
    }),
  );
  return () =>
    checks
      .filter(({ isBehind }) => isBehind())
      .map(({ informer, why }) => {
        const { plural } = informer.resource;
        return why === undefined
          ? `the watch of ${plural} has not caught up yet`
          : `${plural} cannot be listed to compare: ${why}`;
      });
}

function notIdle(busy: readonly string[], timeoutMs: number): TsopError {
  const what = busy.length === 0 ? "requests are waiting for their answers" : busy.join("; ");
  return new TsopError(
    "not-idle",
    `The manager was not idle within ${timeoutMs} ms: ${what}.`,
    "Stop the work that never completes; if it waits for virtual time, call clock.advance() first.",
  );
}

export function notRunning(state: string, cause?: unknown): TsopError {
  const why = cause === undefined ? "" : `: ${messageOf(cause)}`;
  return new TsopError(
    "manager-not-running",
    `manager.idle() was called, but the manager ${state}${why}.`,
    "Call manager.start(signal) first, without awaiting it, and idle() before the signal is aborted.",
    { cause },
  );
}
