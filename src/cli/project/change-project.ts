/** The way of each command that changes a project: read it, plan the files, show them, write them. */
import type { CliContext } from "../context.ts";
import { ExitCode, paint } from "../output.ts";
import { Draft } from "./draft.ts";
import { carryOut, planFiles, type PlanOptions } from "./plan.ts";
import { getProject, type Project } from "./project-file.ts";
import { alone } from "./project-lock.ts";

/** The lines around the list of changed files. */
export interface Told {
  /** The line before the list. */
  readonly heading?: string;
  /** Lines for the standard error before the list. */
  readonly notes?: readonly string[];
  /** Lines for the standard error after the list. */
  readonly warnings?: readonly string[];
  /** The next steps, unless nothing was written. */
  readonly next: readonly string[];
  readonly code?: number;
}

/**
 * Changes the project of the folder while no other command does; returns the exit code.
 *
 * @param change - sets the files in the draft
 */
export async function changeProject(
  context: CliContext,
  options: PlanOptions,
  change: (project: Project, draft: Draft) => Promise<Told>,
): Promise<number> {
  const { root } = await getProject(context.cwd);
  return alone(root, options, context, async () => {
    // Read again: another command may have changed it since.
    const project = await getProject(root);
    const draft = new Draft(root);
    const {
      heading,
      notes = [],
      warnings = [],
      next,
      code = ExitCode.ok,
    } = await change(project, draft);
    const { green } = paint(context);
    if (heading !== undefined) context.out(heading);
    for (const note of notes) context.err(note);
    const plan = await planFiles(root, draft.files);
    await carryOut(plan, context, options);
    for (const warning of warnings) context.err(warning);
    if (options.dryRun || plan.changes.length === 0) return code;
    context.out(`${green("done")} Next:`);
    for (const step of next) context.out(`  ${step}`);
    return code;
  });
}
