/** Watches the sources and calls a function on every save. */
import type { FSWatcher } from "chokidar";
import { once } from "node:events";
import { join } from "node:path";
import { type Clock, type Timer, untilAborted } from "../../clock.ts";
import { stampOf } from "./file-stamp.ts";

/** The time within which changes are one save: editors write a file in several steps. */
const QUIET_MS = 40;
/** The time after a reported save in which chokidar may still swallow changes: those of a file in the 50 ms after one. */
const BLIND_MS = 20;

/** Sees every change below a project's `src/`. */
export class SourceWatch {
  readonly #watcher: FSWatcher;
  readonly #clock: Clock;
  /** The files of the save that goes on. */
  readonly #changed = new Set<string>();
  #quiet: Timer | undefined;
  #lookAgain: Timer | undefined;
  /** A save that is not reported yet. */
  #isSaved = false;
  #tell: () => void = () => undefined;

  private constructor(watcher: FSWatcher, clock: Clock) {
    this.#watcher = watcher;
    this.#clock = clock;
    watcher.on("all", (_event, path) => {
      this.#note([path]);
    });
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
    this.#lookAgain?.cancel();
    await this.#watcher.close();
    await last;
  }

  #note(paths: readonly string[]): void {
    for (const path of paths) this.#changed.add(path);
    this.#quiet?.cancel();
    this.#quiet = this.#clock.after(QUIET_MS, () => {
      this.#report();
    });
  }

  #report(): void {
    const paths = [...this.#changed];
    this.#changed.clear();
    const stamp = stampOf(paths);
    this.#lookAgain = this.#clock.after(BLIND_MS, () => {
      if (stampOf(paths) !== stamp) this.#note(paths);
    });
    this.#isSaved = true;
    this.#tell();
  }
}
