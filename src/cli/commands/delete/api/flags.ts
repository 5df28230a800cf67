import { defineCommand } from "../../../command.ts";
import { apiVersion, diff, dryRun, kind } from "../../../shared-flags.ts";
import { deletedGroup, forceDeletion } from "../deletion-flags.ts";

export const deleteApi = defineCommand({
  name: "api",
  summary: "delete a version of a kind",
  description:
    "Delete a version of a kind: its type, controller, webhooks, tests, sample, and roles.",
  examples: [
    "tsop delete api --group web --version v1 --kind MyWeb",
    "tsop delete api --group web --version v1 --kind MyWeb --dry-run --diff",
  ],
  flags: (command) =>
    command
      .addOption(deletedGroup)
      .addOption(apiVersion)
      .addOption(kind)
      .addOption(forceDeletion)
      .addOption(dryRun)
      .addOption(diff),
});
