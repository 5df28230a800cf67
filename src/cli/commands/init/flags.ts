import { defineCommand, Option } from "../../command.ts";
import { diff, dryRun } from "../../shared-flags.ts";

export const init = defineCommand({
  name: "init",
  summary: "start a project",
  description: "Start a project in the current directory or in a new one.",
  examples: [
    "tsop init --domain example.com",
    "tsop init web-operator --domain example.com --owner 'Jane Doe' --license mit",
  ],
  flags: (command) =>
    command
      .argument("[folder]", "project directory; created if it does not exist", ".")
      .option("--domain <domain>", "domain suffix of your API groups, such as example.com")
      .option(
        "--project-name <name>",
        "name prefix of all deployed objects (default: the directory name)",
      )
      .option("--owner <name>", "copyright holder, written to package.json and LICENSE")
      .addOption(
        new Option("--license <id>", "license for your code")
          .choices(["apache2", "mit", "none"])
          .default("apache2"),
      )
      .option("--namespaced", "let the operator watch only its own namespace", false)
      .option("--dev-container", "add a dev container with Node.js, kubectl, and Helm", false)
      .option("--force", "overwrite existing files", false)
      .option("--no-install", "do not run npm install")
      .addOption(dryRun)
      .addOption(diff),
});
