/** Whether files are as they were. */
import { statSync } from "node:fs";

/** A stamp of the files: it is another one after one of them was written, replaced, made or removed. */
export function stampOf(files: readonly string[]): string {
  return files
    .map((file) => {
      const found = statSync(file, { throwIfNoEntry: false });
      return `${found?.ino ?? 0} ${found?.size ?? 0} ${found?.mtimeMs ?? 0}`;
    })
    .join("\n");
}
