/** The files that a kustomization is made of: those on the disk, or as a plan would leave them. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { messageOf, TsopError } from "../../errors.ts";
import { readIfThere, type Plan } from "../project/plan.ts";
import { readRegularFile } from "../../regular-file.ts";

/** Reads files by their absolute path. */
export class SourceFiles {
  readonly #planned: ReadonlyMap<string, string | undefined>;

  /** @param plan - what is not written yet, and counts as if it were */
  constructor(plan?: Plan) {
    this.#planned = new Map(
      plan?.changes.map(({ path, after }) => [join(plan.root, path), after] as const),
    );
  }

  async find(path: string): Promise<string | undefined> {
    return this.#planned.has(path) ? this.#planned.get(path) : readIfThere(path);
  }

  /** The content of a file that a kustomization names. @throws TsopError `kustomize-file` */
  async read(path: string): Promise<string> {
    const { text, cause } = await this.find(path).then(
      (found) => ({ text: found, cause: new Error("there is no such file") }),
      (error: unknown) => ({ text: undefined, cause: error }),
    );
    if (text === undefined) throw unreadable(path, cause);
    return text;
  }

  /** The bytes of a file that a generator names. @throws TsopError `kustomize-file` */
  async readBytes(path: string): Promise<Uint8Array> {
    if (this.#planned.has(path)) return Buffer.from(await this.read(path));
    return readRegularFile(path).catch((error: unknown) => {
      throw unreadable(path, error);
    });
  }

  async isThere(path: string): Promise<boolean> {
    if (this.#planned.has(path)) return this.#planned.get(path) !== undefined;
    return (await this.isFolder(path)) || stat(path).then(Boolean, () => false);
  }

  /** Whether it is a folder; one that the plan would make is. */
  async isFolder(path: string): Promise<boolean> {
    for (const [planned, text] of this.#planned) {
      if (text !== undefined && planned.startsWith(join(path, "/"))) return true;
    }
    return stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    );
  }
}

function unreadable(path: string, cause: unknown): TsopError {
  return new TsopError(
    "kustomize-file",
    `A kustomization names ${path}, which cannot be read: ${messageOf(cause)}.`,
    "Run `tsop manifests` when it is a generated file, else restore it or remove the line.",
    { cause },
  );
}
