import { defineCommand } from "../../command.ts";
import {
  dryRunOnServer,
  kubeconfig,
  kubeContext,
  takeOwnership,
  waitingTime,
} from "../../shared-flags.ts";

export const install = defineCommand({
  name: "install",
  summary: "install the CRDs in a cluster",
  description:
    "Generate the CRDs, apply them with server-side apply, and wait until they are established.",
  examples: ["tsop install", "tsop install --context staging --dry-run"],
  flags: (command) =>
    command
      .addOption(kubeconfig)
      .addOption(kubeContext)
      .addOption(takeOwnership)
      .addOption(dryRunOnServer)
      .addOption(waitingTime),
});
