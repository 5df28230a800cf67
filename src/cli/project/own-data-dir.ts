/** Data directories of control planes in a project's `.tsop`: files that came with a repository are not served. */
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { sameJson } from "../../kube/json.ts";
import { TsopError } from "../../errors.ts";
import { OwnState } from "../../own-state.ts";
import { isInProjectFolder } from "../../project-folder.ts";
import { readRegularFileSync } from "../../regular-file.ts";

/** The files that a control plane reads. */
const FILES = ["keys.json", "snapshot.jsonl", "changes.jsonl"];

const stateOf = (folder: string): OwnState => OwnState.about(folder, "data directory");

/**
 * Refuses a directory in `.tsop` whose files a control plane of this user did not leave as they are: their objects could have the
 * control plane send what it stores to webhooks of their author. Other directories are the user's own choice.
 *
 * After a crash the content is not known. The files must then be those that the control plane created: git replaces files.
 *
 * @throws TsopError `foreign-data-dir`
 */
export function requireOwnDataDir(folder: string): void {
  if (!isInProjectFolder(folder) || !existsSync(folder) || readdirSync(folder).length === 0) return;
  const fact = stateOf(folder).read() ?? {};
  const isOwn =
    fact["contents"] === undefined
      ? sameJson(fact["files"], eachOf(folder, identityOf))
      : sameJson(fact["contents"], eachOf(folder, contentOf));
  if (isOwn) return;
  throw new TsopError(
    "foreign-data-dir",
    `${folder} has files that no \`tsop cluster\` of yours left there.`,
    "If they came with the repository, delete the folder. If you trust them, move the folder out of .tsop and pass its new path.",
  );
}

/** Remembers the files of a control plane that begins to serve the directory. @throws TsopError `no-state-folder` */
export function claimDataDir(folder: string): void {
  if (isInProjectFolder(folder)) stateOf(folder).write({ files: eachOf(folder, identityOf) });
}

/** Remembers the content that a control plane left when it stopped. @throws TsopError `no-state-folder` */
export function sealDataDir(folder: string): void {
  if (isInProjectFolder(folder)) stateOf(folder).write({ contents: eachOf(folder, contentOf) });
}

const eachOf = (folder: string, read: (file: string) => string): Record<string, string> =>
  Object.fromEntries(FILES.map((name) => [name, read(join(folder, name))]));

/** What a file keeps while it is written to, and loses when another takes its place. */
function identityOf(file: string): string {
  const stat = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  // Inode numbers are used again.
  return stat ? [stat.dev, stat.ino, stat.birthtimeNs].join(" ") : "";
}

const contentOf = (file: string): string =>
  existsSync(file) ? createHash("sha256").update(readRegularFileSync(file)).digest("hex") : "";
