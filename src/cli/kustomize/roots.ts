/** The folders that a rendering goes through: which one may come next, and which files each may read. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { TsopError } from "../../errors.ts";
import { isBelow, realTarget } from "../project/plan.ts";
import { foldersUp, PROJECT_FILE } from "../project/project-root.ts";
import { resolveIn } from "./kustomization-file.ts";
import { RenderingLimits } from "./rendering-limits.ts";

/** The rendering that a folder is part of. */
interface Rendering {
  readonly limits: RenderingLimits;
  /** The folder of the project, without links; absent outside a project. */
  readonly project?: string;
}

/** The folder of a kustomization, with those that led to it. */
export class KustomizationRoot {
  readonly folder: string;
  readonly #real: string;
  /** The folders that led here, the nearest first. */
  readonly #outer: readonly KustomizationRoot[];
  readonly #rendering: Rendering;

  private constructor(
    { folder, real }: { folder: string; real: string },
    outer: readonly KustomizationRoot[],
    rendering: Rendering,
  ) {
    this.folder = folder;
    this.#real = real;
    this.#outer = outer;
    this.#rendering = rendering;
  }

  /** The folder that is rendered first. @throws TsopError `kustomize-outside` for a link out of the project */
  static async open(folder: string): Promise<KustomizationRoot> {
    const project = [...foldersUp(folder)].find((one) => existsSync(join(one, PROJECT_FILE)));
    const rendering: Rendering = {
      limits: new RenderingLimits(),
      ...(project !== undefined && { project: await realTarget(project) }),
    };
    const real = await realTarget(folder);
    requireInProject(real, folder, rendering);
    return new KustomizationRoot({ folder, real }, [], rendering);
  }

  /** The limits of the rendering that the folder is part of. */
  get limits(): RenderingLimits {
    return this.#rendering.limits;
  }

  /**
   * The folder that this one names as a resource or component.
   *
   * @throws TsopError `kustomize-cycle` for one that holds a folder that is being rendered, `kustomize-outside` for one
   * outside the project, `kustomize-limit`
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
    requireInProject(real, `${this.folder}: the folder \`${named}\``, this.#rendering);
    this.limits.addFolder(folder);
    return new KustomizationRoot({ folder, real }, rendered, this.#rendering);
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

/** A cloned project takes objects only from itself. */
function requireInProject(real: string, what: string, { project }: Rendering): void {
  if (project === undefined || isBelow(real, project)) return;
  throw new TsopError(
    "kustomize-outside",
    `${what} (${real}) is not in the project ${project}.`,
    "Copy the folder into the project.",
  );
}
