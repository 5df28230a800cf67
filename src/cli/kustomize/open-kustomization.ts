/** A kustomization that is rendered again and again, as on every save: only when one of its files has changed. */
import type { ManifestObject } from "../../kube/object.ts";
import { renderKustomization } from "./render.ts";
import { SourceFiles } from "./source-files.ts";

/** One kustomization, with the result of its last rendering. */
export class OpenKustomization {
  readonly #folder: string;
  #last: { readonly files: NotedFiles; readonly objects: readonly ManifestObject[] } | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** The objects in the order in which they are applied; the very same ones when no file has changed. */
  async render(): Promise<readonly ManifestObject[]> {
    if (this.#last && (await this.#last.files.areSame())) return this.#last.objects;
    const files = new NotedFiles();
    const objects = await renderKustomization(this.#folder, { files });
    this.#last = { files, objects };
    return objects;
  }
}

/**
 * Files with a note of each answer, also about those that are not there. A second question about a
 * path is answered from the notes.
 */
class NotedFiles extends SourceFiles {
  readonly #texts = new Notes((path) => super.find(path));
  readonly #folders = new Notes((path) => super.isFolder(path));
  readonly #bytes = new Notes(async (path) =>
    Buffer.from(await super.readBytes(path)).toString("base64"),
  );

  override find(path: string): Promise<string | undefined> {
    return this.#texts.answer(path);
  }

  override isFolder(path: string): Promise<boolean> {
    return this.#folders.answer(path);
  }

  override async readBytes(path: string): Promise<Uint8Array> {
    return Buffer.from(await this.#bytes.answer(path), "base64");
  }

  /** Whether all that was asked would be answered so again. */
  async areSame(): Promise<boolean> {
    const kinds = [this.#texts, this.#folders, this.#bytes];
    return (await Promise.all(kinds.map((notes) => notes.areSame()))).every(Boolean);
  }
}

/** The answer that was given about each path. */
class Notes<T> {
  readonly #ask: (path: string) => Promise<T>;
  readonly #notes = new Map<string, { readonly answer: T }>();

  constructor(ask: (path: string) => Promise<T>) {
    this.#ask = ask;
  }

  async answer(path: string): Promise<T> {
    const noted = this.#notes.get(path) ?? { answer: await this.#ask(path) };
    this.#notes.set(path, noted);
    return noted.answer;
  }

  async areSame(): Promise<boolean> {
    const same = [...this.#notes].map(([path, { answer }]) =>
      this.#ask(path).then(
        (now) => now === answer,
        // A path that can no longer be read is reported by the next rendering.
        () => false,
      ),
    );
    return (await Promise.all(same)).every(Boolean);
  }
}
