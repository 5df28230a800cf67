/** `tsop deploy` and `tsop undeploy`: all that `config/default` renders. */
import { join } from "node:path";
import { stringify } from "yaml";
import { openCluster, type ClusterOptions } from "../cluster/cluster-session.ts";
import type { CliContext } from "../context.ts";
import { checkImage, checkTimeout } from "../project/inputs.ts";
import { renderKustomization } from "../kustomize/render.ts";
import type { ImageOverride } from "../kustomize/kustomization.ts";
import { splitImage } from "../kustomize/transform.ts";
import { paint } from "../output.ts";
import { getProject } from "../project/project-file.ts";
import {
  checkLeftovers,
  findLeftovers,
  NO_LEFTOVERS,
  removeLeftovers,
} from "../cluster/leftovers.ts";
import { deploymentName, ownerName } from "../cluster/ownership.ts";
import { removeAll } from "../cluster/removal.ts";
import { tellSilentWebhooks } from "../cluster/simulated-pods.ts";
import { applyAll, waitForDeployment } from "../cluster/roll-out.ts";
import { plannedManifests, writeManifests } from "./manifests.ts";
import { present } from "../../present.ts";

/** The image that the scaffold's Deployment names, in place of a real one. */
const PLACEHOLDER_IMAGE = "controller";

/** The flags of `tsop deploy`. */
export interface DeployOptions extends ClusterOptions {
  readonly image: string;
  readonly render: boolean;
  readonly wait: boolean;
  /** Deletes the leftovers of an earlier version of the project. */
  readonly prune: boolean;
  readonly dryRun: boolean;
  readonly timeout: number;
  /** Changes objects that others made, too. */
  readonly takeOwnership: boolean;
}

/** Applies the operator and waits for its pods; returns the exit code. */
export async function deploy(options: DeployOptions, context: CliContext): Promise<number> {
  checkTimeout(options.timeout);
  checkImage(options.image);
  const project = await getProject(context.cwd);
  const session = options.render ? undefined : openCluster(options, context);
  const { dryRun } = options;
  const plan = options.render
    ? await plannedManifests(project, context)
    : await writeManifests(project, context, { dryRun });
  const objects = await renderKustomization(join(project.root, "config/default"), {
    images: [imageOverride(options.image)],
    plan,
  });
  if (!session) {
    context.out(
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
}

/** The override that puts the image in place of the one in the scaffolded Deployment. */
export function imageOverride(image: string): ImageOverride {
  const { name, tag, digest } = splitImage(image);
  return {
    name: PLACEHOLDER_IMAGE,
    newName: name,
    newTag: tag === "" ? "latest" : tag,
    ...(digest === "" ? {} : { digest }),
  };
}

/** The flags of `tsop undeploy`. */
export interface UndeployOptions extends ClusterOptions {
  readonly deleteObjects: boolean;
  readonly dryRun: boolean;
  readonly timeout: number;
}

/** Removes the operator and its CRDs, as `deploy` made them; returns the exit code. */
export async function undeploy(options: UndeployOptions, context: CliContext): Promise<number> {
  checkTimeout(options.timeout);
  const project = await getProject(context.cwd);
  const session = openCluster(options, context);
  const objects = await renderKustomization(join(project.root, "config/default"));
  context.out(`${paint(context).bold("undeploy")} at ${session.server}`);
  const { dryRun, deleteObjects, timeout: timeoutSeconds } = options;
  const owner = ownerName(project);
  await removeAll(session, objects, { owner, dryRun, deleteObjects, timeoutSeconds }, context);
  return 0;
}
