/** The last line of a terminal, in which a command that takes long says what goes on. */
import type { Clock, Timer } from "../clock.ts";
import { oneLine } from "../logging/one-line.ts";

/** Work that is over sooner is not worth a line. */
const QUIET_MS = 1000;
const TICK_MS = 250;
const ERASE = "\r\u001b[K";
const USUAL_COLUMNS = 80;

export interface ProgressTerminal {
  write(text: string): unknown;
  readonly columns?: number;
}

/** A line that is written over, and that is not there any more when the command has ended. */
export class ProgressLine {
  readonly #terminal: ProgressTerminal;
  readonly #clock: Clock;
  #timer: Timer | undefined;
  #what: string | undefined;
  #sinceMs = 0;
  #isShown = false;

  constructor(terminal: ProgressTerminal, clock: Clock) {
    this.#terminal = terminal;
    this.#clock = clock;
  }

  /** Names the work that goes on from now on; `undefined` when there is none. */
  say(what: string | undefined): void {
    if (what === this.#what) return;
    this.#what = what;
    this.#sinceMs = this.#clock.monotonicMs();
    if (what !== undefined) {
      if (!this.#timer) this.#wait();
      return;
    }
    this.#timer?.cancel();
    this.#timer = undefined;
    this.clear();
  }

  /** Takes the line away, for another one to be printed. */
  clear(): void {
    if (this.#isShown) this.#terminal.write(ERASE);
    this.#isShown = false;
  }

  #wait(): void {
    this.#timer = this.#clock.after(TICK_MS, () => this.#tick(), { unref: true });
  }

  #tick(): void {
    const lastedMs = this.#clock.monotonicMs() - this.#sinceMs;
    if (this.#what !== undefined && lastedMs >= QUIET_MS) {
      const seconds = ` ${Math.floor(lastedMs / 1000)} s`;
      const room = (this.#terminal.columns ?? USUAL_COLUMNS) - seconds.length - 4;
      const what = oneLine(this.#what);
      const shown = what.length > room ? `${what.slice(0, Math.max(room - 3, 0))}...` : what;
      this.#terminal.write(`${ERASE}  ${shown}${seconds}`);
      this.#isShown = true;
    }
    this.#wait();
  }
}
