/** `tsop chart`: generates a Helm chart from `config/default`. */
import { join } from "node:path";
import { renderKustomization } from "../../kustomize/render.ts";
import { chartFiles } from "../../packaging/helm/chart.ts";
import { planGeneratedFolder } from "../../packaging/generated-folder.ts";
import { packageFacts } from "../../project/package-facts.ts";
import { checkImage } from "../../project/inputs.ts";
import { plannedManifests } from "../../project/generated-manifests.ts";
import { writePackage } from "../../packaging/write-package.ts";
import type { Run } from "../../command.ts";
import type { chart } from "./flags.ts";

export const run: Run<typeof chart> = async (options, context) => {
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
      image,
      objects,
    });
    return planGeneratedFolder(project.root, outputDir, files, options);
  });
};
