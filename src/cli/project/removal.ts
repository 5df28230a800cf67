/** Removes scaffolded files: those that the user changed only with the user's consent. */
import type { ConflictDialog } from "./conflict-dialog.ts";
import type { Draft } from "./draft.ts";
import { digestOf } from "./scaffold/scaffolded.ts";

/** A file that goes, and the digests of the texts that tsop wrote there; none where that is not known. */
export interface GoingFile {
  readonly path: string;
  readonly digests: readonly string[];
}

/** The consent of the user. */
export interface Consent {
  /** To all changes. */
  readonly force: boolean;
  /** Asks for each file; absent without a terminal. */
  readonly dialog?: ConflictDialog | undefined;
}

/** A file of the frame that goes, which is any of these texts. */
export const goingText = (path: string, texts: readonly (string | undefined)[]): GoingFile => ({
  path,
  digests: texts.flatMap((text) => (text === undefined ? [] : [digestOf(path, text)])),
});

/**
 * Removes the files.
 *
 * @returns those that the user changed and did not consent to
 */
export async function removeFiles(
  draft: Draft,
  going: readonly GoingFile[],
  { force, dialog }: Consent,
): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const { path, digests } of going) {
    const text = await draft.read(path);
    if (text === undefined) continue;
    if (!force && !digests.includes(digestOf(path, text))) {
      const answer = await dialog?.ask({ path, before: text, after: undefined });
      if (answer === undefined) changed.push(path);
      if (answer === "skip") continue;
    }
    draft.set(path, undefined);
  }
  return changed;
}
