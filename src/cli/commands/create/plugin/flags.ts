import { defineCommand } from "../../../command.ts";
import { apiVersion, diff, dryRun } from "../../../shared-flags.ts";

export const createPlugin = defineCommand({
  name: "plugin",
  summary: "add a kubectl plugin",
  description:
    "Add a kubectl plugin and its test: a program that lists and describes the objects of a kind, for you to extend.",
  examples: [
    "tsop create plugin webs",
    "tsop create plugin webs --group web --version v1 --kind MyWeb --dry-run --diff",
  ],
  flags: (command) =>
    command
      .argument("<name>", "name after `kubectl`, such as webs")
      // Without a default, unlike that of the other commands: the plugin may be about the project's only kind.
      .option("--group <group>", "API group without the domain, such as web")
      .addOption(apiVersion)
      .option("--kind <Kind>", "kind to show (default: the project's only kind)")
      .option("--force", "overwrite the files of the plugin", false)
      .addOption(dryRun)
      .addOption(diff),
});
