/** `tsop delete`: deletes a kind, its controller, or its webhooks from the project. */
import { join } from "node:path";
import { SourceError, UsageError } from "../../../errors.ts";
import type { KindClass } from "../../../generator/find-classes.ts";
import { isGenerated, leftOvers } from "../../../generator/stamp.ts";
import { apiVersionOf } from "../../../kube/resource.ts";
import type { CliContext } from "../../context.ts";
import { ExitCode, paint, printDiagnostic } from "../../output.ts";
import { isGroup } from "../../project/scaffold/built-in-kinds.ts";
import { defaultList, hasOwnWebhookService } from "../../project/default-list.ts";
import { planDeletion, type DeletionPlan } from "../../project/deletion.ts";
import { changeProject } from "../../project/change-project.ts";
import { dialogFor } from "../../project/conflict-dialog.ts";
import type { DeletedParts, Deletion } from "../../project/going-files.ts";
import type { Draft } from "../../project/draft.ts";
import { readIfThere } from "../../project/plan.ts";
import {
  apiGroupOf,
  isSameKind,
  parseProject,
  type Project,
  type ProjectResource,
} from "../../project/project-file.ts";
import { missingFlags } from "../../project/inputs.ts";
import { PROJECT_FILE } from "../../project/project-root.ts";
import { listOfRoles } from "../../project/role-list.ts";
import { recordAfter } from "../../project/scaffold/scaffold-record.ts";
import { RECORD_FILE } from "../../project/tsop-folder.ts";
import { withoutListEntry } from "../../project/yaml/user-yaml.ts";
import type { Options } from "../../command.ts";
import type { deleteApi } from "./api/flags.ts";
import type { deleteWebhook } from "./webhook/flags.ts";

type DeletedThing = "api" | "controller" | "webhook";

/** The flags of all three, and those that only `delete webhook` has. */
type DeleteOptions = Options<typeof deleteApi> & Partial<Options<typeof deleteWebhook>>;

const ROLE = "config/rbac/role.yaml";
const CRD_LIST = "config/crd/kustomization.yaml";

/** Deletes an API, a controller or a webhook; returns the exit code. */
export async function deleteFrom(
  thing: DeletedThing,
  options: DeleteOptions,
  context: CliContext,
): Promise<number> {
  return changeProject(context, options, async (project, draft) => {
    const { root } = project;
    const resource = findResource(project, thing, options);
    const { findClasses } = await import("../../../generator/find-classes.ts");
    const classes = findClasses(root);
    const deletions = deletionsOf(project, thing, resource, options);
    const deletion = await planDeletion(draft, project, classes, deletions, {
      force: options.force,
      dialog: dialogFor(context, options),
    });
    await regenerate({ draft, ...deletion }, project, classes, options, context);
    const gone = [...draft.files].filter(([, text]) => text === undefined);
    const record = await recordAfter(root, new Map(gone));
    if (record !== undefined) draft.set(RECORD_FILE, record);
    const { bold, yellow } = paint(context);
    const group = apiGroupOf(project, resource);
    const inClusters =
      "the CRD and objects in a cluster are kept; to remove them, run `tsop uninstall` before you delete the kind";
    return {
      heading: `${bold(resource.kind)} ${apiVersionOf({ ...resource, group })}`,
      notes: [
        ...deletion.notes.map((note) => `${yellow("note")} ${note}`),
        ...deletion.stays.map((what) => `${yellow("stays")} ${what}`),
      ],
      next: ["npx tsop manifests && npm test", ...(thing === "api" ? [inClusters] : [])],
      code: deletion.stays.length === 0 ? ExitCode.ok : ExitCode.failure,
    };
  });
}

/** The version of the kind that was asked for. @throws UsageError `missing-version`, `missing-kind`, `not-in-project` */
function findResource(
  project: Project,
  thing: DeletedThing,
  options: DeleteOptions,
): ProjectResource {
  const { group, version, kind } = options;
  if (version === undefined || kind === undefined) {
    throw missingFlags(options, `tsop delete ${thing} --group web --version v1 --kind MyWeb`);
  }
  const isAsked = (one: ProjectResource): boolean =>
    one.group === group ||
    apiGroupOf(project, one) === group ||
    (one.core === true && isGroup(group, one.group));
  const found = project.resources.find(
    (one) => one.kind === kind && one.version === version && isAsked(one),
  );
  if (found) return found;
  const there = project.resources.map(
    (one) =>
      `${one.group === "" ? "" : `--group ${one.group} `}--version ${one.version} --kind ${one.kind}`,
  );
  throw new UsageError(
    "not-in-project",
    `${PROJECT_FILE} has no ${kind} ${version} in the group ${apiGroupOf(project, { group })}.`,
    there.length === 0 ? "The project has no kinds yet." : `It has ${there.join(", ")}.`,
  );
}

const NOTHING: DeletedParts = {
  api: false,
  controller: false,
  defaulting: false,
  validation: false,
  spokes: [],
};

/** The deleted parts: of the kind itself, and of the hub that converts a deleted version. */
function deletionsOf(
  project: Project,
  thing: DeletedThing,
  resource: ProjectResource,
  options: DeleteOptions,
): readonly Deletion[] {
  const { webhooks = {} } = resource;
  const spokes = webhooks.spokes ?? [];
  if (thing === "controller") {
    if (resource.controller) return [{ resource, parts: { ...NOTHING, controller: true } }];
    throw nothingThere(`${resource.kind} ${resource.version} has no controller.`);
  }
  if (thing === "webhook") {
    return [{ resource, parts: { ...NOTHING, ...webhookParts(resource, options) } }];
  }
  const parts = { api: true, controller: true, defaulting: true, validation: true, spokes };
  const hubs = project.resources.filter(
    (one) => isSameKind(one, resource) && one.webhooks?.spokes?.includes(resource.version),
  );
  return [
    ...hubs.map((hub) => ({ resource: hub, parts: { ...NOTHING, spokes: [resource.version] } })),
    { resource, parts },
  ];
}

function webhookParts(
  { kind, version, webhooks = {} }: ProjectResource,
  { defaulting = false, validation = false, conversion = false, spoke = [] }: DeleteOptions,
): Pick<DeletedParts, "defaulting" | "validation" | "spokes"> {
  const { spokes: known = [] } = webhooks;
  const all = !defaulting && !validation && !conversion && spoke.length === 0;
  const parts = {
    defaulting: (all || defaulting) && webhooks.defaulting === true,
    validation: (all || validation) && webhooks.validation === true,
    spokes:
      all || (conversion && spoke.length === 0)
        ? known
        : known.filter((one) => spoke.includes(one)),
  };
  const asked = { defaulting, validation, conversion: conversion || spoke.length > 0 };
  const found = { ...parts, conversion: parts.spokes.length > 0 };
  const missing = (["defaulting", "validation", "conversion"] as const).find(
    (type) => asked[type] && !found[type],
  );
  if (missing !== undefined)
    throw nothingThere(`${kind} ${version} has no webhook for ${missing}.`);
  if (!found.defaulting && !found.validation && !found.conversion) {
    throw nothingThere(`${kind} ${version} has no webhooks.`);
  }
  return parts;
}

const nothingThere = (message: string): UsageError =>
  new UsageError(
    "not-in-project",
    message,
    "`tsop list` shows the kinds, webhooks, and plugins of the project.",
  );

/**
 * Generates again the files of `tsop manifests` for the kinds that are left, where it wrote some.
 */
async function regenerate(
  { draft, notes }: DeletionPlan & { readonly draft: Draft },
  project: Project,
  classes: readonly KindClass[],
  { force }: DeleteOptions,
  context: CliContext,
): Promise<void> {
  const { root } = project;
  const after = parseProject(root, (await draft.read(PROJECT_FILE)) ?? "");
  const hasKinds = classes.some(({ external, file }) => !external && !draft.isGone(file));
  if (!hasKinds && classes.some(({ external }) => !external)) {
    await draft.edit(defaultList, (text) =>
      withoutListEntry(defaultList, text, "resources", "../crd"),
    );
  }
  if (!isGenerated(await readIfThere(join(root, ROLE)))) return;
  const { generateEdited } = await import("../../../generator/generate.ts");
  const { files, diagnostics } = await generateEdited(root, draft.files, after);
  if (diagnostics.some(({ severity }) => severity === "error")) {
    if (!force) throw new SourceError(diagnostics);
    for (const diagnostic of diagnostics) printDiagnostic(diagnostic, context);
    notes.push(
      "config/crd and config/rbac are as before: run `tsop manifests` when the lines above are fixed.",
    );
    return;
  }
  await setGenerated(draft, after, files);
}

async function setGenerated(
  draft: Draft,
  project: Project,
  files: ReadonlyMap<string, string>,
): Promise<void> {
  const { root } = draft;
  const keepsService = await hasOwnWebhookService(root);
  for (const [path, text] of files) {
    if (!(keepsService && path === "config/webhook/service.yaml")) draft.set(path, text);
  }
  for (const path of leftOvers(root, files)) draft.set(path, undefined);
  if (!files.has(CRD_LIST) && isGenerated(await draft.read(CRD_LIST)))
    draft.set(CRD_LIST, undefined);
  // The state after `tsop init`, where nothing has been generated yet.
  const isBare = project.resources.length === 0 && files.size === 1;
  if (isBare && /^rules: \[\]$/m.test(files.get(ROLE) ?? "")) draft.set(ROLE, undefined);
  for (const [path, text] of await listOfRoles(root, files)) draft.set(path, text);
}
