import { defineCommand } from "../../../command.ts";
import { diff, dryRun } from "../../../shared-flags.ts";
import { forceDeletion } from "../deletion-flags.ts";

export const deletePlugin = defineCommand({
  name: "plugin",
  summary: "delete a kubectl plugin",
  description: "Delete a kubectl plugin and its test. The kind that it shows is kept.",
  examples: ["tsop delete plugin webs"],
  flags: (command) =>
    command
      .argument("<name>", "name after `kubectl`, such as webs")
      .addOption(forceDeletion)
      .addOption(dryRun)
      .addOption(diff),
});
