/** The common part of the commands that write a package into the project. */
import { UsageError } from "../../errors.ts";
import type { CliContext } from "../context.ts";
import { ExitCode, paint, printJson } from "../output.ts";
import type { FolderPlan } from "./generated-folder.ts";
import { applyPlan, carryOut, changesOf, type PlanOptions, showPlan } from "../project/plan.ts";
import type { OptionOf } from "../command.ts";
import type { check, json } from "../shared-flags.ts";
import type { force } from "./package-flags.ts";
import { getProject, type Project } from "../project/project-file.ts";
import { alone } from "../project/project-lock.ts";

/** The flags of all of them. */
export type PackageOptions = PlanOptions &
  OptionOf<typeof check> &
  OptionOf<typeof force> &
  OptionOf<typeof json> & { readonly outputDir: string };

/** The commands, by the words after `tsop`. */
export type Packaging = "chart" | "bundle" | "generate client";

/** The reason that `--check` gives for each package, where it differs. */
const SOURCES: Readonly<Record<Packaging, string>> = {
  chart: "the chart differs from what config/default renders",
  bundle: "the bundle differs from what config/default renders",
  "generate client": "the client does not match the kinds",
};

/**
 * Writes a package into its folder, or says what would change; returns the exit code.
 *
 * @param options - `what` is the command's name
 * @param planned - what is to be written
 */
export async function writePackage(
  options: PackageOptions & { readonly what: Packaging },
  context: CliContext,
  planned: (project: Project) => Promise<FolderPlan>,
): Promise<number> {
  const { outputDir, check, what } = options;
  if (!/^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/.test(outputDir) || outputDir.includes("..")) {
    throw new UsageError(
      "package-folder",
      `The folder must be inside the project, and ${outputDir} is not a folder name.`,
      `For example: tsop ${what} --output-dir dist/${what.replace("generate ", "")}`,
    );
  }
  const { root } = await getProject(context.cwd);
  return alone(root, { dryRun: check || options.dryRun === true }, context, async () => {
    const folder = await planned(await getProject(root));
    if (options.output === "json") return reportPackage(folder, options, context);
    const { yellow, bold } = paint(context);
    for (const path of folder.kept) {
      context.err(`${yellow("kept")} ${path} was changed by hand; --force writes it again.`);
    }
    if (check) {
      await showPlan(folder.plan, context, options);
      if (folder.plan.changes.length === 0) return ExitCode.ok;
      context.err(`${yellow(bold("drift"))} ${SOURCES[what]}.`);
      context.err(`  fix Run \`tsop ${what}\` and commit the result; nothing was written.`);
      return ExitCode.drift;
    }
    await carryOut(folder.plan, context, options);
    return ExitCode.ok;
  });
}

/** The same for programs. */
async function reportPackage(
  { plan, kept }: FolderPlan,
  { check, dryRun }: PackageOptions,
  context: CliContext,
): Promise<number> {
  if (!check && !dryRun) await applyPlan(plan, context);
  printJson(context, { changes: changesOf(plan), kept });
  return check && plan.changes.length > 0 ? ExitCode.drift : ExitCode.ok;
}
