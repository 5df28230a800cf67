/** The outcome of a reconcile: the requeue that it asks for, and the meaning of its failure. */
import { TsopError } from "../../errors.ts";
import type { ObjectKey } from "../../kube/object.ts";
import { isNotFound, type StatusError } from "../../kube/status.ts";
import type { Outcome } from "./reconciler.ts";

/**
 * The time after which a reconcile asks to run again, in milliseconds; `undefined` when it does
 * not.
 *
 * @throws TsopError `bad-requeue` for an invalid time or priority
 */
export function requeueOf(result: Outcome): number | undefined {
  const { requeueAfterMs, priority = 0 } = result ?? {};
  for (const [name, value] of Object.entries({ requeueAfterMs, priority })) {
    if (value === undefined || Number.isFinite(value)) continue;
    throw new TsopError(
      "bad-requeue",
      `The reconcile returned ${name}: ${String(value)}.`,
      "Return a number, or leave it out; a time in the past means now.",
    );
  }
  return requeueAfterMs;
}

/**
 * The label of a reconcile that did not fail, for metrics and traces. @throws TsopError
 * `bad-requeue`
 */
export function outcomeOf(result: Outcome): "success" | "requeue_after" {
  return requeueOf(result) === undefined ? "success" : "requeue_after";
}

export function givenUpAfter(afterMs: number): TsopError {
  return new TsopError(
    "reconcile-expired",
    `it did not end within ${afterMs} ms, although its signal was aborted`,
    "End the work when `context.signal` is aborted, or raise reconcileTimeoutMs.",
  );
}

/**
 * The retries after which an object that the server does not find is not a deleted one any more: the cache would have
 * heard of it. A missing subresource is answered as a missing object is.
 */
const GONE_RETRIES = 5;

/** Whether the error says that the reconciled object was deleted in between. */
export function isGone(error: unknown, { name }: ObjectKey, retries: number): error is StatusError {
  return retries < GONE_RETRIES && isNotFound(error) && error.status.details?.name === name;
}

/** The error of a reconcile as it is logged: one that keeps saying that its object is missing has another reason. */
export function explained(error: unknown, { name }: ObjectKey): unknown {
  if (!isNotFound(error) || error.status.details?.name !== name) return error;
  return new TsopError(
    "subresource-missing",
    `${error.message}, although the object exists.`,
    "Check that the kind has the subresource that the reconcile writes, such as its status.",
    { cause: error },
  );
}

/** The key of `namespace/name`, or `name`. */
export function parseKey(id: string): ObjectKey {
  const slash = id.indexOf("/");
  return slash < 0 ? { name: id } : { namespace: id.slice(0, slash), name: id.slice(slash + 1) };
}
