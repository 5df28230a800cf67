/**
 * The way from `src/main.ts` to controllers and webhooks: two index files, and one call of each in the main file.
 * Statements of the user elsewhere stay there.
 */
import { posix } from "node:path";
import { TsopError } from "../../../errors.ts";
import type { Draft } from "../draft.ts";
import type { Consent } from "../removal.ts";
import { findRecord } from "../scaffold/scaffold-record.ts";
import { renderTemplates } from "../scaffold/scaffold.ts";
import {
  isEmptyIndex,
  INDEXES,
  withEntry,
  withoutEmptyBody,
  type Index,
  type IndexSort,
} from "./index-file.ts";
import { openSource, usesName, withServer, withSetUp } from "./main-file.ts";
import { mainPath } from "./main-path.ts";
import { withoutModules, withoutOwnLines } from "./module-removal.ts";

/** An export that the manager is given. */
export interface Wired {
  readonly sort: IndexSort;
  readonly name: string;
  /** The file that exports it, in the project. */
  readonly file: string;
}

const moduleFrom = (path: string, file: string): string =>
  posix.relative(posix.dirname(path), file).replace(/^(?!\.)/, "./");

/**
 * Adds the statements that give the manager exports, each unless it is there already.
 *
 * @param namePrefix - the prefix of the names of the project's objects in the deployment
 * @throws TsopError `no-main`, `main-not-understood` with the lines to add
 */
export async function wire(
  draft: Draft,
  wired: readonly Wired[],
  namePrefix: string,
): Promise<void> {
  if (wired.length === 0) return;
  const main = await mainPath(draft.root);
  const before = await draft.require(main);
  let text = before;
  const tree = openSource(before);
  for (const index of INDEXES) {
    const missing = wired.filter(({ sort, name }) => sort === index.sort && !usesName(tree, name));
    if (missing.length === 0) continue;
    const path = indexPath(text, index);
    const listed = (await draft.read(path)) ?? (await emptyIndex(draft.root, index));
    const after = missing.reduce(
      (now, { name, file }) => withEntry(index, path, now, { name, from: moduleFrom(path, file) }),
      listed,
    );
    draft.set(path, after);
    text = withIndex(text, index, path, namePrefix);
  }
  if (text !== before) draft.set(main, text);
}

/** The main file with the call of an index, and with the server of webhooks for theirs. */
function withIndex(text: string, index: Index, path: string, namePrefix: string): string {
  const { setUp } = index;
  const from = moduleFrom("src/main.ts", path);
  if (index.sort === "controllers") return withSetUp(text, { setUp, from });
  const lines = [`import { ${setUp} } from "${from}";`, `${setUp}(manager);`];
  return withSetUp(withServer(text, namePrefix, lines), { setUp, from });
}

/** The main file as a project of this tsop has it: it calls both indexes, and can serve webhooks. */
export function withIndexes(text: string, namePrefix: string): string {
  return INDEXES.reduce(
    (now, index) => withIndex(now, index, indexPath(text, index), namePrefix),
    text,
  );
}

/** The main file without the calls of the indexes. */
export const withoutIndexes = (text: string): string =>
  withoutModules(text, (module) =>
    INDEXES.some((index) => posix.join("src", module) === indexPath(text, index)),
  ).text;

/** The path of an index: the one that the main file imports, since the user may have moved it. */
function indexPath(main: string, { setUp, path }: Index): string {
  const declared = openSource(main)
    .getImportDeclarations()
    .find(
      (one) =>
        one.getModuleSpecifierValue().startsWith(".") &&
        one.getNamedImports().some((named) => named.getName() === setUp),
    );
  return declared ? posix.join("src", declared.getModuleSpecifierValue()) : path;
}

async function emptyIndex(root: string, { path }: Index): Promise<string> {
  const wants = (one: string): boolean => one === path;
  const files = await renderTemplates({ root, template: "init", values: {}, wants });
  return files.get(path) ?? "";
}

/**
 * Removes the lines that give the manager exports of deleted files.
 *
 * @throws TsopError `main-not-understood`, and `file-changed` unless `force`, where lines of the user would be lost
 */
export async function unwire(draft: Draft, options: Consent): Promise<void> {
  const main = await mainPath(draft.root).catch(() => undefined);
  const text = main === undefined ? undefined : await draft.read(main);
  const indexes = INDEXES.map((index) => ({ index, path: indexPath(text ?? "", index) }));
  const record = await findRecord(draft.root);
  for (const { index, path } of indexes) {
    await removeUses(draft, path, options);
    await draft.edit(path, (now) => withoutEmptyBody(index, now));
    // A project of an earlier tsop has an index only for what was created since.
    const after = await draft.read(path);
    const isWanted = !draft.files.has(path) || record?.files.has(index.path);
    if (after !== undefined && !isWanted && isEmptyIndex(index, after)) {
      draft.set(path, undefined);
    }
  }
  if (main !== undefined) await removeUses(draft, main, options);
}

async function removeUses(draft: Draft, path: string, { force }: Consent): Promise<void> {
  const text = await draft.read(path);
  if (text === undefined) return;
  const isGone = (module: string): boolean =>
    module.startsWith(".") && draft.isGone(posix.join(posix.dirname(path), module));
  const found = withoutModules(text, isGone);
  const [foreign] = found.foreign;
  if (foreign !== undefined) {
    throw new TsopError(
      "main-not-understood",
      `${path}:${foreign.replace(": ", " uses `")}\`, but not the way tsop generates it, and the command would delete its target.`,
      "Remove that use, then run the command again; nothing was written.",
    );
  }
  const [changed] = found.changed;
  if (changed !== undefined && !force) {
    throw new TsopError(
      "file-changed",
      `${path}:${changed.replace(": ", " would be deleted, but you changed it: `")}\`.`,
      "Move your changes elsewhere, or delete with --force.",
    );
  }
  if (found.text !== text) draft.set(path, found.text);
}

/**
 * Moves the lines that an earlier tsop wrote into the main file to the indexes. Lines that the user changed stay, and
 * so does a main file that has no place for the calls of the indexes.
 */
export async function moveToIndexes(
  draft: Draft,
  wired: readonly Pick<Wired, "sort" | "name">[],
  namePrefix: string,
): Promise<void> {
  const main = await mainPath(draft.root);
  let text = (await draft.read(main)) ?? "";
  try {
    withIndexes(text, namePrefix);
  } catch (error) {
    if (error instanceof TsopError) return;
    throw error;
  }
  for (const { sort, name } of wired) {
    const index = INDEXES.find((one) => one.sort === sort);
    const moved = index && withoutOwnLines(text, name);
    if (!moved) continue;
    const path = indexPath(text, index);
    const before = (await draft.read(path)) ?? (await emptyIndex(draft.root, index));
    const from = moduleFrom(path, posix.join("src", moved.from));
    draft.set(path, withEntry(index, path, before, { name, from }));
    text = moved.text;
  }
  if (text !== (await draft.read(main))) draft.set(main, text);
}
