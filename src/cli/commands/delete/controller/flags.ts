import { defineCommand } from "../../../command.ts";
import { apiVersion, diff, dryRun, kind } from "../../../shared-flags.ts";
import { deletedGroup, forceDeletion } from "../deletion-flags.ts";

export const deleteController = defineCommand({
  name: "controller",
  summary: "delete the controller of a kind",
  description: "Delete the controller of a kind and its test. The kind is kept.",
  examples: ["tsop delete controller --group web --version v1 --kind MyWeb"],
  flags: (command) =>
    command
      .addOption(deletedGroup)
      .addOption(apiVersion)
      .addOption(kind)
      .addOption(forceDeletion)
      .addOption(dryRun)
      .addOption(diff),
});
