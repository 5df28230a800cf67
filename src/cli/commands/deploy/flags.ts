import { defineCommand } from "../../command.ts";
import {
  dryRunOnServer,
  kubeconfig,
  kubeContext,
  operatorImage,
  takeOwnership,
  waitingTime,
} from "../../shared-flags.ts";

export const deploy = defineCommand({
  name: "deploy",
  summary: "deploy the operator to a cluster",
  description:
    "Apply the objects of config/default with server-side apply, and wait for the rollout.",
  examples: [
    "tsop deploy --image registry.example.com/web-operator:0.1.0",
    "tsop deploy --image web-operator:0.1.0 --render > install.yaml",
  ],
  flags: (command) =>
    command
      .addOption(kubeconfig)
      .addOption(kubeContext)
      .addOption(operatorImage)
      .option("--render", "print the YAML instead of applying it", false)
      .option("--no-wait", "do not wait for the Deployment")
      .option("--no-prune", "keep objects that only a previous version of the project has")
      .addOption(takeOwnership)
      .addOption(dryRunOnServer)
      .addOption(waitingTime),
});
