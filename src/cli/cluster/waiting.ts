/** Waits for a cluster, with lines that say for what. */
import { TsopError } from "../../errors.ts";
import type { CliContext } from "../context.ts";
import { paint } from "../output.ts";

const POLL_MS = 100;
/** Waits that last longer are reported; most are over before. */
const QUIET_MS = 1500;

/**
 * Asks again and again, and prints what is missing when that takes long.
 *
 * @param missing - `undefined` is success, a text is what is still missing
 * @param fixAfter - the next step after the time is over, where more can be said than that of any wait
 * @throws TsopError `timeout`; what `missing` throws
 */
export async function waitUntil(
  context: CliContext,
  timeoutSeconds: number,
  missing: () => Promise<string | undefined>,
  fixAfter: () => Promise<string | undefined> = () => Promise.resolve(undefined),
): Promise<void> {
  const began = context.clock.monotonicMs();
  let told = "";
  for (;;) {
    const what = await missing();
    if (what === undefined) return;
    context.doing(what);
    const waitedMs = context.clock.monotonicMs() - began;
    if (waitedMs > timeoutSeconds * 1000) {
      throw new TsopError(
        "timeout",
        `After ${timeoutSeconds} s ${what}.`,
        (await fixAfter()) ??
          "Look at the events and logs there; give it longer with --timeout SECONDS.",
      );
    }
    if (waitedMs > QUIET_MS && what !== told) {
      context.out(paint(context).dim(`  waiting    ${what}`));
      told = what;
    }
    await context.clock.sleep(POLL_MS);
  }
}
