/** `tsop build`: the file that the image runs. */
import { bundledOperator } from "../operator/bundle.ts";
import type { CliContext } from "../context.ts";
import { applyPlan, planFiles } from "../project/plan.ts";
import { getProject } from "../project/project-file.ts";

const OUTPUT = "dist/main.mjs";

/** Bundles the operator into `dist/main.mjs`; returns the exit code. */
export async function build(
  { dryRun }: { readonly dryRun: boolean },
  context: CliContext,
): Promise<number> {
  const { root } = await getProject(context.cwd);
  const files = await bundledOperator(root, OUTPUT);
  if (!dryRun) await applyPlan(await planFiles(root, files));
  const size = Buffer.byteLength(files.get(OUTPUT) ?? "");
  context.out(`${OUTPUT}  ${Math.ceil(size / 1024)} kB`);
  if (dryRun) context.out("  dry run: nothing was written");
  return 0;
}
