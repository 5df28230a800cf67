/** Looks at files that somebody else changes. */
import { stat } from "node:fs/promises";
import type { Clock } from "../../clock.ts";
import { messageOf } from "../../errors.ts";

// Mounted files change by a symlink, which not every file system reports: polling always works. It
// costs a `stat` of each file.
const LOOK_EVERY_MS = 2000;
// Some file systems record times too coarsely to show a change; so the files are read now and then.
const READ_EVERY_MS = 10_000;

/** Calls `look` when one of the files may have changed, until `signal` is aborted. */
export async function followFiles(
  files: readonly string[],
  clock: Clock,
  signal: AbortSignal,
  look: () => Promise<void>,
): Promise<void> {
  let seen = "";
  let readAtMs = 0;
  for (;;) {
    try {
      await clock.sleep(LOOK_EVERY_MS, signal);
    } catch {
      return;
    }
    const nowMs = clock.monotonicMs();
    const now = await stampOf(files);
    if (now === seen && nowMs - readAtMs < READ_EVERY_MS) continue;
    seen = now;
    readAtMs = nowMs;
    await look();
  }
}

/** A text that changes when one of the files is replaced or written. */
async function stampOf(files: readonly string[]): Promise<string> {
  const stamps = files.map((file) =>
    stat(file).then(
      ({ ino, size, mtimeMs, ctimeMs }) => `${ino} ${size} ${mtimeMs} ${ctimeMs}`,
      messageOf,
    ),
  );
  return (await Promise.all(stamps)).join(";");
}
