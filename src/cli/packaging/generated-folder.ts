/**
 * A folder that a command generates and people edit: what they changed is kept.
 *
 * The file `.generated.json` beside the files holds a hash of each as it was written. A file that still has it is the
 * command's, every other one is the user's.
 */
import { createHash } from "node:crypto";
import { join, posix } from "node:path";
import { isJsonObject } from "../../kube/json.ts";
import { planFiles, type Plan, readIfThere } from "../project/plan.ts";

/** The changes to the folder, and the files of the user that stay as they are. */
export interface FolderPlan {
  readonly plan: Plan;
  /** Files that were changed by hand and differ from what would be written. */
  readonly kept: readonly string[];
}

const RECORD = ".generated.json";

/**
 * Compares the files that are wanted with those of the folder.
 *
 * @param root - the project
 * @param folder - relative to it
 * @param files - by their path in the folder, or beside it: `../bundle.Dockerfile`
 * @param options - `force` takes files of the user, too
 */
export async function planGeneratedFolder(
  root: string,
  folder: string,
  files: ReadonlyMap<string, string>,
  options: { readonly force: boolean },
): Promise<FolderPlan> {
  const record = await readRecord(join(root, folder, RECORD), new Set(files.keys()));
  const wanted = new Map<string, string | undefined>();
  const hashes: Record<string, string> = {};
  const kept: string[] = [];
  for (const name of new Set([...files.keys(), ...Object.keys(record)])) {
    const before = await readIfThere(join(root, folder, name));
    const after = files.get(name);
    const isOurs = before === undefined || before === after || hashOf(before) === record[name];
    if (isOurs || options.force) {
      wanted.set(posix.join(folder, name), after);
      if (after !== undefined) hashes[name] = hashOf(after);
    } else {
      if (record[name] !== undefined && after !== undefined) hashes[name] = record[name];
      kept.push(posix.join(folder, name));
    }
  }
  const sorted = Object.fromEntries(
    Object.entries(hashes).sort(([one], [other]) => (one < other ? -1 : 1)),
  );
  wanted.set(`${folder}/${RECORD}`, `${JSON.stringify(sorted, undefined, 2)}\n`);
  return { plan: await planFiles(root, wanted), kept };
}

/** The hashes in the record. What is outside of the folder counts only when it is written now: nothing else is removed. */
async function readRecord(
  path: string,
  files: ReadonlySet<string>,
): Promise<Record<string, string>> {
  const text = await readIfThere(path);
  if (text === undefined) return {};
  try {
    const value: unknown = JSON.parse(text);
    if (!isJsonObject(value)) return {};
    return Object.fromEntries(
      Object.entries(value).filter((entry): entry is [string, string] => {
        const [name, hash] = entry;
        return typeof hash === "string" && (files.has(name) || !name.split("/").includes(".."));
      }),
    );
  } catch {
    // Without a record nothing counts as the command's own.
    return {};
  }
}

function hashOf(text: string): string {
  return createHash("sha256").update(text.replaceAll("\r\n", "\n")).digest("hex");
}
