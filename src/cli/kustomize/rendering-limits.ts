/** The limits of one rendering: a few lines of a cloned repository must not take all time or memory. */
import { TsopError } from "../../errors.ts";

/** A project has about ten folders of kustomizations. */
const MAX_FOLDERS = 1000;
/** Copies of copies grow fast. */
const MAX_COPIED_BYTES = 16 * 1024 * 1024;

/** The folders and copies of one rendering so far. */
export class RenderingLimits {
  #folders = 0;
  #copied = 0;

  /** @throws TsopError `kustomize-limit` */
  addFolder(folder: string): void {
    this.#folders += 1;
    if (this.#folders <= MAX_FOLDERS) return;
    throw new TsopError(
      "kustomize-limit",
      `${folder} cannot be rendered: the kustomizations list more than ${MAX_FOLDERS} folders; a folder listed twice counts twice.`,
      "List each folder once.",
    );
  }

  /** @param at - the place of the replacement @throws TsopError `kustomize-limit` */
  addCopied(bytes: number, at: string): void {
    this.#copied += bytes;
    if (this.#copied <= MAX_COPIED_BYTES) return;
    throw new TsopError(
      "kustomize-limit",
      `${at}: the replacement cannot be carried out: all replacements together copy more than ${MAX_COPIED_BYTES} bytes.`,
      "Copy smaller fields.",
    );
  }
}
