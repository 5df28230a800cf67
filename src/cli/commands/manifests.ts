/** `tsop manifests`: what the code says, as YAML. */
import { formatDiagnostic, SourceError } from "../../errors.ts";
import type { Generated, OpenProject } from "../../generator/generate.ts";
import { leftOvers, WEBHOOK_SERVICE_FILE } from "../../generator/stamp.ts";
import type { ClusterOptions } from "../cluster/cluster-session.ts";
import type { CliContext } from "../context.ts";
import { ExitCode, paint, reportError } from "../output.ts";
import { applyPlan, carryOut, changesOf, planFiles, showPlan, type Plan } from "../project/plan.ts";
import { getProject, type Project } from "../project/project-file.ts";
import { alone } from "../project/project-lock.ts";
import { PROJECT_FILE } from "../project/project-root.ts";
import { NOTHING_TO_CHANGE } from "../project/unchanged.ts";
import { hasOwnWebhookService, listsWithoutGone } from "../project/default-list.ts";
import { Draft } from "../project/draft.ts";
import { listsWithPatches } from "../project/parts.ts";
import { listOfRoles } from "../project/role-list.ts";
import { SourceWatch } from "../operator/watch-sources.ts";

/** The flags of `tsop manifests`. */
export interface ManifestsOptions extends ClusterOptions {
  readonly check: boolean;
  readonly watch: boolean;
  readonly dryRun: boolean;
  readonly diff: boolean;
  /** Compares with an earlier state in place of writing. */
  readonly against?: string;
  readonly output?: "json";
}

/** Generates the manifests; returns the exit code. */
export async function manifests(options: ManifestsOptions, context: CliContext): Promise<number> {
  const project = await getProject(context.cwd);
  if (options.watch) return watchManifests(project, options, context);
  if (options.output === "json") return reportManifests(project, options, context);
  if (options.against !== undefined) {
    const generated = await freshManifests(project).generate();
    refuseErrors(generated);
    const { changesSince, printChanges } = await import("../project/against.ts");
    const compared = { against: options.against, generated, project };
    const changes = await changesSince(compared, options, context);
    printChanges(options.against, changes, context);
    return isBreaking(changes) ? ExitCode.drift : ExitCode.ok;
  }
  // A check is made anew: nothing that an earlier run left behind is believed.
  if (!options.check) {
    return alone(project.root, options, context, async () => {
      const plan = await planManifests(project, context, await stampedManifests(project));
      context.untilInterrupted(); // A Ctrl-C waits from here on: all files are written, or none.
      await carryOut(plan, context, options);
      return ExitCode.ok;
    });
  }
  const plan = await planManifests(project, context, freshManifests(project));
  await showPlan(plan, context, options);
  const { yellow, bold, dim } = paint(context);
  if (plan.changes.length === 0) {
    context.out(dim(NOTHING_TO_CHANGE));
    return ExitCode.ok;
  }
  context.err(
    `${yellow(bold("drift"))} ${plan.changes.length} of the generated files ${plan.changes.length === 1 ? "differs" : "differ"} from the code.`,
  );
  context.err("  fix Run `tsop manifests` and commit the result; nothing was written.");
  return ExitCode.drift;
}

const isBreaking = (changes: readonly { readonly severity: string }[]): boolean =>
  changes.some(({ severity }) => severity === "breaking");

/** The same for programs: what the code says of itself, and what differs or was written. */
async function reportManifests(
  project: Project,
  options: ManifestsOptions,
  context: CliContext,
): Promise<number> {
  const { against, check } = options;
  const generated = await freshManifests(project).generate();
  const { diagnostics } = generated;
  const report = (facts: object): void => {
    context.out(JSON.stringify({ diagnostics, ...facts }, undefined, 2));
  };
  if (hasErrors(generated)) {
    report({ changes: [] });
    return ExitCode.failure;
  }
  if (against !== undefined) {
    const { changesSince } = await import("../project/against.ts");
    const changes = await changesSince({ against, generated, project }, options, context);
    report({ against, changes });
    return isBreaking(changes) ? ExitCode.drift : ExitCode.ok;
  }
  const dryRun = check || options.dryRun;
  return alone(project.root, { dryRun }, context, async () => {
    const plan = await planOf(project, generated);
    context.untilInterrupted(); // A Ctrl-C waits from here on: all files are written, or none.
    if (!dryRun) await applyPlan(plan);
    report({ changes: changesOf(plan) });
    return check && plan.changes.length > 0 ? ExitCode.drift : ExitCode.ok;
  });
}

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
    if (!options.dryRun) await applyPlan(plan);
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
      `${paint(context).yellow("note")} ${length === 1 ? "a generated file differs" : `${length} generated files differ`} from the code; what follows is as the code says, and nothing is written.`,
    );
  }
  return plan;
}

async function watchManifests(
  project: Project,
  options: ManifestsOptions,
  context: CliContext,
): Promise<number> {
  const signal = context.untilInterrupted();
  const watch = await SourceWatch.open(project.root, context.clock);
  const source = await openManifests(project);
  const once = async (): Promise<void> => {
    try {
      await alone(project.root, options, context, async () =>
        carryOut(await planManifests(project, context, source), context, options),
      );
    } catch (error) {
      reportError(error, context, "Fix the lines above and save; nothing was written.");
    }
  };
  await once();
  context.out(paint(context).dim("  watching src; Ctrl-C ends"));
  await watch.run(signal, once);
  return ExitCode.ok;
}

/** The source of manifests: a fresh run, or a project that is kept open between saves. */
export type ManifestSource = OpenProject;

/** Opens the project, so that each further run reads the edited files only. */
export async function openManifests(project: Project): Promise<ManifestSource> {
  const { openProject } = await import("../../generator/generate.ts");
  return openProject(project.root, project);
}

/** A source of one run that takes nothing from earlier ones. */
function freshManifests(project: Project): ManifestSource {
  return {
    async generate() {
      const { generate } = await import("../../generator/generate.ts");
      return generate({ root: project.root, project, cache: false });
    },
  };
}

/** A source of one run, answered from the last one's stamp when nothing changed. */
async function stampedManifests(project: Project): Promise<ManifestSource> {
  const { generate } = await import("../../generator/generate.ts");
  const { root } = project;
  return { generate: () => generate({ root, project, beside: [PROJECT_FILE] }) };
}

/** The changes that make the generated files say what the code says. Prints warnings. */
async function planManifests(
  project: Project,
  context: CliContext,
  source?: ManifestSource,
): Promise<Plan> {
  const generated = await (source ?? (await stampedManifests(project))).generate();
  refuseErrors(generated);
  for (const warning of generated.diagnostics) context.err(formatDiagnostic(warning));
  return planOf(project, generated);
}

/** The changes on the disk that bring it to what was generated. */
async function planOf(project: Project, { files }: Generated): Promise<Plan> {
  const wanted = new Map<string, string | undefined>(files);
  for (const path of leftOvers(project.root, files)) wanted.set(path, undefined);
  for (const [path, text] of await listOfRoles(project.root, files)) wanted.set(path, text);
  for (const [path, text] of await listsWithPatches(new Draft(project.root), files)) {
    wanted.set(path, text);
  }
  for (const [path, text] of await listsWithoutGone(project.root, files)) wanted.set(path, text);
  if (await hasOwnWebhookService(project.root)) wanted.delete(WEBHOOK_SERVICE_FILE);
  return planFiles(project.root, wanted);
}

const hasErrors = ({ diagnostics }: Generated): boolean =>
  diagnostics.some(({ severity }) => severity === "error");

function refuseErrors(generated: Generated): void {
  if (hasErrors(generated)) throw new SourceError(generated.diagnostics);
}
