/**
 * `tsop upgrade`: merges the frame that this version of tsop scaffolds with the user's changes.
 */
import { join } from "node:path";
import { commandTable } from "../../help.ts";
import { TsopError } from "../../../errors.ts";
import { ExitCode, paint } from "../../output.ts";
import { packageVersion } from "../../package-info.ts";
import { changeProject } from "../../project/change-project.ts";
import { dialogFor, type ConflictDialog } from "../../project/conflict-dialog.ts";
import { defaultList } from "../../project/default-list.ts";
import type { Draft } from "../../project/draft.ts";
import { frameOf } from "../../project/upgrade/frame.ts";
import { INDEXES } from "../../project/sources/index-file.ts";
import { mainPath } from "../../project/sources/main-path.ts";
import { moveToIndexes } from "../../project/sources/wiring.ts";
import { wiredOf } from "../../project/webhooks/webhook-files.ts";
import type { Part } from "../../project/part-names.ts";
import { enabledParts, withoutNewParts } from "../../project/parts.ts";
import type { Project } from "../../project/project-file.ts";
import {
  findRecord,
  recordText,
  type ScaffoldRecord,
} from "../../project/scaffold/scaffold-record.ts";
import { RECORD_FILE } from "../../project/tsop-folder.ts";
import { upgradeFile } from "../../project/upgrade/upgrade-merge.ts";
import type { Run } from "../../command.ts";
import type { upgrade } from "./flags.ts";

const MAIN = "src/main.ts";

/** Brings the project to this version; returns the exit code: 1 when conflicts were written. */
export const run: Run<typeof upgrade> = async (options, context, program) => {
  return changeProject(context, options, async (project, draft) => {
    const record = await recordOf(project.root);
    const frame = await frameOf(project, record.files, commandTable(program));
    const { bold, yellow } = paint(context);
    const version = packageVersion();
    const dialog = options.conflicts === "stop" ? dialogFor(context, options) : undefined;
    const { notes, conflicts } = await mergeFrame(draft, project, record, frame, dialog);
    context.out(`${bold("upgrade")} ${record.version} -> ${version}`);
    for (const note of notes) context.err(`${yellow("note")} ${note}.`);
    if (conflicts.length > 0 && !dialog && options.conflicts === "stop")
      throw conflicting(conflicts);
    draft.set(RECORD_FILE, recordText({ version, files: frame }));
    return {
      warnings: conflicts.map((place) => `${yellow("conflict")} ${place}`),
      next: [
        ...(conflicts.length > 0 ? ["choose between the marked lines, then"] : []),
        "npm install && npx tsop manifests && npm test",
      ],
      code: conflicts.length > 0 ? ExitCode.failure : ExitCode.ok,
    };
  });
};

/** @throws TsopError `no-scaffold-record`, `newer-scaffold` */
async function recordOf(root: string): Promise<ScaffoldRecord> {
  const record = await findRecord(root);
  if (!record) {
    throw new TsopError(
      "no-scaffold-record",
      `${join(root, RECORD_FILE)} is missing, so tsop cannot tell your changes from the scaffold.`,
      "Restore it from version control. If you cannot, scaffold a project with the same name in another folder and compare.",
    );
  }
  const version = packageVersion();
  if (!isNewer(record.version, version)) return record;
  throw new TsopError(
    "newer-scaffold",
    `The project was scaffolded by tsop ${record.version}, and this is ${version}.`,
    "Update tsop first: `npm install tsop@latest`; nothing was written.",
  );
}

/** Whether one version comes after another; what is behind a dash is not looked at. */
function isNewer(one: string, other: string): boolean {
  const numbers = (version: string): number[] =>
    (version.split("-")[0] ?? "").split(".").map(Number);
  const [first, second] = [numbers(one), numbers(other)];
  const index = first.findIndex((number, at) => number !== second[at]);
  return index !== -1 && (first[index] ?? 0) > (second[index] ?? 0);
}

interface MergedFrame {
  readonly notes: readonly string[];
  /** The places of conflicts, as `file:line`. */
  readonly conflicts: readonly string[];
}

async function mergeFrame(
  draft: Draft,
  project: Project,
  record: ScaffoldRecord,
  frame: ReadonlyMap<string, string>,
  dialog: ConflictDialog | undefined,
): Promise<MergedFrame> {
  const { root, projectName } = project;
  const names = {
    mine: "yours",
    base: `tsop ${record.version}`,
    theirs: `tsop ${packageVersion()}`,
  };
  const enabled = await enabledParts(draft);
  await moveToIndexes(draft, wiredOf(project), `${projectName}-`);
  const notes: string[] = [];
  const conflicts: string[] = [];
  for (const scaffolded of new Set([...record.files.keys(), ...frame.keys()])) {
    const path = scaffolded === MAIN ? await mainPath(root) : scaffolded;
    const mine = await draft.read(path);
    let theirs = frame.get(scaffolded);
    // An earlier tsop may have made an index with the first controller, and not recorded it.
    const isIndex = mine !== undefined && INDEXES.some((index) => index.path === path);
    const base = record.files.get(scaffolded) ?? (isIndex ? theirs : undefined);
    if (scaffolded === defaultList && base !== undefined && theirs !== undefined) {
      const wanted = withoutNewParts({ base, theirs }, enabled);
      theirs = wanted.text;
      notes.push(...wanted.parts.map(newPart));
    }
    const file = { path, isMain: scaffolded === MAIN, namePrefix: `${projectName}-` };
    const after = upgradeFile(file, { base, mine, theirs }, names);
    if (after.note !== undefined) notes.push(`${path} ${after.note}`);
    let { text } = after;
    if (after.conflicts) {
      const change = { path, before: mine, after: after.theirs };
      const answer = (await dialog?.ask(change, { canMerge: true })) ?? "merge";
      if (answer === "merge") conflicts.push(...after.conflicts.map((line) => `${path}:${line}`));
      else text = answer === "skip" ? mine : after.theirs;
    }
    if (text !== mine) draft.set(path, text);
  }
  return { notes, conflicts };
}

const newPart = (part: Part): string =>
  `the part ${part} is in new projects now; this one gets it by \`tsop edit --enable ${part}\``;

function conflicting(places: readonly string[]): TsopError {
  return new TsopError(
    "merge-conflict",
    `You changed the same lines as the new version: ${places.join(", ")}.`,
    "Run the command with --conflicts markers, which writes both versions of the lines, and choose; nothing was written.",
  );
}
