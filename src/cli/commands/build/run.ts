/** `tsop build`: bundles the operator and its kubectl plugins. */
import { bundledOperator } from "../../operator/bundle.ts";
import { applyPlan, planFiles } from "../../project/plan.ts";
import { builtPlugins } from "../../operator/built-plugins.ts";
import { getProject } from "../../project/project-file.ts";
import type { Run } from "../../command.ts";
import type { build } from "./flags.ts";

const OUTPUT = "dist/main.mjs";

export const run: Run<typeof build> = async ({ dryRun }, context) => {
  const project = await getProject(context.cwd);
  const operator = await bundledOperator(project.root, OUTPUT);
  const plugins = await builtPlugins(project);
  const files = new Map([...operator.files, ...plugins]);
  if (!dryRun) {
    await applyPlan(await planFiles(project.root, files, new Set(plugins.keys())), context);
  }
  const shown = [OUTPUT, ...plugins.keys()].filter((path) => files.get(path) !== undefined);
  const width = Math.max(...shown.map((path) => path.length));
  for (const path of shown) {
    const size = Buffer.byteLength(files.get(path) ?? "");
    context.out(`${path.padEnd(width)}  ${Math.ceil(size / 1024)} kB`);
  }
  if (dryRun) context.out("  dry run: nothing was written");
  return 0;
};
