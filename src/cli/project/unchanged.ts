/**
 * `tsop manifests` when nothing changed, which is what most runs find: told before the commands are loaded.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { warningsIfUpToDate } from "../../generator/stamp.ts";
import type { CliContext } from "../context.ts";
import { painter } from "../terminal-text.ts";
import { foldersUp, PROJECT_FILE } from "./project-root.ts";

/** The message of a command that had nothing to write. */
export const NOTHING_TO_CHANGE = "  nothing to change";

/** Says that the manifests match the code; false, without a word, when they may not. */
export async function saidUnchanged(context: CliContext): Promise<boolean> {
  const root = [...foldersUp(context.cwd)].find((folder) => existsSync(join(folder, PROJECT_FILE)));
  const warnings = root === undefined ? undefined : warningsIfUpToDate(root);
  if (!warnings) return false;
  if (warnings.length > 0) {
    const { printDiagnostic } = await import("../output.ts");
    for (const warning of warnings) printDiagnostic(warning, context);
  }
  context.out(painter(context.color).dim(NOTHING_TO_CHANGE));
  return true;
}
