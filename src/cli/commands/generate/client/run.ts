/** `tsop generate client`: generates a package with which other programs use the project's kinds. */
import { join } from "node:path";
import { UsageError } from "../../../../errors.ts";
import { isCrd } from "../../../project/crd.ts";
import { renderKustomization } from "../../../kustomize/render.ts";
import { packageVersion } from "../../../package-info.ts";
import { clientFiles } from "../../../packaging/client-package.ts";
import { planGeneratedFolder } from "../../../packaging/generated-folder.ts";
import { packageFacts, packageName } from "../../../project/package-facts.ts";
import { plannedManifests } from "../../../project/generated-manifests.ts";
import { writePackage } from "../../../packaging/write-package.ts";
import type { Run } from "../../../command.ts";
import type { generateClient } from "./flags.ts";

/** A package's name as npm takes it. */
const PACKAGE_NAME = /^(@[a-z0-9-][a-z0-9._-]*\/)?[a-z0-9-][a-z0-9._-]*$/;

export const run: Run<typeof generateClient> = async (options, context) => {
  const { name, outputDir } = options;
  if (name !== undefined && !PACKAGE_NAME.test(name)) {
    throw new UsageError(
      "package-name",
      `${name} is not a name that npm takes for a package.`,
      "Lower-case letters, digits, dashes, dots: @acme/web-client.",
    );
  }
  return writePackage({ ...options, what: "generate client" }, context, async (project) => {
    const plan = await plannedManifests(project, context);
    const objects = await renderKustomization(join(project.root, "config/default"), { plan });
    const definitions = objects.filter(isCrd);
    if (definitions.length === 0) {
      throw new UsageError(
        "no-kinds",
        "The project has no kinds of its own, so there is nothing to generate a client for.",
        "Add one: tsop create api --group web --version v1 --kind MyWeb",
      );
    }
    const { version, license } = await packageFacts(project.root, project.projectName);
    const written = await packageName(join(project.root, outputDir));
    const files = clientFiles(definitions, {
      name: name ?? written ?? `${project.projectName}-client`,
      version,
      description: `The kinds of ${project.projectName}`,
      ...(license !== undefined && { license }),
      tsop: packageVersion(),
    });
    return planGeneratedFolder(project.root, outputDir, files, options);
  });
};
