/**
 * The log of failed reconciles: one line a failure, unless the failure is the server's.
 *
 * While an API server is unreachable, or a namespace is being deleted, the reconciles of all keys
 * fail with the same message, except for their names. It is logged once in ten seconds with the
 * number of such failures since; each of them is logged at debug level.
 */
import type { Clock } from "../../clock.ts";
import { asSentence, messageOf } from "../../errors.ts";
import { StatusError } from "../../kube/status.ts";
import type { Logger } from "../../log.ts";
import { refusalAdvice } from "../rest/rights-advice.ts";
import { LruMap } from "../lru.ts";
import { ConnectionError } from "../transport/transport.ts";

const REPEATED_MS = 10_000;
const REMEMBERED = 100;

interface Told {
  readonly atMs: number;
  /** How many other keys failed with the same message since. */
  others: number;
}

export class FailureLog {
  readonly #clock: Clock;
  readonly #told = new LruMap<Told>(REMEMBERED);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Logs the failed reconcile of an object of that name; `log` names its key. */
  tell(log: Logger, name: string, error: unknown): void {
    const message = messageOf(error);
    const cause = message.replaceAll(name, "...");
    const advice = refusalAdvice(error);
    const what = `the reconcile failed: ${message}`;
    const text = advice === undefined ? what : `${asSentence(what)} ${advice}`;
    if (!isOfServer(error)) {
      log.error({ err: error }, text);
      return;
    }
    const atMs = this.#clock.monotonicMs();
    const told = this.#told.get(cause);
    if (told && atMs - told.atMs < REPEATED_MS) {
      told.others++;
      log.debug(text);
      return;
    }
    this.#told.set(cause, { atMs, others: 0 });
    const others = told?.others ?? 0;
    log.error(
      { err: error, ...(others > 0 && { others }) },
      others > 0
        ? `${text} (${others} more reconciles failed with this error since it was last logged)`
        : text,
    );
  }
}

/**
 * Whether any other key would have met the same failure: no connection, no credentials, a missing
 * right, an overloaded or broken server, a namespace that is being deleted.
 */
function isOfServer(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  if (!(error instanceof StatusError)) return false;
  const { code, status } = error;
  if (code === 401 || code === 429 || code >= 500) return true;
  const isEnding = status.details?.causes?.some(({ reason }) => reason === "NamespaceTerminating");
  return isEnding === true || refusalAdvice(error) !== undefined;
}
