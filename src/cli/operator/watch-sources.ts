/** Watches the sources and calls a function on every save. */
import type { FSWatcher } from "chokidar";
import { once } from "node:events";
import { join } from "node:path";
import { type Clock, type Timer, untilAborted } from "../../clock.ts";

/** The time within which changes are one save: editors write a file in several steps. */
const QUIET_MS = 40;

/** Sees every change below a project's `src/`. */
export class SourceWatch {
  readonly #watcher: FSWatcher;
  #quiet: Timer | undefined;
  /** A save that is not reported yet. */
  #isSaved = false;
  #tell: () => void = () => undefined;

  private constructor(watcher: FSWatcher, clock: Clock) {
    this.#watcher = watcher;
    const noteChange = (): void => {
      this.#quiet?.cancel();
      this.#quiet = clock.after(QUIET_MS, () => {
        this.#isSaved = true;
        this.#tell();
      });
    };
    watcher.on("all", noteChange);
    // `all` leaves out a file's changes in the 50 ms after one: a formatter writes in that time.
    watcher.on("raw", noteChange);
  }

  /** Starts to watch; no change is missed once it resolves. */
  static async open(root: string, clock: Clock): Promise<SourceWatch> {
    const { watch } = await import("chokidar");
    const watcher = watch(join(root, "src"), { ignoreInitial: true });
    const opened = new SourceWatch(watcher, clock);
    await once(watcher, "ready");
    return opened;
  }

  /**
   * Calls `onSave` after every change, those before this call too, one call at a time, until the signal aborts. Changes during
   * a call lead to one more. `onSave` must not reject.
   */
  async run(signal: AbortSignal, onSave: () => Promise<void>): Promise<void> {
    let last = Promise.resolve();
    this.#tell = () => {
      last = last.then(() => {
        if (!this.#isSaved) return;
        this.#isSaved = false;
        return onSave();
      });
    };
    this.#tell();
    await untilAborted(signal);
    this.#quiet?.cancel();
    await this.#watcher.close();
    await last;
  }
}
