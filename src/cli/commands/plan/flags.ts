import { defineCommand } from "../../command.ts";
import { json, kubeconfig, kubeContext, operatorImage, waitingTime } from "../../shared-flags.ts";

export const plan = defineCommand({
  name: "plan",
  summary: "show the changes that deploy would make",
  description:
    "Show the changes that deploy would make in the cluster, with the changes of CRDs and the stored objects that they would reject. Writes nothing.",
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
