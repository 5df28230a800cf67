/** The folders that a rendering goes through: which one may come next, and which files each may read. */
import { TsopError } from "../../errors.ts";
import { isBelow, realTarget } from "../project/plan.ts";
import { resolveIn } from "./kustomization-file.ts";

/** The folder of a kustomization, with those that led to it. */
export class KustomizationRoot {
  readonly folder: string;
  readonly #real: string;
  /** The folders that led here, the nearest first. */
  readonly #outer: readonly KustomizationRoot[];

  private constructor(folder: string, real: string, outer: readonly KustomizationRoot[]) {
    this.folder = folder;
    this.#real = real;
    this.#outer = outer;
  }

  /** The folder that is rendered first. */
  static async open(folder: string): Promise<KustomizationRoot> {
    return new KustomizationRoot(folder, await realTarget(folder), []);
  }

  /**
   * The folder that this one names as a resource or component.
   *
   * @throws TsopError `kustomize-cycle` for one that holds a folder that is being rendered
   */
  async enter(named: string): Promise<KustomizationRoot> {
    const folder = resolveIn(this.folder, named);
    const real = await realTarget(folder);
    const rendered = [this, ...this.#outer];
    for (const root of rendered) {
      if (!isBelow(root.#real, real)) continue;
      throw new TsopError(
        "kustomize-cycle",
        `${this.folder}: \`${named}\` creates a cycle: ${folder} contains ${root.folder}, which is being rendered.`,
        "Remove the entry, or point it at a sibling folder or a folder below.",
      );
    }
    return new KustomizationRoot(folder, real, rendered);
  }

  /**
   * The path of a file that this folder's kustomization names.
   *
   * @param at - the place where it is named
   * @throws TsopError `kustomize-outside` for one that is not in or below the folder
   */
  async file(named: string, at: string): Promise<string> {
    const path = resolveIn(this.folder, named);
    const real = await realTarget(path);
    if (isBelow(real, this.#real)) return path;
    throw new TsopError(
      "kustomize-outside",
      `${at}: the file \`${named}\` (${real}) is not in or below ${this.folder}.`,
      "Move the file below that folder, or give the file's folder a kustomization.yaml and name that folder under `resources`.",
    );
  }
}
