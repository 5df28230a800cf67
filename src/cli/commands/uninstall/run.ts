/** `tsop uninstall`: deletes the CRDs. */
import { join } from "node:path";
import { openCluster } from "../../cluster/cluster-session.ts";
import { ownerName } from "../../cluster/ownership.ts";
import { removeAll } from "../../cluster/removal.ts";
import type { Run } from "../../command.ts";
import { renderKustomization } from "../../kustomize/render.ts";
import { paint } from "../../output.ts";
import { checkTimeout } from "../../project/inputs.ts";
import { getProject } from "../../project/project-file.ts";
import type { uninstall } from "./flags.ts";

export const run: Run<typeof uninstall> = async (options, context) => {
  checkTimeout(options.timeout);
  const project = await getProject(context.cwd);
  const session = openCluster(options, context);
  const crds = await renderKustomization(join(project.root, "config/crd"));
  context.out(`${paint(context).bold("uninstall")} at ${session.server}`);
  const { deleteObjects, dryRun, timeout: timeoutSeconds } = options;
  const owner = ownerName(project);
  await removeAll(session, crds, { owner, dryRun, deleteObjects, timeoutSeconds }, context);
  return 0;
};
