/**
 * A project's TypeScript to its manifests: `tsop manifests` without the writing.
 *
 * Load, read, check, emit. Nothing is written here; with an error there are no files at all. A run on
 * unchanged input is answered from a stamp that holds hashes of everything that was read, without loading
 * the compiler.
 *
 * @module
 */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Diagnostic } from "../errors.ts";
import type { ResourceInfo } from "../kube/resource.ts";
import type { PlaceOf } from "./places.ts";
import type { Modules } from "./read/module.ts";
import { LEASE_ROLE, type Stamp, hashOf, readSources } from "./sources.ts";

/** What a run makes. */
export interface Generated {
  /** By path in the project; empty when there is an error. */
  readonly files: ReadonlyMap<string, string>;
  /** Errors and warnings, by file, line and column. */
  readonly diagnostics: readonly Diagnostic[];
  /** The kinds of the project, each version of each. */
  readonly kinds: readonly ResourceInfo[];
  /** Where a change was made; absent where the result comes from a stamp. */
  readonly placeOf?: PlaceOf;
}

/** What to generate from. */
export interface GenerateOptions {
  /** The project's folder, which holds `tsconfig.json`. */
  readonly root: string;
  /** Where in it the sources are. */
  readonly sources?: string;
  /** False: reads everything anew and leaves no stamp. */
  readonly cache?: boolean;
}

/** A project that stays open, so that a run after an edit reads the edited files only. */
export interface OpenProject {
  /** The manifests of the files as they are now. */
  generate(): Promise<Generated>;
}

/** Generates the manifests of a project once. */
export async function generate(options: GenerateOptions): Promise<Generated> {
  const root = resolve(options.root);
  const sources = readSources(root, options.sources);
  const stampFile = options.cache === false ? undefined : join(root, ".tsop/manifests.json");
  const stamped = stampFile === undefined ? undefined : fromStamp(root, sources, stampFile);
  if (stamped) return stamped;
  const { openModules } = await import("./read/project.ts");
  const modules = openModules(root);
  const generated = await run(modules, sources);
  if (stampFile !== undefined) writeStamp(root, sources, modules, generated, stampFile);
  return generated;
}

/** Opens a project for several runs. */
export function openProject(folder: string): OpenProject {
  const root = resolve(folder);
  let modules: Modules | undefined;
  return {
    async generate() {
      const { openModules } = await import("./read/project.ts");
      modules ??= openModules(root);
      modules.refresh();
      return run(modules, readSources(root));
    },
  };
}

async function run(modules: Modules, sources: ReadonlyMap<string, string>): Promise<Generated> {
  const [
    { readProject },
    { checkKinds },
    { checkRights, inferredGrants },
    { checkWebhooks },
    { placesIn },
    { groupVersions },
    { manifestsOf },
    { Findings },
  ] = await Promise.all([
    import("./read/project.ts"),
    import("./check.ts"),
    import("./check-rights.ts"),
    import("./check-webhooks.ts"),
    import("./places.ts"),
    import("./emit/crd.ts"),
    import("./emit/manifests.ts"),
    import("./findings.ts"),
  ]);
  const findings = new Findings();
  const model = readProject(modules, sources, findings);
  const kinds = groupVersions(model.kinds);
  checkKinds(kinds, findings);
  checkWebhooks(model.webhooks, findings);
  // A right that could not be read would be missing.
  if (!findings.hasErrors()) {
    checkRights(model, findings);
  }
  return {
    files: findings.hasErrors()
      ? new Map()
      : manifestsOf(inferredGrants(model), kinds, model.webhooks),
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

/** Everything that the result depends on, beside what the sources import from elsewhere. */
function inputHash(root: string, sources: ReadonlyMap<string, string>): string {
  const around = ["tsconfig.json", "package.json", LEASE_ROLE].map(
    (name) => [name, textOf(join(root, name)) ?? ""] as const,
  );
  const program = textOf(new URL("../build-id", import.meta.url)) ?? "";
  const version = textOf(new URL("../../package.json", import.meta.url)) ?? "";
  return hashOf([...sources, ...around, ["program", program], ["tsop", version]]);
}

function textOf(path: string | URL): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

function fromStamp(
  root: string,
  sources: ReadonlyMap<string, string>,
  stampFile: string,
): Generated | undefined {
  const text = textOf(stampFile);
  if (text === undefined) return undefined;
  const stamp = parseStamp(text);
  if (stamp?.input !== inputHash(root, sources)) return undefined;
  const unchanged = Object.entries(stamp.read).every(
    ([path, hash]) => hashOf([[path, textOf(path) ?? ""]]) === hash,
  );
  if (!unchanged) return undefined;
  return {
    files: new Map(Object.entries(stamp.files)),
    diagnostics: stamp.diagnostics,
    kinds: stamp.kinds as ResourceInfo[],
  };
}

/** A stamp that cannot be read is as good as none. */
function parseStamp(text: string): Stamp | undefined {
  try {
    return JSON.parse(text) as Stamp;
  } catch {
    return undefined;
  }
}

function writeStamp(
  root: string,
  sources: ReadonlyMap<string, string>,
  modules: Modules,
  { files, diagnostics, kinds }: Generated,
  stampFile: string,
): void {
  const outside = modules.read().filter((path) => !sources.has(path));
  const stamp: Stamp = {
    read: Object.fromEntries(outside.map((path) => [path, hashOf([[path, textOf(path) ?? ""]])])),
    input: inputHash(root, sources),
    files: Object.fromEntries(files),
    diagnostics,
    kinds,
  };
  mkdirSync(dirname(stampFile), { recursive: true });
  writeFileSync(`${stampFile}.new`, JSON.stringify(stamp));
  renameSync(`${stampFile}.new`, stampFile);
}
