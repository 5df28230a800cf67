/** The file with which the operator starts: `src/main.ts`, or the one that took its place. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { TsopError } from "../../../errors.ts";
import { readIfThere } from "../plan.ts";

const USUAL = "src/main.ts";
const SOURCE = /^[^.].*(?<!\.d|\.test)\.ts$/;

/**
 * The path in the project of the file that starts the operator. A renamed one is found by its `createManager`.
 *
 * @throws TsopError `no-main` where there is none, or more than one that it could be
 */
export async function mainPath(root: string): Promise<string> {
  if ((await readIfThere(join(root, USUAL))) !== undefined) return USUAL;
  const names = (await readdir(join(root, "src")).catch(() => [])).filter((one) =>
    SOURCE.test(one),
  );
  const starting: string[] = [];
  for (const name of names.sort()) {
    const text = (await readIfThere(join(root, "src", name))) ?? "";
    if (/\bcreateManager\s*\(/.test(text)) starting.push(`src/${name}`);
  }
  const [found, ...others] = starting;
  if (found !== undefined && others.length === 0) return found;
  throw new TsopError(
    "no-main",
    found === undefined
      ? `There is no ${USUAL} in ${root}, and no other file of src calls createManager().`
      : `There is no ${USUAL} in ${root}, and createManager() is called in ${starting.join(", ")}.`,
    `Restore the file from version control, or give the file that starts the operator the name ${USUAL}; nothing was written.`,
  );
}
