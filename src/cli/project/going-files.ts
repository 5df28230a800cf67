/** The files of a kind that a deletion takes: where tsop wrote them, or where the user moved them. */
import { posix } from "node:path";
import { capitalized } from "../../kube/text/capitalized.ts";
import type { KindClass } from "../../generator/find-classes.ts";
import type { Draft } from "./draft.ts";
import { apiGroupOf, type Project, type ProjectResource } from "./project-file.ts";
import type { GoingFile } from "./removal.ts";
import { SAMPLES } from "./samples.ts";
import { namesOf, type KindNames } from "./scaffold/kind-names.ts";
import { sourcesIn } from "./sources/importers.ts";

/** The parts of a version of a kind that are deleted. */
export interface DeletedParts {
  readonly api: boolean;
  readonly controller: boolean;
  readonly defaulting: boolean;
  readonly validation: boolean;
  /** The versions whose converters go. */
  readonly spokes: readonly string[];
}

/** A version of a kind, and what goes of it. */
export interface Deletion {
  readonly resource: ProjectResource;
  readonly parts: DeletedParts;
}

/** The files that are deleted, and sentences about what is left of the deleted parts. */
interface GoingFiles {
  readonly files: readonly GoingFile[];
  readonly stays: readonly string[];
}

/** The files of the deleted parts of a kind. */
export async function goingFiles(
  draft: Draft,
  project: Project,
  classes: readonly KindClass[],
  deletion: Deletion,
): Promise<GoingFiles> {
  const { resource, parts } = deletion;
  const files = knownFiles(project, classes, deletion);
  const stays: string[] = [];
  const add = (path: string, digest: string | undefined): void => {
    if (files.some((file) => file.path === path)) return;
    files.push({ path, digests: digest === undefined ? [] : [digest] });
  };
  const found = classOf(project, classes, resource);
  if (parts.api && resource.api && found && !found.external) {
    const others = classes.filter((one) => one.file === found.file && one !== found);
    if (others.length === 0) add(found.file, classDigest(resource, found));
    else stays.push(sharedClass(found, others));
  }
  const names = namesOf(project, resource);
  for (const { path, digests } of [...files]) {
    const exported = exportOf(names, path);
    if (exported === undefined || (await draft.read(path)) !== undefined) continue;
    const moved = await fileExporting(draft, exported);
    if (moved !== undefined) add(moved, digests[0]);
  }
  return { files, stays };
}

const classOf = (
  project: Project,
  classes: readonly KindClass[],
  resource: ProjectResource,
): KindClass | undefined =>
  classes.find(
    ({ group, version, kind }) =>
      group === apiGroupOf(project, resource) &&
      version === resource.version &&
      kind === resource.kind,
  );

const hasClass = (path: string): boolean => path.startsWith("src/api/");

/** The digest of the class's file as it was written, wherever that was. */
function classDigest({ files = {} }: ProjectResource, { file }: KindClass): string | undefined {
  return files[file] ?? Object.entries(files).find(([path]) => hasClass(path))?.[1];
}

const sharedClass = ({ file, className }: KindClass, others: readonly KindClass[]): string =>
  `${file} keeps the class ${className}, since ${others.map((one) => one.className).join(", ")} ${others.length === 1 ? "is" : "are"} there too: remove it, then run \`tsop manifests\`.`;

/** What a scaffolded source gives to `src/main.ts`, by which it is found again. */
function exportOf({ name }: KindNames, path: string): string | undefined {
  if (!path.startsWith("src/")) return undefined;
  const spoke = /-(v[0-9a-z]+)-conversion\.ts$/.exec(path)?.[1];
  if (spoke !== undefined) return `class ${name}${capitalized(spoke)}Conversion`;
  if (path.endsWith("-defaulter.ts")) return `class ${name}Defaulter`;
  if (path.endsWith("-validator.ts")) return `class ${name}Validator`;
  return path.endsWith("-controller.ts") ? `function setUp${name}` : undefined;
}

async function fileExporting(draft: Draft, declaration: string): Promise<string | undefined> {
  const pattern = new RegExp(`^export ${declaration}\\b`, "m");
  for (const path of await sourcesIn(draft.root, "src")) {
    if (pattern.test((await draft.read(path)) ?? "")) return path;
  }
  return undefined;
}

function knownFiles(
  project: Project,
  classes: readonly KindClass[],
  { resource, parts }: Deletion,
): GoingFile[] {
  const isGoing = (path: string): boolean => {
    const spoke = /-(v[0-9a-z]+)-conversion(?:\.test)?\.ts$/.exec(path)?.[1];
    if (spoke !== undefined) return parts.spokes.includes(spoke);
    if (/-defaulter(?:\.test)?\.ts$/.test(path)) return parts.defaulting;
    if (/-validator(?:\.test)?\.ts$/.test(path)) return parts.validation;
    if (/-controller(?:\.test)?\.ts$/.test(path)) return parts.controller;
    return parts.api;
  };
  const known = resource.files
    ? Object.entries(resource.files).map(([path, digest]) => ({ path, digests: [digest] }))
    : usualFiles(project, resource).map((path) => ({ path, digests: [] }));
  // A class is found by what it says, since the user may have renamed its file or put others into it.
  const found = classOf(project, classes, resource);
  return known.filter(({ path }) => isGoing(path) && !(found && hasClass(path)));
}

/** The usual paths of a kind's files beside its class, for a kind that an earlier tsop scaffolded. */
function usualFiles(project: Project, resource: ProjectResource): string[] {
  const { stem } = namesOf(project, resource);
  const { group, version, kind, controller, api, webhooks } = resource;
  const names = [
    ...(webhooks?.defaulting ? [`webhooks/${stem}-defaulter`] : []),
    ...(webhooks?.validation ? [`webhooks/${stem}-validator`] : []),
    ...(webhooks?.spokes ?? []).map((spoke) => `webhooks/${stem}-${spoke}-conversion`),
    ...(controller ? [`controllers/${stem}-controller`] : []),
  ];
  const sample = [group, version, kind.toLowerCase()].filter((part) => part !== "").join("_");
  return [
    ...names.flatMap((name) => [`src/${name}.ts`, `test/${posix.basename(name)}.test.ts`]),
    ...(api ? [`${SAMPLES}/${sample}.yaml`] : []),
  ];
}
