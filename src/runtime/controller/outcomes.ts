/**
 * How a reconcile ended: what it asks for, and what its failure means.
 *
 * @module
 */
import { TsopError } from "../../errors.ts";
import type { ObjectKey } from "../../kube/object.ts";
import { isNotFound, type StatusError } from "../../kube/status.ts";
import type { Outcome } from "./reconciler.ts";

/**
 * After how long a reconcile asks to run again; `undefined`: it does not.
 *
 * @throws TsopError `bad-requeue` for what is no time, or no priority
 */
export function requeueOf(result: Outcome): number | undefined {
  const { requeueAfterMs, priority = 0 } = result ?? {};
  for (const [name, value] of Object.entries({ requeueAfterMs, priority })) {
    if (value === undefined || Number.isFinite(value)) continue;
    throw new TsopError(
      "bad-requeue",
      `The reconcile returned ${name}: ${String(value)}.`,
      "Return a number, or leave it out; a time that is over means now.",
    );
  }
  return requeueAfterMs;
}

/** What metrics and traces call a reconcile that did not fail. @throws TsopError `bad-requeue` */
export function outcomeOf(result: Outcome): "success" | "requeue_after" {
  return requeueOf(result) === undefined ? "success" : "requeue_after";
}

/** What a reconcile fails with that does not end although its time is over. */
export function givenUpAfter(afterMs: number): TsopError {
  return new TsopError(
    "reconcile-expired",
    `it did not end within ${afterMs} ms, although its signal was aborted`,
    "End the work when `context.signal` is aborted, or raise reconcileTimeoutMs.",
  );
}

/** Whether an object of the reconciled one's name is not there any more: a delete came in between. */
export function isGone(error: unknown, { name }: ObjectKey): error is StatusError {
  return isNotFound(error) && error.status.details?.name === name;
}

/** The key that is written as `namespace/name`, or `name`. */
export function parseKey(id: string): ObjectKey {
  const slash = id.indexOf("/");
  return slash < 0 ? { name: id } : { namespace: id.slice(0, slash), name: id.slice(slash + 1) };
}
