/** The files that `tsop manifests` generates, for the commands that need them. */
import { SourceError } from "../../errors.ts";
import type { Generated, OpenProject } from "../../generator/generate.ts";
import { leftOvers, WEBHOOK_SERVICE_FILE } from "../../generator/stamp.ts";
import type { CliContext } from "../context.ts";
import { paint, printDiagnostic } from "../output.ts";
import { hasOwnWebhookService, listsWithoutGone } from "./default-list.ts";
import { deployedCode } from "./deployed-code.ts";
import { Draft } from "./draft.ts";
import { listsWithPatches } from "./parts.ts";
import { applyPlan, planFiles, showPlan, type Plan } from "./plan.ts";
import type { Project } from "./project-file.ts";
import { alone } from "./project-lock.ts";
import { PROJECT_FILE } from "./project-root.ts";
import { listOfRoles } from "./role-list.ts";

/**
 * Brings the generated files up to date, for commands that need them.
 *
 * @param options - a dry run shows what would be written and writes nothing
 * @returns what was, or would be, written
 * @throws SourceError with every mistake; nothing is written then
 */
export async function writeManifests(
  project: Project,
  context: CliContext,
  options: { readonly source?: ManifestSource; readonly dryRun?: boolean } = {},
): Promise<Plan> {
  return alone(project.root, options, context, async () => {
    const plan = await planManifests(project, context, options.source);
    await showPlan(plan, context, {});
    if (!options.dryRun) await applyPlan(plan, context);
    return plan;
  });
}

/**
 * The generated files as they would have to be, for a command that only reads: a line names the
 * files that differ, since nothing is written.
 */
export async function plannedManifests(project: Project, context: CliContext): Promise<Plan> {
  const plan = await planManifests(project, context);
  const { length } = plan.changes;
  if (length > 0) {
    context.err(
      `${paint(context).yellow("note")} ${length === 1 ? "a generated file differs" : `${length} generated files differ`} from the code; the result below uses the code, and no file is written.`,
    );
  }
  return plan;
}

/** The source of manifests: a fresh run, or a project that is kept open between saves. */
export type ManifestSource = OpenProject;

/** Opens the project, so that each further run reads the edited files only. */
export async function openManifests(project: Project): Promise<ManifestSource> {
  const { openProject } = await import("../../generator/generate.ts");
  return openProject(project.root, project);
}

/** A source of one run that takes nothing from earlier ones. */
export function freshManifests(project: Project): ManifestSource {
  return {
    async generate() {
      const { generate } = await import("../../generator/generate.ts");
      return generate({ root: project.root, project, cache: false });
    },
  };
}

/** A source of one run, answered from the last one's stamp when nothing changed. */
export async function stampedManifests(project: Project): Promise<ManifestSource> {
  const { generate } = await import("../../generator/generate.ts");
  const { root } = project;
  return { generate: () => generate({ root, project, beside: [PROJECT_FILE] }) };
}

/** The changes that make the generated files say what the code says. Prints warnings. */
export async function planManifests(
  project: Project,
  context: CliContext,
  source?: ManifestSource,
): Promise<Plan> {
  const generated = await (source ?? (await stampedManifests(project))).generate();
  refuseErrors(generated);
  for (const warning of generated.diagnostics) printDiagnostic(warning, context);
  return planOf(project, generated);
}

/** The changes on the disk that bring it to what was generated. */
export async function planOf(project: Project, { files }: Generated): Promise<Plan> {
  const wanted = new Map<string, string | undefined>(files);
  for (const path of leftOvers(project.root, files)) wanted.set(path, undefined);
  for (const [path, text] of await listOfRoles(project.root, files)) wanted.set(path, text);
  for (const [path, text] of await listsWithPatches(new Draft(project.root), files)) {
    wanted.set(path, text);
  }
  for (const [path, text] of await listsWithoutGone(project.root, files)) wanted.set(path, text);
  if (await hasOwnWebhookService(project.root)) wanted.delete(WEBHOOK_SERVICE_FILE);
  for (const [path, text] of await deployedCode(project, wanted)) wanted.set(path, text);
  return planFiles(project.root, wanted);
}

/** Whether there are mistakes, beside warnings. */
export const hasErrors = ({ diagnostics }: Generated): boolean =>
  diagnostics.some(({ severity }) => severity === "error");

export function refuseErrors(generated: Generated): void {
  if (hasErrors(generated)) throw new SourceError(generated.diagnostics);
}
