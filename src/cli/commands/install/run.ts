/** `tsop install`: applies only the CRDs. */
import { join } from "node:path";
import { openCluster } from "../../cluster/cluster-session.ts";
import type { ManifestObject } from "../../../kube/object.ts";
import { isConverted } from "../../cluster/local-webhooks.ts";
import type { Plan } from "../../project/plan.ts";
import { renderKustomization } from "../../kustomize/render.ts";
import { paint } from "../../output.ts";
import { getProject } from "../../project/project-file.ts";
import { ownerName } from "../../cluster/ownership.ts";
import { applyAll } from "../../cluster/roll-out.ts";
import { checkTimeout } from "../../project/inputs.ts";
import { writeManifests } from "../../project/generated-manifests.ts";
import type { Run } from "../../command.ts";
import type { install } from "./flags.ts";

export const run: Run<typeof install> = async (options, context) => {
  checkTimeout(options.timeout);
  const project = await getProject(context.cwd);
  const session = openCluster(options, context);
  const { dryRun, takeOwnership, timeout: timeoutSeconds } = options;
  const plan = await writeManifests(project, context, { dryRun });
  const crds = await asDeployed(
    project.root,
    await renderKustomization(join(project.root, "config/crd"), { plan }),
    plan,
  );
  context.out(`${paint(context).bold("install")} at ${session.server}`);
  const owner = ownerName(project);
  await applyAll(session, crds, { dryRun, timeoutSeconds, owner, takeOwnership }, context);
  return 0;
};

/** The CRDs whose versions a webhook converts, with the Service that `tsop deploy` makes; the others as they are. */
async function asDeployed(
  root: string,
  crds: readonly ManifestObject[],
  plan: Plan,
): Promise<readonly ManifestObject[]> {
  if (!crds.some(isConverted)) return crds;
  const deployed = await renderKustomization(join(root, "config/default"), { plan });
  return crds.map(
    (crd) =>
      deployed.find(
        ({ kind, metadata }) => kind === crd.kind && metadata.name === crd.metadata.name,
      ) ?? crd,
  );
}
