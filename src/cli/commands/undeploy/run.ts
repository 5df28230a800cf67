/** `tsop undeploy`: deletes what `tsop deploy` created. */
import { join } from "node:path";
import { openCluster } from "../../cluster/cluster-session.ts";
import { ownerName } from "../../cluster/ownership.ts";
import { removeAll } from "../../cluster/removal.ts";
import type { Run } from "../../command.ts";
import { renderKustomization } from "../../kustomize/render.ts";
import { paint } from "../../output.ts";
import { checkTimeout } from "../../project/inputs.ts";
import { getProject } from "../../project/project-file.ts";
import type { undeploy } from "./flags.ts";

export const run: Run<typeof undeploy> = async (options, context) => {
  checkTimeout(options.timeout);
  const project = await getProject(context.cwd);
  const session = openCluster(options, context);
  const objects = await renderKustomization(join(project.root, "config/default"));
  context.out(`${paint(context).bold("undeploy")} at ${session.server}`);
  const { dryRun, deleteObjects, timeout: timeoutSeconds } = options;
  const owner = ownerName(project);
  await removeAll(session, objects, { owner, dryRun, deleteObjects, timeoutSeconds }, context);
  return 0;
};
