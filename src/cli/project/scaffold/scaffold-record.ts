/**
 * The scaffolded text, word for word: the base of the merge by which `tsop upgrade` brings a
 * project to another version.
 */
import { join } from "node:path";
import { TsopError } from "../../../errors.ts";
import { isJsonObject } from "../../../kube/json.ts";
import { packageVersion } from "../../package-info.ts";
import { POLICY_LIST, WEBHOOK_POLICY, WEBHOOK_POLICY_FILE } from "../part-names.ts";
import { readIfThere } from "../plan.ts";
import { RECORD_FILE } from "../tsop-folder.ts";
import { withListEntry, withoutListEntry } from "../yaml/user-yaml.ts";

/** The frame of a project as a version of tsop scaffolded it. */
export interface ScaffoldRecord {
  /** The version of tsop that did. */
  readonly version: string;
  /** Texts by path in the project. */
  readonly files: ReadonlyMap<string, string>;
}

/** The record of a project, if it has one. @throws TsopError `broken-scaffold-record` */
export async function findRecord(root: string): Promise<ScaffoldRecord | undefined> {
  const text = await readIfThere(join(root, RECORD_FILE));
  if (text === undefined) return undefined;
  try {
    const said: unknown = JSON.parse(text);
    if (!isJsonObject(said) || !isJsonObject(said["files"])) throw new Error("no object");
    const { version, files } = said;
    const entries = Object.entries(files);
    if (typeof version !== "string" || !entries.every(isText)) throw new Error("no texts");
    return { version, files: new Map(entries as [string, string][]) };
  } catch (error) {
    throw new TsopError(
      "broken-scaffold-record",
      `${join(root, RECORD_FILE)} is not a valid scaffold record.`,
      "Restore it from version control; nothing was written.",
      { cause: error },
    );
  }
}

const isText = ([, text]: readonly [string, unknown]): boolean => typeof text === "string";

/** The text of the file: one line a file of the project, so that version control merges it. */
export function recordText({ version, files }: ScaffoldRecord): string {
  const sorted = [...files].sort(([one], [other]) => (one < other ? -1 : 1));
  return `${JSON.stringify({ version, files: Object.fromEntries(sorted) }, undefined, 2)}\n`;
}

/** The record of a project that is scaffolded now. */
export const newRecord = (files: ReadonlyMap<string, string>): string =>
  recordText({ version: packageVersion(), files });

/**
 * The record after a command that adds and removes files of the frame; `undefined` for a project without one.
 *
 * @param changes - what the command writes, by path; `undefined` for a file that goes. One that is there is edited, and what
 *   was scaffolded stays the base
 * @param rendered - files that are written anew from templates although they are there
 */
export async function recordAfter(
  root: string,
  changes: ReadonlyMap<string, string | undefined>,
  rendered: ReadonlySet<string> = new Set(),
): Promise<string | undefined> {
  const record = await findRecord(root);
  if (!record) return undefined;
  const files = new Map(record.files);
  for (const [path, text] of changes) {
    if (text === undefined) files.delete(path);
    else if (rendered.has(path) || (await readIfThere(join(root, path))) === undefined) {
      files.set(path, text);
    }
  }
  const policies = files.get(POLICY_LIST);
  // The one list of the frame that is scaffolded in two ways: with webhooks, and without.
  if (policies !== undefined) {
    const listed = files.has(WEBHOOK_POLICY_FILE) ? withListEntry : withoutListEntry;
    files.set(POLICY_LIST, listed(POLICY_LIST, policies, "resources", WEBHOOK_POLICY));
  }
  return recordText({ ...record, files });
}
