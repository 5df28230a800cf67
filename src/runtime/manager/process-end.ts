/**
 * The end of an operator's process: whatever ends it is one line of the log, with the reconcile that
 * caused it, and the managers get a moment to release their Leases. Only for the program of an
 * operator, which calls `readFlags` or `setupSignalHandler`; a process that has handlers of its own
 * keeps them.
 */
import { settlePromises } from "../../clock.ts";
import { errorFrom, messageOf, TsopError } from "../../errors.ts";
import { openLog } from "../../logging/process-log.ts";
import type { SafeLogger } from "../../logging/safe-logger.ts";
import { present } from "../../present.ts";
import { parseKey } from "../controller/outcomes.ts";
import { callingReconcile } from "../controller/reconcile-scopes.ts";

/** A manager that runs in this process. */
export interface RunningManager {
  readonly log: SafeLogger;
  /** The running reconciles: `web of d/one`. */
  running(): string[];
  /** Stops it as soon as it can: no reconcile may write any more. Resolves when that is done. */
  crash(error: Error): Promise<void>;
}

const managers = new Set<RunningManager>();
// Errors that `manager.start` rejected with: the program ends by them, and nothing has crashed.
const failures = new WeakSet<Error>();
const NAMED = 5;

/** Notes that a manager runs; returns the function that notes its end. */
export function managerRuns(manager: RunningManager): (failure?: unknown) => void {
  managers.add(manager);
  return (failure) => {
    managers.delete(manager);
    if (failure instanceof Error) failures.add(failure);
  };
}

/** The logs of the running managers. */
export function runningLogs(): SafeLogger[] {
  return [...managers].map(({ log }) => log);
}

let isInstalled = false;

/** Handles errors that nobody catches in this process, unless something else does already. */
export function handleProcessEnd(): void {
  const isTaken = ["uncaughtException", "unhandledRejection"].some(
    (event) => process.listenerCount(event) > 0,
  );
  if (isInstalled || isTaken || process.hasUncaughtExceptionCaptureCallback()) return;
  isInstalled = true;
  process.on("uncaughtException", (error, origin) => {
    // The program's own `await manager.start(...)` is a rejection, too.
    const isRejection = origin === "unhandledRejection";
    end(isRejection ? "start-failed" : "uncaught-exception", error);
  });
  process.on("unhandledRejection", (reason) => {
    end("unhandled-rejection", reason);
  });
}

let isEnding = false;

function end(kind: string, thrown: unknown): void {
  if (isEnding) return;
  isEnding = true;
  const ending = [...managers];
  const log = ending[0]?.log ?? logOfProcess();
  log.fatal(...lastLine(kind, thrown, ending));
  void Promise.allSettled(ending.map((manager) => manager.crash(errorFrom(thrown))))
    .then(settlePromises)
    .then(() => {
      // Errors are no longer followed by the end of the process, which is not to be trusted.
      // oxlint-disable-next-line no-restricted-properties -- the last step of the program
      process.exit(1);
    });
}

/** The log of a process whose manager does not exist, or has ended. */
function logOfProcess(): SafeLogger {
  try {
    return openLog();
  } catch {
    // The environment asks for a level that does not exist: the error at hand is about that.
    return openLog({}, {});
  }
}

function lastLine(
  kind: string,
  thrown: unknown,
  ending: readonly RunningManager[],
): [object, string] {
  const isFailure = thrown instanceof Error && failures.has(thrown);
  const isKnown = thrown instanceof TsopError;
  const scope = callingReconcile();
  const running = ending.flatMap((manager) => manager.running());
  const where = scope
    ? { controller: scope.controller, ...parseKey(scope.key), reconcileID: scope.id }
    : present({ running: running.length > 0 && !isFailure ? running.slice(0, NAMED) : undefined });
  const reason = isFailure || kind === "start-failed" ? (isKnown ? thrown.code : kind) : kind;
  const what = WORDS.get(isFailure ? "failed" : kind) ?? "";
  const by = scope ? ` in the reconcile of ${scope.key} (controller ${scope.controller})` : "";
  const fix = isKnown ? ` ${thrown.fix}` : "";
  return [{ reason, ...where, err: thrown }, `${what}${by}: ${messageOf(thrown)}${fix}`];
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ["failed", "The operator ends"],
  ["start-failed", "The operator cannot start"],
  ["uncaught-exception", "Nothing catches an error"],
  ["unhandled-rejection", "Nothing awaits a promise that failed"],
]);
