/**
 * The files of a project while a command plans what becomes of them: what it changed already is read as it will be.
 */
import { join } from "node:path";
import { readIfThere, requireFile } from "./plan.ts";

/** Changes of files that are not written yet. */
export class Draft {
  readonly root: string;
  readonly #files = new Map<string, string | undefined>();

  constructor(root: string) {
    this.root = root;
  }

  /** The changed files, by path in the project; `undefined` for a file that is deleted. */
  get files(): ReadonlyMap<string, string | undefined> {
    return this.#files;
  }

  /** The text of a file as it will be; `undefined` where there is none. */
  async read(path: string): Promise<string | undefined> {
    return this.#files.has(path) ? this.#files.get(path) : readIfThere(join(this.root, path));
  }

  /** The text of a file that a command adds something to. @throws UsageError `file-missing` */
  async require(path: string): Promise<string> {
    return (await this.read(path)) ?? requireFile(this.root, path);
  }

  /** Sets the text of the file; `undefined` removes it. */
  set(path: string, text: string | undefined): void {
    this.#files.set(path, text);
  }

  /** Changes the text of a file that is there. */
  async edit(path: string, change: (text: string) => string | undefined): Promise<void> {
    const text = await this.read(path);
    if (text === undefined) return;
    const after = change(text);
    if (after !== text) this.set(path, after);
  }

  /** Whether a file goes that is there now. */
  isGone(path: string): boolean {
    return this.#files.has(path) && this.#files.get(path) === undefined;
  }
}
