/**
 * `tsop manifests` when nothing changed, which is what most runs find: told before the commands are loaded.
 */
import { warningsIfUpToDate } from "../../generator/stamp.ts";
import type { CliContext } from "../context.ts";
import { painter } from "../terminal-text.ts";
import { projectRootOf } from "./project-root.ts";

/** The message of a command that had nothing to write. */
export const NOTHING_TO_CHANGE = "  nothing to change";

/** Says that the manifests match the code; false, without a word, when they may not. */
export async function saidUnchanged(context: CliContext): Promise<boolean> {
  const root = acceptedRoot(context.cwd);
  const warnings = root === undefined ? undefined : warningsIfUpToDate(root);
  if (!warnings) return false;
  if (warnings.length > 0) {
    const { printDiagnostic } = await import("../output.ts");
    for (const warning of warnings) printDiagnostic(warning, context);
  }
  context.out(painter(context.color).dim(NOTHING_TO_CHANGE));
  return true;
}

/** The root of the project, if there is one that the command will accept: only the command reports errors. */
function acceptedRoot(folder: string): string | undefined {
  try {
    return projectRootOf(folder);
  } catch {
    return undefined;
  }
}
