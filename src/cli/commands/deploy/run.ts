/** `tsop deploy`: applies the objects of `config/default`. */
import { join } from "node:path";
import { imageOverride } from "../../cluster/operator-image.ts";
import { stringify } from "yaml";
import { openCluster } from "../../cluster/cluster-session.ts";
import { checkImage, checkTimeout } from "../../project/inputs.ts";
import { renderKustomization } from "../../kustomize/render.ts";
import { paint, printText } from "../../output.ts";
import { withOperatorImage } from "../../project/operator-deployment.ts";
import { getProject } from "../../project/project-file.ts";
import {
  checkLeftovers,
  findLeftovers,
  NO_LEFTOVERS,
  removeLeftovers,
} from "../../cluster/leftovers.ts";
import { deploymentName, ownerName } from "../../cluster/ownership.ts";
import { tellSilentWebhooks } from "../../cluster/simulated-pods.ts";
import { applyAll, waitForDeployment } from "../../cluster/roll-out.ts";
import { plannedManifests, writeManifests } from "../../project/generated-manifests.ts";
import { present } from "../../../present.ts";
import type { Run } from "../../command.ts";
import type { deploy } from "./flags.ts";

export const run: Run<typeof deploy> = async (options, context) => {
  checkTimeout(options.timeout);
  checkImage(options.image);
  const project = await getProject(context.cwd);
  const session = options.render ? undefined : openCluster(options, context);
  const { dryRun } = options;
  const plan = options.render
    ? await plannedManifests(project, context)
    : await writeManifests(project, context, { dryRun });
  const rendered = await renderKustomization(join(project.root, "config/default"), {
    images: [imageOverride(options.image)],
    plan,
  });
  const objects = withOperatorImage(rendered, project.projectName, options.image);
  if (!session) {
    printText(
      (line) => {
        context.out(line);
      },
      objects.map((object) => stringify(object, { compat: "yaml-1.1" }).trimEnd()).join("\n---\n"),
    );
    return 0;
  }
  context.out(`${paint(context).bold("deploy")} ${options.image} at ${session.server}`);
  const { timeout: timeoutSeconds, takeOwnership } = options;
  const owner = ownerName(project);
  const deployment = deploymentName(objects);
  const found = options.prune ? await findLeftovers(session, objects, owner) : NO_LEFTOVERS;
  await checkLeftovers(session, found);
  await applyAll(
    session,
    objects,
    {
      dryRun,
      timeoutSeconds,
      owner,
      takeOwnership,
      ...present({ deployment }),
    },
    context,
  );
  if (options.wait && !dryRun) {
    for (const object of objects) {
      if (object.kind !== "Deployment") continue;
      await waitForDeployment(session, object, timeoutSeconds, context);
    }
  }
  if (!dryRun) await tellSilentWebhooks(session, objects, context);
  // Leftovers go last: while the new version is not up, nothing of the one before is taken away.
  await removeLeftovers(session, found, { owner, deployment, dryRun }, context);
  return 0;
};
