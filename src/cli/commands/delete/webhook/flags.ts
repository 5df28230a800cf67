import { defineCommand } from "../../../command.ts";
import { apiVersion, collectList, diff, dryRun, kind } from "../../../shared-flags.ts";
import { deletedGroup, forceDeletion } from "../deletion-flags.ts";

export const deleteWebhook = defineCommand({
  name: "webhook",
  summary: "delete the webhooks of a kind",
  description:
    "Delete the webhooks of a kind and their tests: all of them, or only those of the given types.",
  examples: [
    "tsop delete webhook --group web --version v1 --kind MyWeb",
    "tsop delete webhook --group web --version v1 --kind MyWeb --conversion",
  ],
  flags: (command) =>
    command
      .addOption(deletedGroup)
      .addOption(apiVersion)
      .addOption(kind)
      .option("--defaulting", "delete only the defaulter", false)
      .option("--validation", "delete only the validator", false)
      .option("--conversion", "delete only the converters", false)
      .option(
        "--spoke <versions>",
        "delete only these converters, comma-separated (repeatable)",
        collectList,
        [],
      )
      .addOption(forceDeletion)
      .addOption(dryRun)
      .addOption(diff),
});
