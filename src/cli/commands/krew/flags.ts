import { defineCommand } from "../../command.ts";
import { diff, dryRun } from "../../shared-flags.ts";

export const krew = defineCommand({
  name: "krew",
  summary: "generate a krew manifest for a kubectl plugin",
  description:
    "Build a kubectl plugin, and write the archive that krew downloads and the manifest for the krew index.",
  examples: [
    "tsop krew webs",
    "tsop krew webs --homepage https://example.com --uri https://example.com/kubectl-webs.tar.gz",
  ],
  flags: (command) =>
    command
      .argument("[name]", "plugin (default: the project's only plugin)")
      .option("--uri <url>", "URL of the archive (default: a release of the GitHub repository)")
      .option("--homepage <url>", "home page of the plugin (default: from package.json)")
      .addOption(dryRun)
      .addOption(diff),
});
