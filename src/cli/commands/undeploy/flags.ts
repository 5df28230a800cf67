import { defineCommand } from "../../command.ts";
import { deleteObjects, dryRun, kubeconfig, kubeContext, waitingTime } from "../../shared-flags.ts";

export const undeploy = defineCommand({
  name: "undeploy",
  summary: "delete the operator from a cluster",
  description:
    "Delete the objects that deploy created: objects of your kinds, CRDs, the operator, and its namespace. Objects that this project did not create are kept.",
  examples: ["tsop undeploy", "tsop undeploy --dry-run"],
  flags: (command) =>
    command
      .addOption(kubeconfig)
      .addOption(kubeContext)
      .addOption(deleteObjects)
      .addOption(dryRun)
      .addOption(waitingTime),
});
