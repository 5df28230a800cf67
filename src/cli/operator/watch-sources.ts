/**
 * Something happens on every save.
 *
 * @module
 */
import { join } from "node:path";
import type { Clock, Timer } from "../../clock.ts";

/** Editors write a file in several steps; what comes within this time is one save. */
const QUIET_MS = 60;

/**
 * Calls `onSave` after every change below `src/`, one call at a time, until the signal aborts.
 * `onSave` must not reject.
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
  watcher.on("all", () => {
    quiet?.cancel();
    quiet = clock.after(QUIET_MS, () => {
      last = last.then(onSave);
    });
  });
  await untilAborted(signal);
  quiet?.cancel();
  await watcher.close();
  await last;
}

/** Resolves when the signal aborts. */
export function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
