/**
 * `tsop build`: the file that the image runs.
 *
 * @module
 */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { bundleOperator } from "../operator/bundle.ts";
import type { CliContext } from "../context.ts";
import { getProject } from "../project/project-file.ts";

const OUTPUT = "dist/main.mjs";

/** Bundles the operator into `dist/main.mjs`; returns the exit code. */
export async function build(context: CliContext): Promise<number> {
  const project = await getProject(context.cwd);
  await bundleOperator(project.root, OUTPUT, { small: true });
  const { size } = await stat(join(project.root, OUTPUT));
  context.out(`${OUTPUT}  ${Math.ceil(size / 1024)} kB`);
  return 0;
}
