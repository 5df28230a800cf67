/** Reads the files that `tsop doctor` examines: manifests and sources, in a project or in any folder. */
import { stat } from "node:fs/promises";
import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { UsageError } from "../../errors.ts";
import type { Generated } from "../../generator/generate.ts";
import { present } from "../../present.ts";
import { walkFolder } from "../project/folder-walk.ts";
import { planFiles, readIfThere, type Plan } from "../project/plan.ts";
import type { Project } from "../project/project-file.ts";
import { customKindsOf } from "./custom-kinds.ts";
import { renderAll, type Renderings } from "./kustomizations.ts";
import { manifestsIn } from "./read-manifests.ts";
import type { Examined, Found, Manifest, Source } from "./rule.ts";
import { listAt, textAt, textsAt } from "./values.ts";
import { readRegularFile } from "../../regular-file.ts";

const SKIPPED = new Set(["node_modules", "dist", "vendor", "bin"]);
const MANIFEST = /\.(?:ya?ml|json)$/;
const SOURCE = /\.(?:[cm]?[jt]s|go|py|sh|rb|java|rs|cs)$/;
const KUSTOMIZATION = /^(?:kustomization\.ya?ml|Kustomization)$/;
/** The largest file that is read. Lock files and bundles are larger; no manifest or source that people write is. */
const MAX_BYTES = 5_000_000;

/** A folder as its files stand, or as its kustomizations render them. */
interface View {
  readonly examined: Examined;
  /** Whether what is found in the file is told: the other view knows better of its own. */
  readonly tells: (file: string) => boolean;
}

/** The views of the files that were read, and the files that could not be. */
export interface Reading {
  readonly views: readonly View[];
  readonly unreadable: readonly Found[];
  readonly objects: number;
  /** Kustomizations that are examined file by file, with the reason. */
  readonly notRendered: Renderings["notRendered"];
}

/** The relation of a folder to its project. */
export interface ProjectFolder {
  readonly project?: Project;
  /** Whether it is in a project of tsop or kubebuilder, whose `deploy` names the image of the scaffold. */
  readonly isScaffolded: boolean;
}

/** Reads a folder, or one file. @throws UsageError `nothing-to-examine` where neither is */
export async function readExamined(
  path: string,
  { project, isScaffolded }: ProjectFolder,
): Promise<Reading> {
  const read = await readFiles(path);
  const { root, manifests, fragments, sources, kustomizations, parts, unreadable } = read;
  const listed = filesNamedBy(kustomizations, ["resources"]);
  const generated = project && generatedOnce(project);
  const renderings = await renderAll(root, kustomizations, await planOf(root, generated));
  const examined: Examined = {
    root,
    manifests,
    fragments,
    sources,
    patches: [
      ...(await Promise.all([...parts].map((file) => readIfThere(join(root, file))))),
      ...kustomizations.flatMap(({ value }) =>
        listAt(value, ["patches"]).map((item) => textAt(item, ["patch"])),
      ),
    ].join("\n"),
    customKinds: manifests.flatMap(customKindsOf),
    brokenKustomizations: renderings.broken,
    isKustomized: (file) => listed.has(file),
    isScaffolded,
    ...present({ project, generated }),
  };
  const loose = manifests.filter(({ file }) => !listed.has(file) && !renderings.files.has(file));
  const rendered = [...loose, ...renderings.manifests];
  const told = new Set([...renderings.files, ...renderings.manifests.map(({ file }) => file)]);
  const outermost = new Set(kustomizations.map(({ file }) => file));
  return {
    views: [
      { examined, tells: (file) => !renderings.files.has(file) },
      {
        examined: {
          ...examined,
          manifests: rendered,
          customKinds: rendered.flatMap(customKindsOf),
          fragments: [],
          sources: [],
          patches: "",
          brokenKustomizations: [],
          isKustomized: () => false,
        },
        tells: (file) => told.has(file) || outermost.has(file),
      },
    ],
    unreadable,
    objects:
      manifests.filter(({ file }) => !renderings.files.has(file)).length +
      renderings.manifests.length,
    notRendered: renderings.notRendered,
  };
}

/** The files of a folder, as they stand. */
interface ReadFiles {
  readonly root: string;
  /** The objects, without patches. */
  readonly manifests: readonly Manifest[];
  readonly fragments: readonly Manifest[];
  readonly sources: readonly Source[];
  readonly kustomizations: readonly Manifest[];
  /** The files of patches and configurations. */
  readonly parts: ReadonlySet<string>;
  readonly unreadable: readonly Found[];
}

/**
 * Reads the manifests and sources of a folder, or one file.
 *
 * @throws UsageError `nothing-to-examine` where neither is
 */
export async function readFiles(path: string): Promise<ReadFiles> {
  const found = await stat(path).catch(() => undefined);
  if (!found) {
    throw new UsageError(
      "nothing-to-examine",
      `${path} is neither a file nor a folder.`,
      "Give a project, a folder of manifests or a file; without one, the current folder is looked at.",
    );
  }
  const root = found.isDirectory() ? path : dirname(path);
  if (await isInChart(root)) {
    throw new UsageError(
      "nothing-to-examine",
      `${path} is part of a Helm chart, whose templates are no manifests before Helm renders them.`,
      "Render it, and examine that: helm template my-release CHART > manifests.yaml && tsop doctor manifests.yaml",
    );
  }
  const files = found.isDirectory() ? await filesIn(root) : [posix.basename(path)];
  const objects: Manifest[] = [];
  const fragments: Manifest[] = [];
  const sources: Source[] = [];
  const unreadable: Found[] = [];
  const kustomizations: Manifest[] = [];
  for (const file of files) {
    if (SOURCE.test(file)) {
      sources.push({ file, text: (await readRegularFile(join(root, file))).toString() });
      continue;
    }
    const read = manifestsIn((await readRegularFile(join(root, file))).toString(), file);
    if (!Array.isArray(read)) unreadable.push(read);
    else if (KUSTOMIZATION.test(posix.basename(file))) kustomizations.push(...read);
    else {
      for (const one of read) {
        (one.apiVersion !== "" && one.kind !== "" ? objects : fragments).push(one);
      }
    }
  }
  const parts = filesNamedBy(kustomizations, ["patches", "configurations", "transformers"]);
  const isWhole = ({ file }: Manifest): boolean => !parts.has(file);
  return {
    root,
    manifests: objects.filter(isWhole),
    fragments: fragments.filter(isWhole),
    sources,
    kustomizations,
    parts,
    unreadable,
  };
}

/** The changes that `tsop manifests` would make, as if they were made. */
async function planOf(
  root: string,
  generated: (() => Promise<Generated>) | undefined,
): Promise<Plan | undefined> {
  return generated && planFiles(root, (await generated()).files);
}

function generatedOnce(project: Project): () => Promise<Generated> {
  let run: Promise<Generated> | undefined;
  return async () => {
    const { generateEdited } = await import("../../generator/generate.ts");
    run ??= generateEdited(project.root, new Map(), project);
    return run;
  };
}

async function filesIn(root: string): Promise<string[]> {
  const isEntered = async (name: string, path: string): Promise<boolean> =>
    !name.startsWith(".") && !SKIPPED.has(name) && !(await isChart(path));
  return (await walkFolder(root, isEntered))
    .filter(({ name, bytes }) => isRead(name) && bytes <= MAX_BYTES)
    .map(({ path }) => relative(root, path).replaceAll("\\", "/"));
}

const isRead = (name: string): boolean =>
  !name.startsWith(".") &&
  (MANIFEST.test(name) || SOURCE.test(name) || KUSTOMIZATION.test(name)) &&
  !/^(?:package(?:-lock)?|tsconfig.*)\.json$/.test(name);

/** Whether the folder is a Helm chart. Its templates are not YAML before they are rendered. */
const isChart = async (folder: string): Promise<boolean> =>
  (await stat(join(folder, "Chart.yaml")).catch(() => undefined)) !== undefined;

/** Whether the folder is a chart, or in the templates of one. */
async function isInChart(folder: string): Promise<boolean> {
  const parts = resolve(folder).split(sep);
  const templates = parts.lastIndexOf("templates");
  if (await isChart(folder)) return true;
  return templates > 0 && isChart(parts.slice(0, templates).join(sep));
}

/** The files that kustomizations name in these lists. */
function filesNamedBy(kustomizations: readonly Manifest[], keys: readonly string[]): Set<string> {
  const named = kustomizations.flatMap(({ file, value }) =>
    keys.flatMap((key) =>
      [
        ...textsAt(value, [key]),
        ...listAt(value, [key]).map((item) => textAt(item, ["path"])),
        ...(key === "patches" ? textsAt(value, ["patchesStrategicMerge"]) : []),
        ...(key === "patches"
          ? listAt(value, ["patchesJson6902"]).map((item) => textAt(item, ["path"]))
          : []),
      ]
        .filter((name) => name !== "" && !name.includes("\n"))
        .map((name) => posix.join(posix.dirname(file), name)),
    ),
  );
  return new Set(named);
}
