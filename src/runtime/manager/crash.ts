/** The end of a manager by an error that nothing catches. */
import { TsopError } from "../../errors.ts";
import type { SafeLogger } from "../../logging/safe-logger.ts";
import { namesOf, type ReconcileScopes } from "../controller/reconcile-scopes.ts";
import { deferred } from "../deferred.ts";
import type { RunningManager } from "./process-end.ts";

/** The time for the parts to stop: their state is not to be trusted any more. */
const GRACE_MS = 2000;

export class Crash implements RunningManager {
  readonly log: SafeLogger;
  readonly #scopes: ReconcileScopes;
  readonly #fail: (error: Error) => void;
  readonly #stopped = deferred();
  #isCrashing = false;

  constructor(log: SafeLogger, scopes: ReconcileScopes, fail: (error: Error) => void) {
    this.log = log;
    this.#scopes = scopes;
    this.#fail = fail;
  }

  running(): string[] {
    return namesOf(this.#scopes.running);
  }

  crash(error: Error): Promise<void> {
    this.#isCrashing = true;
    this.#scopes.end();
    this.#fail(error);
    return this.#stopped.promise;
  }

  /** The time for the parts to stop, in milliseconds; `undefined` when there is none. */
  graceMs(failure: unknown, configuredMs = 30_000): number | undefined {
    // After a lost leadership another process may lead at any moment.
    if (failure instanceof TsopError && failure.code === "leadership-lost") return undefined;
    return this.#isCrashing ? Math.min(GRACE_MS, configuredMs) : configuredMs;
  }

  /** Notes that the manager has stopped. */
  stopped(): void {
    this.#stopped.resolve();
  }
}
