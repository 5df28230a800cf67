/**
 * Something happens on every save.
 *
 * @module
 */
import { join } from "node:path";
import { type Clock, type Timer, untilAborted } from "../../clock.ts";

/** Editors write a file in several steps; what comes within this time is one save. */
const QUIET_MS = 40;

/**
 * Calls `onSave` after every change below `src/`, one call at a time, until the signal aborts. Changes during a call lead to
 * one more. `onSave` must not reject.
 */
export async function watchSources(
  root: string,
  clock: Clock,
  signal: AbortSignal,
  onSave: () => Promise<void>,
): Promise<void> {
  const { watch } = await import("chokidar");
  const watcher = watch(join(root, "src"), { ignoreInitial: true });
  let quiet: Timer | undefined;
  let last = Promise.resolve();
  let isNext = false;
  watcher.on("all", () => {
    quiet?.cancel();
    quiet = clock.after(QUIET_MS, () => {
      if (isNext) return;
      isNext = true;
      last = last.then(() => {
        isNext = false;
        return onSave();
      });
    });
  });
  await untilAborted(signal);
  quiet?.cancel();
  await watcher.close();
  await last;
}
