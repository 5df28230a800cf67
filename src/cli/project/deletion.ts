/** The changes of `tsop delete`: the opposite of `tsop create`, file by file. */
import { posix } from "node:path";
import { TsopError } from "../../errors.ts";
import type { KindClass } from "../../generator/find-classes.ts";
import { withStorageAs } from "./sources/kind-file.ts";
import { namesOf } from "./scaffold/kind-names.ts";
import type { Draft } from "./draft.ts";
import { goingFiles, type DeletedParts, type Deletion } from "./going-files.ts";
import { removeFiles, type Consent, type GoingFile } from "./removal.ts";
import { importersOf } from "./sources/importers.ts";
import { unwire } from "./sources/wiring.ts";
import {
  apiGroupOf,
  isSameKind,
  isSameResource,
  parseProject,
  withCertificates,
  withoutResource,
  withResource,
  type Project,
  type ProjectResource,
  type ProjectWebhooks,
  type StorageBefore,
} from "./project-file.ts";
import { PROJECT_FILE } from "./project-root.ts";
import { SAMPLES, SAMPLES_LIST, samplesWithout } from "./samples.ts";
import { withFreshDigests } from "./scaffold/scaffolded.ts";
import { withoutConversion } from "./webhooks/test-conversion.ts";
import { withoutWebhookConfig } from "./webhooks/webhook-config-removal.ts";
import { conversionClass } from "./webhooks/webhook-files.ts";

/** The notes of a deletion for the user. */
export interface DeletionPlan {
  readonly notes: string[];
  /** What of the deleted parts the command leaves, each as a sentence with its path. */
  readonly stays: readonly string[];
}

/**
 * Plans the deletion.
 *
 * @param classes - of the project as it is
 * @throws TsopError `file-changed`, `still-used`, `main-not-understood` where something of the user would be lost
 */
export async function planDeletion(
  draft: Draft,
  project: Project,
  classes: readonly KindClass[],
  deletions: readonly Deletion[],
  options: Consent,
): Promise<DeletionPlan> {
  const notes: string[] = [];
  const stays: string[] = [];
  const going: GoingFile[] = [];
  for (const one of deletions) {
    const found = await goingFiles(draft, project, classes, one);
    going.push(...found.files);
    stays.push(...found.stays);
  }
  await requireRemoval(draft, going, options);
  let resources = project.resources;
  for (const { resource, parts } of deletions) {
    const known = resources.find((one) => isSameResource(one, resource)) ?? resource;
    await restoreTests(draft, project, known, parts.spokes);
    const after = without(known, parts, going);
    await restoreStorage(draft, project, classes, { before: known, after });
    resources = resources.flatMap((one) => (one === known ? (after ? [after] : []) : [one]));
  }
  resources = handOnStorage(resources, deletions);
  await unwire(draft, options);
  notes.push(...(await refuseImporters(draft, options)));
  const samples = going.filter(({ path }) => path.startsWith(`${SAMPLES}/`));
  await draft.edit(SAMPLES_LIST, (text) =>
    samplesWithout(
      text,
      samples.map(({ path }) => posix.basename(path)),
    ),
  );
  if (project.certificates !== undefined) {
    await withoutWebhookConfig(draft, project, resources, options);
  }
  draft.set(PROJECT_FILE, await projectText(project, resources, draft));
  return { notes, stays };
}

/** Removes the files. @throws TsopError `file-changed` where the user changed one, without consent */
export async function requireRemoval(
  draft: Draft,
  going: readonly GoingFile[],
  consent: Consent,
): Promise<void> {
  const changed = await removeFiles(draft, going, consent);
  if (changed.length === 0) return;
  throw new TsopError(
    "file-changed",
    `${changed.join(", ")} would be deleted, but you changed ${changed.length === 1 ? "it" : "them"}.`,
    "Move your changes elsewhere, or delete with --force.",
  );
}

/** Restores the tests that were given a converter. */
async function restoreTests(
  draft: Draft,
  project: Project,
  resource: ProjectResource,
  spokes: readonly string[],
): Promise<void> {
  for (const spoke of spokes) {
    const { name, file } = conversionClass(namesOf(project, resource), spoke);
    for (const { path } of await importersOf(draft, [file])) {
      await draft.edit(
        path,
        (text) => withoutConversion(text, { className: name, from: `../${file}` }) ?? text,
      );
    }
  }
}

/** The kind as it is without the parts; `undefined` where nothing of it is left. */
function without(
  resource: ProjectResource,
  parts: DeletedParts,
  going: readonly GoingFile[],
): ProjectResource | undefined {
  if (parts.api) return undefined;
  const { webhooks, files, ...rest } = resource;
  const isGoing = (path: string): boolean => going.some((file) => file.path === path);
  const kept = files && Object.entries(files).filter(([path]) => !isGoing(path));
  const left = webhooks && webhooksWithout(webhooks, parts);
  const controller = resource.controller && !parts.controller;
  // Files made for a controller or a webhook only; a class that is somebody's own belongs to no
  // entry.
  const isOfOthers = !resource.api || (files !== undefined && kept?.length === 0);
  if (!controller && !left && isOfOthers) return undefined;
  return {
    ...rest,
    controller,
    ...(left && { webhooks: left }),
    ...(kept && { files: Object.fromEntries(kept) }),
  };
}

function webhooksWithout(
  { defaulting, validation, spokes = [], storageBefore }: ProjectWebhooks,
  parts: DeletedParts,
): ProjectWebhooks | undefined {
  const left = spokes.filter((spoke) => !parts.spokes.includes(spoke));
  const webhooks = {
    ...(defaulting && !parts.defaulting && { defaulting }),
    ...(validation && !parts.validation && { validation }),
    ...(left.length > 0 && { conversion: true, spokes: left }),
    ...(left.length > 0 && storageBefore && { storageBefore }),
  };
  return Object.keys(webhooks).length > 0 ? webhooks : undefined;
}

/** Restores the version that is stored, as it was before the conversion or the version came. */
async function restoreStorage(
  draft: Draft,
  project: Project,
  classes: readonly KindClass[],
  { before, after }: { before: ProjectResource; after: ProjectResource | undefined },
): Promise<void> {
  const siblings = project.resources.filter((one) => isSameKind(one, before) && one !== before);
  const restored: StorageBefore = {
    ...(after || siblings.length > 1 ? {} : before.storageBefore),
    ...(after?.webhooks?.conversion ? {} : before.webhooks?.storageBefore),
  };
  for (const [version, storage] of Object.entries(restored)) {
    const found = classes.find(
      (one) =>
        one.group === apiGroupOf(project, before) &&
        one.kind === before.kind &&
        one.version === version,
    );
    if (!found) continue;
    const { file, className } = found;
    await draft.edit(file, (text) => withStorageAs({ className, text }, storage));
  }
}

/** Hands on what the deleted version changed in another: it stays known while there are several. */
function handOnStorage(
  resources: readonly ProjectResource[],
  deletions: readonly Deletion[],
): readonly ProjectResource[] {
  return deletions.reduce((now, { resource, parts }) => {
    const { storageBefore } = resource;
    const siblings = now.filter((one) => isSameKind(one, resource));
    const heir = siblings.at(-1);
    if (!parts.api || !storageBefore || siblings.length < 2 || !heir) return now;
    return now.map((one) => (one === heir ? { ...one, storageBefore } : one));
  }, resources);
}

const hasWebhooks = (resources: readonly ProjectResource[]): boolean =>
  resources.some(({ webhooks }) => webhooks !== undefined);

/**
 * What is to be said of files that stay and import one that is deleted, where `force` lets them be broken.
 *
 * @throws TsopError `still-used` without `force`
 */
export async function refuseImporters(
  draft: Draft,
  { force }: Consent,
): Promise<readonly string[]> {
  const gone = [...draft.files.keys()].filter((path) => path.endsWith(".ts") && draft.isGone(path));
  const importers = await importersOf(draft, gone);
  if (force) {
    return importers.map(
      ({ place, imported }) => `${place} imports ${imported}, which is deleted. Remove the import.`,
    );
  }
  const [importer, ...others] = importers;
  if (!importer) return [];
  const more = others.length === 0 ? "" : `; so do ${others.map(({ place }) => place).join(", ")}`;
  throw new TsopError(
    "still-used",
    `${importer.place} imports ${importer.imported}, which would be deleted${more}.`,
    "Remove the import first, or delete with --force and fix it afterwards; nothing was written.",
  );
}

async function projectText(
  project: Project,
  resources: readonly ProjectResource[],
  draft: Draft,
): Promise<string> {
  let text = project.text;
  for (const resource of project.resources) {
    const now = parseProject(project.root, text);
    const after = resources.find((one) => isSameResource(one, resource));
    if (!after) text = withoutResource(now, resource);
    else if (after !== resource) text = withResource(now, after);
  }
  if (!hasWebhooks(resources) && hasWebhooks(project.resources)) {
    text = withCertificates(project.root, text, undefined);
  }
  return withFreshDigests(project, text, draft.files);
}
