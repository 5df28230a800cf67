/**
 * `tsop edit`: settings of a project that can be changed later.
 *
 * @module
 */
import { UsageError } from "../../errors.ts";
import type { CliContext } from "../context.ts";
import { paint } from "../output.ts";
import { defaultList } from "../project/default-list.ts";
import { carryOut, planFiles, type PlanOptions } from "../project/plan.ts";
import { getProject, withCertificates, type CertificateMode } from "../project/project-file.ts";
import { alone } from "../project/project-lock.ts";
import { PROJECT_FILE } from "../project/project-root.ts";
import { certificateFiles, defaultWithWebhooks } from "../project/webhook-config.ts";

/** The flags of `tsop edit`. */
export interface EditOptions extends PlanOptions {
  readonly certificates?: CertificateMode;
  readonly force: boolean;
}

/** Changes the settings that were given; returns the exit code. */
export async function edit(options: EditOptions, context: CliContext): Promise<number> {
  const { certificates: after, force } = options;
  if (after === undefined) {
    throw new UsageError(
      "nothing-to-edit",
      "It is not said what to change.",
      "For example: tsop edit --certificates cert-manager",
    );
  }
  const { root } = await getProject(context.cwd);
  return alone(root, options, context, async () => {
    const project = await getProject(root);
    const { certificates: before, resources } = project;
    if (before === undefined) {
      throw new UsageError(
        "no-webhooks",
        "The project has no webhooks, whose certificate it could be.",
        `Scaffold one: tsop create webhook --group GROUP --version v1 --kind KIND --validation --certificates ${after}`,
      );
    }
    const files = await certificateFiles(project, { before, after }, { force });
    files.set(defaultList, await defaultWithWebhooks(project, after, resources));
    files.set(PROJECT_FILE, withCertificates(root, project.text, after));
    const { bold, green } = paint(context);
    context.out(`${bold("certificates")} ${before} -> ${after}`);
    const plan = await planFiles(root, files);
    context.untilInterrupted(); // A Ctrl-C waits from here on: all files are written, or none.
    await carryOut(plan, context, options);
    if (options.dryRun || plan.changes.length === 0) return 0;
    // Which rights the operator needs depends on the mode.
    context.out(`${green("done")} Next:`);
    context.out("  npx tsop manifests");
    return 0;
  });
}
