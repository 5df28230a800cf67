/**
 * `tsop manifests` when nothing changed, which is what most runs find: told before the commands are loaded.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { formatDiagnostic } from "../../errors.ts";
import { warningsIfUpToDate } from "../../generator/stamp.ts";
import type { CliContext } from "../context.ts";
import { foldersUp, PROJECT_FILE } from "./project-root.ts";

/** The message of a command that had nothing to write. */
export const NOTHING_TO_CHANGE = "  nothing to change";

/** Says that the manifests match the code; false, without a word, when they may not. */
export async function saidUnchanged(context: CliContext): Promise<boolean> {
  const root = [...foldersUp(context.cwd)].find((folder) => existsSync(join(folder, PROJECT_FILE)));
  const warnings = root === undefined ? undefined : warningsIfUpToDate(root);
  if (!warnings) return false;
  for (const warning of warnings) context.err(formatDiagnostic(warning));
  if (context.color) {
    const { paint } = await import("../output.ts");
    context.out(paint(context).dim(NOTHING_TO_CHANGE));
  } else {
    context.out(NOTHING_TO_CHANGE);
  }
  return true;
}
