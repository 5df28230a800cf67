/**
 * The end of a reconcile that takes longer than it may.
 *
 * @module
 */
import type { Clock } from "../../clock.ts";
import { givenUpAfter } from "./outcomes.ts";
import type { ReconcileScope } from "./reconcile-scopes.ts";

// How long a reconcile has to end after its signal was aborted.
const ABORT_GRACE_MS = 5000;

/** What the call comes to, unless it takes far longer than it may. */
export async function inTime<T>(
  clock: Clock,
  scope: ReconcileScope,
  call: Promise<T>,
  timeoutMs: number,
): Promise<T> {
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
