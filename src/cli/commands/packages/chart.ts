/** `tsop chart`: a Helm chart of what `config/default` renders. */
import { join } from "node:path";
import type { CliContext } from "../../context.ts";
import { renderKustomization } from "../../kustomize/render.ts";
import { splitImage } from "../../kustomize/transform.ts";
import { chartFiles } from "../../packaging/chart.ts";
import { planGeneratedFolder } from "../../packaging/generated-folder.ts";
import { packageFacts } from "../../packaging/package-facts.ts";
import { checkImage } from "../../project/inputs.ts";
import { plannedManifests } from "../manifests.ts";
import { type PackageOptions, writePackage } from "./write-package.ts";

/** The flags of `tsop chart`. */
export interface ChartOptions extends PackageOptions {
  /** The operator's image: the default of the values. */
  readonly image?: string;
  /** The version of the chart. */
  readonly chartVersion?: string;
}

/** Writes the chart; returns the exit code. */
export async function chart(options: ChartOptions, context: CliContext): Promise<number> {
  const { image, outputDir } = options;
  if (image !== undefined) checkImage(image);
  return writePackage({ ...options, what: "chart" }, context, async (project) => {
    const plan = await plannedManifests(project, context);
    const objects = await renderKustomization(join(project.root, "config/default"), { plan });
    const { version, description } = await packageFacts(project.root, project.projectName);
    const files = chartFiles({
      projectName: project.projectName,
      version: options.chartVersion ?? version,
      description,
      image:
        image === undefined
          ? { name: project.projectName, tag: "", digest: "" }
          : splitImage(image),
      objects,
    });
    return planGeneratedFolder(project.root, outputDir, files, options);
  });
}
