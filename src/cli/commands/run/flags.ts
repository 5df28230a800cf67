import { defineCommand } from "../../command.ts";
import { kubeconfig, kubeContext } from "../../shared-flags.ts";

export const runOperator = defineCommand({
  name: "run",
  summary: "run the operator on this machine against a cluster",
  description:
    "Bundle the operator and run it on this machine against a cluster. The cluster calls its webhooks while it runs.",
  examples: [
    "tsop run",
    "tsop run --context staging -- --leader-elect",
    "tsop run --webhook-address 192.168.1.20:9443",
  ],
  output: "endless",
  flags: (command) =>
    command
      .addOption(kubeconfig)
      .addOption(kubeContext)
      .argument("[arguments...]", "arguments of the operator, after `--`")
      .option(
        "--webhook-address <host[:port]>",
        "address of this machine for an API server on another machine",
      )
      .option("--no-webhooks", "leave the webhooks of the cluster unchanged"),
});
