/**
 * `tsop import`: CRDs of others become classes.
 *
 * @module
 */
import { join, relative, resolve } from "node:path";
import { TsopError, UsageError } from "../../errors.ts";
import type { Imported } from "../../generator/import/import-crd.ts";
import { type ClusterOptions, openCluster } from "../cluster/cluster-session.ts";
import type { CliContext } from "../context.ts";
import { download } from "../project/download.ts";
import { checkTimeout } from "../project/inputs.ts";
import { crdResource } from "../cluster/crd.ts";
import { paint } from "../output.ts";
import { carryOut, planFiles, readIfThere, type PlanOptions } from "../project/plan.ts";
import { getProject } from "../project/project-file.ts";
import { readDocuments } from "../project/yaml-documents.ts";
import { yamlFilesAt } from "../project/yaml-files.ts";

/** The flags of `tsop import`. */
export interface ImportOptions extends PlanOptions, ClusterOptions {
  /** Only these CRDs, by `metadata.name` or kind; all that are found when it is empty. */
  readonly only: readonly string[];
  /** Overwrites files that are there. */
  readonly force: boolean;
  /** How many seconds a download or a request may take. */
  readonly timeout: number;
}

interface NamedDefinition {
  readonly metadata?: { readonly name?: unknown };
  readonly spec?: { readonly names?: { readonly kind?: unknown } };
}

/** Imports what `from` names: a file or a folder, an `https:` URL, `-` for stdin, or `cluster`; returns the exit code. */
export async function importCrds(
  from: string,
  options: ImportOptions,
  context: CliContext,
): Promise<number> {
  checkTimeout(options.timeout);
  const project = await getProject(context.cwd);
  const definitions = select(await readDefinitions(from, options, context), from, options.only);
  const { importCrd } = await import("../../generator/import/import-crd.ts");
  const { imports, files } = importAll(definitions, from, importCrd);
  if (!options.force) await refuseToOverwrite(project.root, files);
  const { bold, yellow } = paint(context);
  const plan = await planFiles(project.root, files);
  for (const { kind, notes } of imports) {
    context.out(`${bold(kind.kind)} ${kind.group} ${kind.versions.join(", ")}`);
    for (const note of notes)
      context.err(`${yellow("note")} ${kind.plural}.${kind.group}: ${note}`);
  }
  await carryOut(plan, context, options);
  return 0;
}

/** Imports each; kinds of one name in several groups get files with their group's first word. */
function importAll(
  definitions: readonly unknown[],
  from: string,
  importCrd: (found: unknown, from: string, suffix?: string) => Imported,
): { imports: Imported[]; files: Map<string, string> } {
  const files = new Map<string, string>();
  const imports = definitions.map((definition) => {
    const imported = importCrd(definition, from);
    const clash = [...imported.files.keys()].some((path) => files.has(path));
    const one = clash
      ? importCrd(definition, from, imported.kind.group.split(".")[0] ?? "")
      : imported;
    for (const [path, text] of one.files) files.set(path, text);
    return one;
  });
  return { imports, files };
}

async function readDefinitions(
  from: string,
  options: ImportOptions,
  context: CliContext,
): Promise<unknown[]> {
  if (from === "cluster") return openCluster(options, context).list(crdResource);
  const texts = /^https?:\/\//.test(from)
    ? [[from, await download(from, options.timeout, context.clock)] as const]
    : await fileTexts(from, context);
  return texts.flatMap(([path, text]) => readDocuments(text, path).flatMap(itemsOf));
}

/** Texts with where they are from. */
async function fileTexts(
  from: string,
  context: CliContext,
): Promise<(readonly [from: string, text: string])[]> {
  if (from === "-") {
    const { text } = await import("node:stream/consumers");
    return [[from, await text(process.stdin)]];
  }
  const files = await yamlFilesAt(resolve(context.cwd, from));
  if (files) {
    const shown = (path: string): string => relative(context.cwd, path);
    return Promise.all(
      files.map(async (path) => [shown(path), (await readIfThere(path)) ?? ""] as const),
    );
  }
  throw new UsageError(
    "file-not-found",
    `There is no file ${from}.`,
    "Give a file or a folder, a URL, `-` for standard input, or `cluster`.",
  );
}

/** `kubectl get crd -o yaml` prints a list. */
function itemsOf(document: unknown): unknown[] {
  const { kind, items } = document as { readonly kind?: unknown; readonly items?: unknown };
  return typeof kind === "string" && kind.endsWith("List") && Array.isArray(items)
    ? items
    : [document];
}

/** The definitions that are asked for. Other objects of a bundle stay out, but one object has to be a CRD. */
function select(found: readonly unknown[], from: string, only: readonly string[]): unknown[] {
  const crds = found.filter(
    (document) => (document as { kind?: unknown }).kind === "CustomResourceDefinition",
  ) as NamedDefinition[];
  const [first] = found;
  if (crds.length === 0 && found.length === 1) return [first];
  const wanted = crds.filter(
    ({ metadata, spec }) =>
      only.length === 0 ||
      only.some((name) => name === metadata?.name || name === spec?.names?.kind),
  );
  if (wanted.length > 0) return wanted;
  throw new TsopError(
    "no-crd-found",
    only.length === 0
      ? `There is no CustomResourceDefinition in ${from}.`
      : `${from} has no CustomResourceDefinition ${only.join(" or ")}.`,
    crds.length === 0
      ? "Give a file that holds one."
      : `It has: ${crds.map(({ metadata }) => String(metadata?.name)).join(", ")}.`,
  );
}

async function refuseToOverwrite(root: string, files: ReadonlyMap<string, string>): Promise<void> {
  for (const [path, text] of files) {
    const before = await readIfThere(join(root, path));
    if (before === undefined || before === text) continue;
    throw new TsopError(
      "file-exists",
      `${path} is there already and differs from what would be written.`,
      "Look with --diff --dry-run --force, and write with --force; nothing was written.",
    );
  }
}
