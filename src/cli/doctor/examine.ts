/**
 * Reads what `tsop doctor` looks at: manifests and sources, in a project or in any folder.
 *
 * @module
 */
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join, posix } from "node:path";
import { TsopError, UsageError } from "../../errors.ts";
import type { Generated } from "../../generator/generate.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import { readIfThere } from "../project/plan.ts";
import type { Project } from "../project/project-file.ts";
import { readYaml, type ValuePath } from "../project/yaml-documents.ts";
import { customKindsOf } from "./custom-kinds.ts";
import type { Examined, Found, Manifest, Source } from "./rule.ts";
import { listAt, textAt, textsAt } from "./values.ts";

const SKIPPED = new Set(["node_modules", "dist", "vendor", "bin"]);
const MANIFEST = /\.(?:ya?ml|json)$/;
const SOURCE = /\.(?:[cm]?[jt]s|go|py|sh|rb|java|rs|cs)$/;
const KUSTOMIZATION = /^(?:kustomization\.ya?ml|Kustomization)$/;
/** Lock files and bundles are larger; no manifest or source that people write is. */
const MAX_BYTES = 5_000_000;

/** What was read, and what could not be. */
export interface Reading {
  readonly examined: Examined;
  readonly unreadable: readonly Found[];
}

/**
 * Reads a folder, or one file.
 *
 * @throws UsageError `nothing-to-examine` where neither is
 */
export async function readExamined(path: string, project?: Project): Promise<Reading> {
  const found = await stat(path).catch(() => undefined);
  if (!found) {
    throw new UsageError(
      "nothing-to-examine",
      `${path} is neither a file nor a folder.`,
      "Give a project, a folder of manifests or a file; without one, the current folder is looked at.",
    );
  }
  const root = found.isDirectory() ? path : dirname(path);
  const files = found.isDirectory() ? await filesIn(root, "") : [posix.basename(path)];
  const objects: Manifest[] = [];
  const fragments: Manifest[] = [];
  const sources: Source[] = [];
  const unreadable: Found[] = [];
  const kustomizations: Manifest[] = [];
  for (const file of files) {
    if (SOURCE.test(file)) {
      sources.push({ file, text: await readFile(join(root, file), "utf8") });
      continue;
    }
    const read = manifestsIn(await readFile(join(root, file), "utf8"), file);
    if (!Array.isArray(read)) unreadable.push(read);
    else if (KUSTOMIZATION.test(posix.basename(file))) kustomizations.push(...read);
    else {
      for (const one of read) {
        (one.apiVersion !== "" && one.kind !== "" ? objects : fragments).push(one);
      }
    }
  }
  const parts = filesNamedBy(kustomizations, ["patches", "configurations", "transformers"]);
  const listed = filesNamedBy(kustomizations, ["resources"]);
  const manifests = objects.filter(({ file }) => !parts.has(file));
  const examined: Examined = {
    root,
    manifests,
    fragments: fragments.filter(({ file }) => !parts.has(file)),
    sources,
    patches: [
      ...(await Promise.all([...parts].map((file) => readIfThere(join(root, file))))),
      ...kustomizations.flatMap(({ value }) =>
        listAt(value, ["patches"]).map((item) => textAt(item, ["patch"])),
      ),
    ].join("\n"),
    customKinds: manifests.flatMap(customKindsOf),
    isKustomized: (file) => listed.has(file),
    ...(project && { project, generated: generatedOnce(project) }),
  };
  return { examined, unreadable };
}

/** One run serves all rules. */
function generatedOnce(project: Project): () => Promise<Generated> {
  let run: Promise<Generated> | undefined;
  return async () => {
    const { generateEdited } = await import("../../generator/generate.ts");
    run ??= generateEdited(project.root, new Map(), project);
    return run;
  };
}

async function filesIn(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(root, folder), { withFileTypes: true });
  const found = await Promise.all(
    entries
      .sort((one, other) => (one.name < other.name ? -1 : 1))
      .map(async ({ name }): Promise<string[]> => {
        const path = posix.join(folder, name);
        const entry = await stat(join(root, path)).catch(() => undefined);
        if (!entry || name.startsWith(".") || SKIPPED.has(name)) return [];
        if (entry.isDirectory()) {
          // A chart's templates are no YAML before they are rendered.
          const isChart = await stat(join(root, path, "Chart.yaml")).catch(() => undefined);
          return isChart ? [] : filesIn(root, path);
        }
        const isRead = MANIFEST.test(name) || SOURCE.test(name) || KUSTOMIZATION.test(name);
        return isRead &&
          entry.size <= MAX_BYTES &&
          !/^(?:package(?:-lock)?|tsconfig.*)\.json$/.test(name)
          ? [path]
          : [];
      }),
  );
  return found.flat();
}

/** The mappings in a text, each object of a List for itself; or why it cannot be read. */
export function manifestsIn(text: string, file: string): Manifest[] | Found {
  try {
    const documents = readYaml(text, file);
    return documents.flatMap((document) => {
      const { value } = document;
      if (!isJsonObject(value)) return [];
      const items = value["items"];
      if (textAt(value, ["kind"]).endsWith("List") && Array.isArray(items)) {
        return items.flatMap((item, index) =>
          isJsonObject(item)
            ? [manifestOf(file, item, (path) => document.placeOf(["items", index, ...path]))]
            : [],
        );
      }
      return [manifestOf(file, value, (path) => document.placeOf(path))];
    });
  } catch (error) {
    if (!(error instanceof TsopError)) throw error;
    const place = /^\S+:\d+:\d+/.exec(error.message)?.[0] ?? `${file}:1:1`;
    const message = error.message.slice(error.message.startsWith(place) ? place.length : 0).trim();
    return { place, message, fix: "Repair that line." };
  }
}

const manifestOf = (
  file: string,
  value: JsonObject,
  at: (path: ValuePath) => string,
): Manifest => ({
  file,
  apiVersion: textAt(value, ["apiVersion"]).trim(),
  kind: textAt(value, ["kind"]),
  namespace: textAt(value, ["metadata", "namespace"]),
  name: textAt(value, ["metadata", "name"]),
  value,
  at,
});

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
