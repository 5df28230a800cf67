/** The plan of a command's writes, and its execution: all of it or nothing. */
import { mkdir, readlink, realpath, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import { TsopError, UsageError } from "../../errors.ts";
import type { CliContext } from "../context.ts";
import { fileProblem } from "../file-errors.ts";
import { paint } from "../output.ts";
import { NOTHING_TO_CHANGE } from "./unchanged.ts";
import { removeUnfinished, unfinishedName } from "./unfinished-files.ts";
import type { OptionOf } from "../command.ts";
import type { diff, dryRun } from "../shared-flags.ts";
import { readRegularFile } from "../../regular-file.ts";

/** A file that differs from the wanted one. `undefined` stands for an absent file. */
export interface FileChange {
  /** The path relative to the plan's root, with `/`. */
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
  /** A program: whoever can read the file can run it. */
  readonly executable?: boolean;
}

/** The changes of a command to the files under `root`. */
export interface Plan {
  readonly root: string;
  readonly changes: readonly FileChange[];
  /** Files that are as wanted already, or that are the user's and stay. */
  readonly unchanged: readonly string[];
}

/** The options of every writing command. */
export type PlanOptions = Partial<OptionOf<typeof dryRun> & OptionOf<typeof diff>>;

/**
 * Compares `wanted` (path to content; `undefined` removes) with the disk. Reads only. A file that has
 * Windows' line ends keeps them.
 *
 * @param programs - those of the files that can be run
 * @throws TsopError `outside-project` where a symbolic link leads out of the root
 */
export async function planFiles(
  root: string,
  wanted: ReadonlyMap<string, string | undefined>,
  programs: ReadonlySet<string> = new Set(),
): Promise<Plan> {
  const changes: FileChange[] = [];
  const unchanged: string[] = [];
  for (const [path, content] of wanted) {
    await requireInside(root, path);
    const before = await readIfThere(join(root, path));
    const after = before?.includes("\r\n") ? content?.replace(/\r?\n/g, "\r\n") : content;
    if (before === after) unchanged.push(path);
    else changes.push({ path, before, after, ...(programs.has(path) && { executable: true }) });
  }
  return { root, changes, unchanged };
}

/** Prints one line per change, and the changed lines when `diff` is set. */
export async function showPlan(
  plan: Plan,
  context: CliContext,
  options: PlanOptions,
): Promise<void> {
  const { green, yellow, red, dim } = paint(context);
  const labels = { create: green, update: yellow, delete: red };
  for (const change of plan.changes) {
    const action = actionOf(change);
    context.out(`  ${labels[action](action)} ${change.path}`);
    if (options.diff) {
      const { createTwoFilesPatch } = await import("diff");
      const patch = createTwoFilesPatch(
        change.before === undefined ? "/dev/null" : `a/${change.path}`,
        change.after === undefined ? "/dev/null" : `b/${change.path}`,
        change.before ?? "",
        change.after ?? "",
        undefined,
        undefined,
        { context: 2 },
      );
      for (const line of patch.split(/\r?\n/).slice(1, -1)) {
        if (line.startsWith("+")) context.out(green(line));
        else if (line.startsWith("-")) context.out(red(line));
        else context.out(dim(line));
      }
    }
  }
}

/** The changes of a plan, for programs. */
export const changesOf = (plan: Plan): { action: string; path: string }[] =>
  plan.changes.map((change) => ({ action: actionOf(change), path: change.path }));

/** Shows the plan and, unless it is a dry run, applies it. */
export async function carryOut(
  plan: Plan,
  context: CliContext,
  options: PlanOptions,
): Promise<void> {
  await showPlan(plan, context, options);
  const { dim } = paint(context);
  if (plan.changes.length === 0) context.out(dim(NOTHING_TO_CHANGE));
  if (options.dryRun) context.out(dim("  dry run: nothing was written"));
  else await applyPlan(plan, context);
}

/**
 * Writes the plan. New contents are on the disk before the first file changes its name; when a
 * rename fails, those before it are taken back.
 *
 * @throws TsopError `write-failed`, `changed-meanwhile` or `outside-project`, with the files as they were
 */
export async function applyPlan(
  plan: Plan,
  context: Pick<CliContext, "untilInterrupted">,
): Promise<void> {
  context.untilInterrupted(); // A Ctrl-C waits from here on: all files are written, or none.
  const staged: { readonly change: FileChange; target: string; temporary: string }[] = [];
  const madeFolders: string[] = [];
  const done: FileChange[] = [];
  try {
    if (plan.changes.length > 0) {
      const paths = [...plan.changes.map(({ path }) => path), ...plan.unchanged];
      await removeUnfinished(plan.root, paths);
    }
    for (const change of plan.changes) {
      await requireAsPlanned(plan.root, change);
      if (change.after === undefined) continue;
      const path = join(plan.root, change.path);
      const first = await mkdir(dirname(path), { recursive: true });
      if (first !== undefined) madeFolders.push(first);
      // The target of a link is written; the link stays.
      const target = change.before === undefined ? path : await realpath(path);
      const temporary = unfinishedName(target);
      staged.push({ change, target, temporary });
      await writeFile(temporary, change.after, {
        mode: change.executable ? 0o755 : 0o666,
        flag: "wx", // Not through a link of that name.
      });
    }
    for (const { change, target, temporary } of staged) {
      await rename(temporary, target);
      done.push(change);
    }
    for (const change of plan.changes) {
      if (change.after !== undefined) continue;
      await requireAsPlanned(plan.root, change);
      await rm(join(plan.root, change.path), { force: true });
      done.push(change);
    }
    const gone = plan.changes.filter(({ after }) => after === undefined);
    for (const { path } of gone) await removeEmptyFolders(plan.root, dirname(path));
  } catch (error) {
    await takeBack(plan.root, done, staged, madeFolders);
    if (error instanceof TsopError) throw error;
    const { problem, fix } = fileProblem(error);
    const { path = plan.root } = error as NodeJS.ErrnoException;
    throw new TsopError(
      "write-failed",
      `${path} could not be written: ${problem}.`,
      `Nothing was changed. ${fix}`,
      { cause: error },
    );
  }
}

/** A plan is of the files as they were: what somebody else wrote since then is not overwritten. */
async function requireAsPlanned(root: string, { path, before }: FileChange): Promise<void> {
  await requireInside(root, path);
  if ((await readIfThere(join(root, path))) === before) return;
  throw new TsopError(
    "changed-meanwhile",
    `${path} was changed by another program while the command ran.`,
    "Nothing was changed. Run the command again.",
  );
}

/** Refuses a path that is outside of the root, be it by its own steps or by symbolic links in it. */
async function requireInside(root: string, path: string): Promise<void> {
  const [top, target] = [
    await realTarget(resolve(root)),
    await realTarget(resolve(join(root, path))),
  ];
  if (isBelow(target, top)) return;
  throw new TsopError(
    "outside-project",
    `${path} leads out of the project, to ${target}.`,
    "Replace the symbolic link by a folder or a file of the project; nothing was changed.",
  );
}

/** The path to which links lead, or would lead if the file were there. */
export async function realTarget(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    const folder = dirname(path);
    if (folder === path) return path;
    const link = await readlink(path).catch(() => undefined);
    return resolve(await realTarget(folder), link ?? basename(path));
  }
}

/** Whether a path is the folder or below it; both are absolute. */
export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (way !== ".." && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

async function takeBack(
  root: string,
  done: readonly FileChange[],
  staged: readonly { readonly temporary: string }[],
  madeFolders: readonly string[],
): Promise<void> {
  for (const { path, before } of done) {
    if (before === undefined) await rm(join(root, path), { force: true });
    else {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), before);
    }
  }
  for (const { temporary } of staged) await rm(temporary, { force: true });
  for (const folder of madeFolders) {
    // Only folders that this run made are in the list; one that is not empty by now stays.
    await removeEmptyTree(folder);
  }
}

/** Folders that the removal of a file left empty, up to the root. */
async function removeEmptyFolders(root: string, folder: string): Promise<void> {
  if (folder === ".") return;
  const removed = await rmdir(join(root, folder)).then(
    () => true,
    () => false,
  );
  if (removed) await removeEmptyFolders(root, dirname(folder));
}

async function removeEmptyTree(folder: string): Promise<void> {
  const { readdir } = await import("node:fs/promises");
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) {
    if (entry.isDirectory()) await removeEmptyTree(join(folder, entry.name));
  }
  await rmdir(folder).catch(() => undefined);
}

/** The content of a file, or `undefined` when there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return (await readRegularFile(path)).toString();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    const { problem, fix } = fileProblem(error);
    throw new TsopError("read-failed", `${path} cannot be read: ${problem}.`, fix, {
      cause: error,
    });
  }
}

/**
 * The content of a file that a command adds something to.
 *
 * @throws UsageError `file-missing`
 */
export async function requireFile(root: string, path: string): Promise<string> {
  const text = await readIfThere(join(root, path));
  if (text !== undefined) return text;
  throw new UsageError(
    "file-missing",
    `${path} does not exist, but the command must add to it.`,
    "Restore it from version control; nothing was written.",
  );
}

/** The change of a file, as a word. */
export function actionOf(change: FileChange): "create" | "update" | "delete" {
  if (change.after === undefined) return "delete";
  return change.before === undefined ? "create" : "update";
}
