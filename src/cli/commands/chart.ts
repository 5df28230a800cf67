/**
 * `tsop chart`: a Helm chart of what `config/default` renders.
 *
 * @module
 */
import { join } from "node:path";
import { UsageError } from "../../errors.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { CliContext } from "../context.ts";
import { renderKustomization } from "../kustomize/render.ts";
import { splitImage } from "../kustomize/transform.ts";
import { ExitCode, paint } from "../output.ts";
import { chartFiles } from "../packaging/chart.ts";
import { planGeneratedFolder } from "../packaging/generated-folder.ts";
import { checkImage } from "../project/inputs.ts";
import { carryOut, type PlanOptions, readIfThere, showPlan } from "../project/plan.ts";
import { getProject } from "../project/project-file.ts";
import { alone } from "../project/project-lock.ts";
import { plannedManifests } from "./manifests.ts";

/** The flags of `tsop chart`. */
export interface ChartOptions extends PlanOptions {
  /** The operator's image: what the values say when nobody sets them. */
  readonly image?: string;
  /** The version of the chart. */
  readonly chartVersion?: string;
  readonly outputDir: string;
  readonly check: boolean;
  readonly force: boolean;
}

/** Writes the chart; returns the exit code. */
export async function chart(options: ChartOptions, context: CliContext): Promise<number> {
  const { image, outputDir, check } = options;
  if (image !== undefined) checkImage(image);
  if (!/^[A-Za-z0-9._-]+(\/[A-Za-z0-9._-]+)*$/.test(outputDir) || outputDir.includes("..")) {
    throw new UsageError(
      "chart-folder",
      `The folder of the chart has to be in the project, and ${outputDir} is not a folder's name.`,
      "For example: tsop chart --output-dir dist/chart",
    );
  }
  const { root } = await getProject(context.cwd);
  return alone(root, { dryRun: check || options.dryRun === true }, context, async () => {
    const project = await getProject(root);
    const plan = await plannedManifests(project, context);
    const objects = await renderKustomization(join(root, "config/default"), { plan });
    const { version, description } = await packageFacts(root);
    const files = chartFiles({
      projectName: project.projectName,
      version: options.chartVersion ?? version,
      description: description === "" ? `The operator ${project.projectName}` : description,
      image:
        image === undefined
          ? { name: project.projectName, tag: "", digest: "" }
          : splitImage(image),
      objects,
    });
    const folder = await planGeneratedFolder(root, outputDir, files, options);
    const { yellow, bold } = paint(context);
    for (const path of folder.kept) {
      context.err(`${yellow("kept")} ${path} was changed by hand; --force writes it again.`);
    }
    if (check) {
      await showPlan(folder.plan, context, options);
      if (folder.plan.changes.length === 0) return ExitCode.ok;
      context.err(`${yellow(bold("drift"))} the chart differs from what config/default renders.`);
      context.err("  fix Run `tsop chart` and commit the result; nothing was written.");
      return ExitCode.drift;
    }
    context.untilInterrupted(); // A Ctrl-C waits from here on: all files are written, or none.
    await carryOut(folder.plan, context, options);
    return ExitCode.ok;
  });
}

async function packageFacts(root: string): Promise<{ version: string; description: string }> {
  const text = await readIfThere(join(root, "package.json"));
  let facts: unknown;
  try {
    facts = JSON.parse(text ?? "{}");
  } catch {
    facts = {};
  }
  const { version, description } = isJsonObject(facts) ? facts : {};
  return {
    version: typeof version === "string" && version !== "" ? version : "0.1.0",
    description: typeof description === "string" ? description : "",
  };
}
