/**
 * A project's TypeScript to its manifests: `tsop manifests` without the writing.
 *
 * A run of the generator: load, read, check, emit. Nothing is written here; with an error there are
 * no files at all. A run on unchanged input is answered from a stamp that holds everything that was
 * read, without loading the compiler.
 */
import { join, resolve } from "node:path";
import type { Diagnostic } from "../errors.ts";
import type { ResourceInfo } from "../kube/resource.ts";
import type { CertificateMode } from "./emit/certificate-roles.ts";
import type { PlaceOf } from "./places.ts";
import type { Modules } from "./read/code/modules.ts";
import { readSources } from "./sources.ts";
import { keepResult, keptResult } from "./stamp.ts";
import { readRegularFile } from "../regular-file.ts";

/** The result of a run. */
export interface Generated {
  /** The files by path in the project; empty when there is an error. */
  readonly files: ReadonlyMap<string, string>;
  /** Errors and warnings, by file, line and column. */
  readonly diagnostics: readonly Diagnostic[];
  /** The kinds of the project, each version of each. */
  readonly kinds: readonly ResourceInfo[];
  /** The place where a change was made; absent where the result comes from a stamp. */
  readonly placeOf?: PlaceOf;
}

/** The facts in the `PROJECT` file on which manifests depend. */
export interface ProjectFacts {
  /** The domain in which the groups of its kinds end; another group is questioned. */
  readonly domain: string;
  /** The prefix of its objects' names in the cluster. */
  readonly projectName: string;
  /** The operator watches its own namespace only, and its role is one of that namespace. */
  readonly namespaced: boolean;
  /** The role is what `@Rbac` markers say, and nothing that the code does; both when this is left out. */
  readonly rbac?: "markers";
  /** The source of its webhooks' certificate; it issues one itself when this is left out. */
  readonly certificates?: CertificateMode;
}

export interface GenerateOptions {
  /** The project's folder, which holds `tsconfig.json`. */
  readonly root: string;
  /** False: reads everything anew and leaves no stamp. */
  readonly cache?: boolean;
  /** Files in it that the caller reads, too: a change of theirs counts as one of the input. */
  readonly beside?: readonly string[];
  /** The facts in its `PROJECT` file; absent where it has none. */
  readonly project?: ProjectFacts;
  /** The folder of the sources, when it is not `src`: it is read anew, and leaves no stamp. */
  readonly sources?: string;
}

/** A project that stays open, so that a run after an edit reads the edited files only. */
export interface OpenProject {
  /** The manifests of the files as they are now. */
  generate(): Promise<Generated>;
}

/** Generates the manifests of a project once. */
export async function generate(options: GenerateOptions): Promise<Generated> {
  const root = resolve(options.root);
  const stamped = options.cache !== false && options.sources === undefined;
  const kept = stamped ? keptResult(root) : undefined;
  if (kept) return { ...kept, kinds: kept.kinds as ResourceInfo[] };
  const sources = readSources(root, options.sources);
  const { openModules } = await import("./read-project.ts");
  const modules = openModules(root);
  const generated = await run(modules, sources, options.project);
  if (stamped) {
    const reads = modules.reads();
    const files = new Map(reads.files);
    for (const name of options.beside ?? []) {
      files.set(join(root, name), await readRegularFile(join(root, name)));
    }
    keepResult(root, sources, { ...reads, files }, generated);
  }
  return generated;
}

/**
 * Generates the manifests of a project as it will be when files have been edited; nothing is kept for later runs.
 *
 * @param edited - texts by path in the project; `undefined` for a file that will be gone
 */
export async function generateEdited(
  folder: string,
  edited: ReadonlyMap<string, string | undefined>,
  project: ProjectFacts,
): Promise<Generated> {
  const root = resolve(folder);
  const { openModules } = await import("./read-project.ts");
  const texts = new Map([...edited].map(([path, text]) => [join(root, path), text]));
  const sources = [...readSources(root)].flatMap(([path, text]): [string, string][] => {
    const now = texts.has(path) ? texts.get(path) : text;
    return now === undefined ? [] : [[path, now]];
  });
  return run(openModules(root, texts), new Map(sources), project);
}

/** Opens a project for several runs. */
export function openProject(folder: string, project?: ProjectFacts): OpenProject {
  const root = resolve(folder);
  let modules: Modules | undefined;
  return {
    async generate() {
      const { openModules } = await import("./read-project.ts");
      modules ??= openModules(root);
      modules.refresh();
      return run(modules, readSources(root), project);
    },
  };
}

async function run(
  modules: Modules,
  sources: ReadonlyMap<string, string>,
  project: ProjectFacts | undefined,
): Promise<Generated> {
  const [
    { readProject },
    { checkKinds },
    { checkGrants },
    { checkForeignKinds },
    { checkConversions },
    { checkRights, inferredGrants },
    { checkWebhooks },
    { checkOperations },
    { checkSafety },
    { placesIn },
    { groupVersions },
    { manifestsOf },
    { Findings },
  ] = await Promise.all([
    import("./read-project.ts"),
    import("./check/check.ts"),
    import("./check/grants.ts"),
    import("./check/foreign-kinds.ts"),
    import("./check/conversions.ts"),
    import("./check/rights.ts"),
    import("./check/webhooks.ts"),
    import("./check/webhook-operations.ts"),
    import("./check/webhook-safety.ts"),
    import("./places.ts"),
    import("./emit/crd.ts"),
    import("./emit/manifests.ts"),
    import("./findings.ts"),
  ]);
  const findings = new Findings();
  const model = readProject(modules, sources, findings);
  const kinds = groupVersions(model.kinds, model.conversions);
  // The rest of a file after a broken line is no further mistake.
  const broken = findings.filesWith("syntax-error");
  const whole = model.kinds.filter(({ at }) => !broken.has(at.file));
  checkKinds(groupVersions(whole, model.conversions), findings, project?.domain);
  checkConversions(model, findings, project?.domain);
  checkForeignKinds(model, project?.domain, findings);
  checkWebhooks(model.webhooks, findings);
  checkOperations(model.webhooks, findings);
  if (project) checkSafety(model.webhooks, project, () => modules.builtInKinds(), findings);
  checkGrants(model.grants, () => modules.builtInKinds(), findings);
  const markersOnly = project?.rbac === "markers";
  // A right that could not be read would be missing.
  if (!findings.hasErrors()) {
    checkRights(model, markersOnly, findings);
  }
  return {
    files: findings.hasErrors()
      ? new Map()
      : manifestsOf({
          grants: markersOnly
            ? model.grants
            : inferredGrants(model, project, () => modules.builtInKinds()),
          kinds,
          webhooks: model.webhooks,
          project,
        }),
    diagnostics: findings.sorted(),
    kinds: kinds.flatMap(({ versions }) =>
      versions.map(({ group, version, kind, plural, scope }) => ({
        group,
        version,
        kind,
        plural,
        namespaced: scope === "Namespaced",
      })),
    ),
    placeOf: placesIn(model.kinds),
  };
}
