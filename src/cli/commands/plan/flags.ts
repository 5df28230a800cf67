import { defineCommand } from "../../command.ts";
import { json, kubeconfig, kubeContext, operatorImage, waitingTime } from "../../shared-flags.ts";

export const plan = defineCommand({
  name: "plan",
  summary: "show the changes deploy would apply",
  description:
    "Show the changes that deploy would apply to the cluster, including CRD changes and the stored objects that they would reject. Does not write anything.",
  examples: [
    "tsop plan --image registry.example.com/web-operator:0.2.0",
    "tsop plan --image web-operator:0.2.0 --context staging --output json",
  ],
  flags: (command) =>
    command
      .addOption(kubeconfig)
      .addOption(kubeContext)
      .addOption(operatorImage)
      .addOption(waitingTime)
      .addOption(json),
});
