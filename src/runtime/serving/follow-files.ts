/** The files of servers, which are followed as long as a server runs. */
import type { Clock } from "../../clock.ts";

/** How often they are examined, and read although they look unchanged. */
export const LOOKS = { lookEveryMs: 2000, readEveryMs: 10_000 };

/** Calls `look` at each time for a look until `signal` is aborted. */
export async function followFiles(
  clock: Clock,
  signal: AbortSignal,
  look: () => Promise<void>,
): Promise<void> {
  for (;;) {
    try {
      await clock.sleep(LOOKS.lookEveryMs, signal);
    } catch {
      return;
    }
    await look();
  }
}
