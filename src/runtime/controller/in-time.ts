/** The timeout of reconciles. */
import type { Clock } from "../../clock.ts";
import { givenUpAfter } from "./outcomes.ts";
import type { ReconcileScope } from "./reconcile-scopes.ts";

// The time in which a reconcile must end after its signal was aborted.
const ABORT_GRACE_MS = 5000;

/** The result of the call, unless it exceeds its time by far. */
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
