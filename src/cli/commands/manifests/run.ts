/** `tsop manifests`: generates the manifests from the code. */
import {
  freshManifests,
  hasErrors,
  openManifests,
  planManifests,
  planOf,
  refuseErrors,
  stampedManifests,
} from "../../project/generated-manifests.ts";
import type { CliContext } from "../../context.ts";
import { ExitCode, paint, printJson, reportError } from "../../output.ts";
import { applyPlan, carryOut, changesOf, showPlan } from "../../project/plan.ts";
import { getProject, type Project } from "../../project/project-file.ts";
import { alone } from "../../project/project-lock.ts";
import { NOTHING_TO_CHANGE } from "../../project/unchanged.ts";
import { SourceWatch } from "../../operator/watch-sources.ts";
import type { Options, Run } from "../../command.ts";
import type { manifests } from "./flags.ts";

type ManifestsOptions = Options<typeof manifests>;

export const run: Run<typeof manifests> = async (options, context) => {
  const project = await getProject(context.cwd);
  if (options.watch) return watchManifests(project, options, context);
  if (options.output === "json") return reportManifests(project, options, context);
  if (options.against !== undefined) {
    const generated = await freshManifests(project).generate();
    refuseErrors(generated);
    const { changesSince, printChanges } = await import("../../cluster/against.ts");
    const compared = { against: options.against, generated, project };
    const changes = await changesSince(compared, options, context);
    printChanges(options.against, changes, context);
    return isBreaking(changes) ? ExitCode.drift : ExitCode.ok;
  }
  // A check is made anew: nothing that an earlier run left behind is believed.
  if (!options.check) {
    return alone(project.root, options, context, async () => {
      const plan = await planManifests(project, context, await stampedManifests(project));
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
};

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
    printJson(context, { diagnostics, ...facts });
  };
  if (hasErrors(generated)) {
    report({ changes: [] });
    return ExitCode.failure;
  }
  if (against !== undefined) {
    const { changesSince } = await import("../../cluster/against.ts");
    const changes = await changesSince({ against, generated, project }, options, context);
    report({ against, changes });
    return isBreaking(changes) ? ExitCode.drift : ExitCode.ok;
  }
  const dryRun = check || options.dryRun;
  return alone(project.root, { dryRun }, context, async () => {
    const plan = await planOf(project, generated);
    if (!dryRun) await applyPlan(plan, context);
    report({ changes: changesOf(plan) });
    return check && plan.changes.length > 0 ? ExitCode.drift : ExitCode.ok;
  });
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
  context.out(paint(context).dim("  watching src; Ctrl-C to stop"));
  await watch.run(signal, once);
  return ExitCode.ok;
}
