/** Data directories of control planes in a project's `.tsop`: one of a cloned repository is not served. */
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { TsopError } from "../../errors.ts";
import { OwnState } from "../../own-state.ts";
import { isInProjectFolder } from "../../project-folder.ts";

/** The keys of a control plane: whoever made the directory has them. */
const KEYS = "keys.json";

const stateOf = (folder: string): OwnState => OwnState.about(folder, "data directory");

/**
 * Refuses a directory in `.tsop` with content that no control plane of this user made: its objects could have the control
 * plane send what it stores to somebody else's webhooks, and its keys are known to others. Other directories are the
 * user's own choice.
 *
 * @throws TsopError `foreign-data-dir`
 */
export function requireOwnDataDir(folder: string): void {
  if (!isInProjectFolder(folder) || !existsSync(folder) || readdirSync(folder).length === 0) return;
  const keys = keysOf(folder);
  if (keys !== undefined && stateOf(folder).read()?.["keys"] === keys) return;
  throw new TsopError(
    "foreign-data-dir",
    `${folder} has objects that no \`tsop cluster\` of yours stored there.`,
    "If they came with the repository, delete the folder. If you trust them, move the folder out of .tsop and pass its new path.",
  );
}

/** Remembers that this user's control plane made the directory. @throws TsopError `no-state-folder` */
export function claimDataDir(folder: string): void {
  if (isInProjectFolder(folder)) stateOf(folder).write({ keys: keysOf(folder) ?? "" });
}

function keysOf(folder: string): string | undefined {
  const file = join(folder, KEYS);
  if (!existsSync(file)) return undefined;
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
