/** Time for commands that wait for a cluster: it passes while somebody sleeps, and not while a request is answered. */
import { systemClock, VirtualClock } from "../../../src/clock.ts";

/**
 * A clock that a command shares with its control plane. A sleep ends at once, and whatever is due
 * in it is done by then, however slow the machine is. Everything else takes no time: a limit is over
 * when the command has slept as long, or when the test advances the clock.
 */
export class WaitingClock extends VirtualClock {
  constructor() {
    // TLS compares certificates with the machine's own time.
    super({ startMs: systemClock.now() });
  }

  override async sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
    await Promise.all([super.sleep(delayMs, signal), this.advance(delayMs)]);
  }
}
