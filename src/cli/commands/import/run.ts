/** `tsop import`: converts CRDs into classes. */
import { join, relative, resolve } from "node:path";
import { TsopError, UsageError } from "../../../errors.ts";
import type { ManifestObject } from "../../../kube/object.ts";
import { toYaml } from "../../../kube/text/yaml.ts";
import type { Imported } from "../../../generator/import/import-crd.ts";
import { openCluster } from "../../cluster/cluster-session.ts";
import type { CliContext } from "../../context.ts";
import { download, withoutSecrets } from "../../project/download.ts";
import { checkTimeout } from "../../project/inputs.ts";
import { CustomResourceDefinition } from "../../../generated/k8s/apiextensions-v1.ts";
import { documentsAt, type GivenDocument } from "../../kustomize/given-documents.ts";
import { paint, tellNotes } from "../../output.ts";
import { carryOut, planFiles, readIfThere } from "../../project/plan.ts";
import { EXTERNAL_CRDS } from "../../project/installed.ts";
import { defaultList, withCrds } from "../../project/default-list.ts";
import { getProject, type Project } from "../../project/project-file.ts";
import { alone } from "../../project/project-lock.ts";
import { readYaml } from "../../project/yaml/yaml-documents.ts";
import type { Options, Run } from "../../command.ts";
import type { importCrds } from "./flags.ts";

type ImportOptions = Options<typeof importCrds>;

const EXTERNAL_HEADER = `# An external CRD, saved by \`tsop import\`. Only tests and \`tsop dev\` install it.
`;

interface NamedDefinition {
  readonly metadata?: { readonly name?: unknown };
  readonly spec?: { readonly names?: { readonly kind?: unknown } };
}

/**
 * Imports the CRDs of `from`: a file or a folder, an `https:` URL, `-` for stdin, or `cluster`;
 * returns the exit code.
 */
export const run: Run<typeof importCrds> = async (from, options, context) => {
  checkTimeout(options.timeout);
  const project = await getProject(context.cwd);
  const shown = isUrl(from) ? withoutSecrets(from) : from;
  const definitions = select(await readDefinitions(from, options, context), shown, options.only);
  await alone(project.root, options, context, () =>
    writeClasses({ definitions, from: shown }, project, options, context),
  );
  return 0;
};

const isUrl = (from: string): boolean => /^https?:\/\//.test(from);

/** Definitions, and the place where they were found. */
interface Found {
  readonly definitions: readonly unknown[];
  readonly from: string;
}

async function writeClasses(
  { definitions, from }: Found,
  project: Project,
  options: ImportOptions,
  context: CliContext,
): Promise<void> {
  const { imports, files } = await importAll(definitions, from, project, options);
  if (!options.force) await refuseToOverwrite(project.root, files);
  if (imports.some(({ external }) => !external)) {
    const list = await readIfThere(join(project.root, defaultList));
    if (list !== undefined) files.set(defaultList, withCrds(list));
  }
  const plan = await planFiles(project.root, files);
  tellImports(imports, options, context);
  await carryOut(plan, context, options);
}

function tellImports(
  imports: readonly ImportedKind[],
  { external, own }: ImportOptions,
  context: CliContext,
): void {
  const { bold, yellow } = paint(context);
  for (const { kind, notes, ...imported } of imports) {
    const whose = imported.external ? " external" : "";
    context.out(`${bold(kind.kind)} ${kind.group} ${kind.versions.join(", ")}${whose}`);
    for (const note of notes)
      context.err(`${yellow("note")} ${kind.plural}.${kind.group}: ${note}`);
  }
  if (external === true || own === true || !imports.some((imported) => imported.external)) return;
  context.out(
    "  external: outside the project's domain, so their CRDs belong to another project. With --own they belong to this project.",
  );
}

/** A kind that was imported, and whose it is. */
interface ImportedKind extends Imported {
  readonly external: boolean;
}

/** Imports each definition; kinds of one name in several groups get files with their group's first word. */
async function importAll(
  definitions: readonly unknown[],
  from: string,
  { root, domain }: Project,
  { external, own }: ImportOptions,
): Promise<{ imports: ImportedKind[]; files: Map<string, string> }> {
  const { importCrd } = await import("../../../generator/import/import-crd.ts");
  const { findClasses } = await import("../../../generator/find-classes.ts");
  const classes = findClasses(root);
  const files = new Map<string, string>();
  const imports = definitions.map((definition) => {
    const { group } = importCrd(definition, from).kind;
    const isOfDomain = group === domain || group.endsWith(`.${domain}`);
    const isExternal = external ?? (own !== true && !isOfDomain);
    const says = isExternal || !isOfDomain ? { external: isExternal } : {};
    const imported = importCrd(definition, from, says);
    const isTaken = (path: string): boolean =>
      files.has(path) || classes.some((known) => known.file === path && known.group !== group);
    const one = [...imported.files.keys()].some(isTaken)
      ? importCrd(definition, from, { ...says, suffix: group.split(".")[0] ?? "" })
      : imported;
    for (const [path, text] of one.files) files.set(path, text);
    const copy = isExternal ? copyOf(definition) : undefined;
    if (copy !== undefined) files.set(`${EXTERNAL_CRDS}/${group}_${one.kind.plural}.yaml`, copy);
    const notes =
      isExternal && copy === undefined
        ? [...one.notes, "it is not of v1, so that tests and `tsop dev` cannot install it."]
        : one.notes;
    return { ...one, notes, external: isExternal };
  });
  return { imports, files };
}

/** The definition as it was found, without what belongs to one object in one cluster; `undefined` before `v1`. */
function copyOf(definition: unknown): string | undefined {
  const { apiVersion, kind, metadata, spec } = definition as ManifestObject & { spec: object };
  if (apiVersion !== "apiextensions.k8s.io/v1") return undefined;
  const { name, annotations, labels } = metadata;
  const crd = { apiVersion, kind, metadata: { name, annotations, labels }, spec };
  return EXTERNAL_HEADER + toYaml(crd);
}

async function readDefinitions(
  from: string,
  options: ImportOptions,
  context: CliContext,
): Promise<unknown[]> {
  if (from === "cluster") return openCluster(options, context).list(CustomResourceDefinition);
  if (isUrl(from)) {
    return definitionsIn(
      await download(from, options.timeout, context.clock),
      withoutSecrets(from),
    );
  }
  if (from === "-") {
    const { text } = await import("node:stream/consumers");
    return definitionsIn(await text(process.stdin), from);
  }
  const given = await documentsAt(
    resolve(context.cwd, from),
    (path) => relative(context.cwd, path) || ".",
  );
  if (!given) {
    throw new UsageError(
      "file-not-found",
      `There is no file ${from}.`,
      "Give a file or a folder, a URL, `-` for standard input, or `cluster`.",
    );
  }
  tellNotes(given.notes, context);
  return given.documents.flatMap(itemsOf);
}

const definitionsIn = (text: string, from: string): unknown[] =>
  readYaml(text, from).flatMap(itemsOf);

/** `kubectl get crd -o yaml` prints a list. */
function itemsOf(document: GivenDocument): unknown[] {
  const { value } = document;
  const { kind, items } = (value ?? {}) as { readonly kind?: unknown; readonly items?: unknown };
  if (typeof kind !== "string" || !kind.endsWith("List") || !Array.isArray(items)) return [value];
  const empty = items.indexOf(null);
  if (empty < 0) return items;
  throw new TsopError(
    "not-a-crd",
    `${document.placeOf(["items", empty])}: items[${empty}] of the list is null; expected an object.`,
    "Give a CustomResourceDefinition there, or take the item out of the list; nothing was written.",
  );
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
      `${path} already exists with different content.`,
      "Compare with --dry-run --diff --force, then overwrite with --force.",
    );
  }
}
