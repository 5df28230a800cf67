import { defineCommand, Option } from "../../command.ts";
import { diff, dryRun } from "../../shared-flags.ts";

export const upgrade = defineCommand({
  name: "upgrade",
  summary: "upgrade the project to this version of tsop",
  description:
    "Upgrade the files that tsop scaffolded around your code to this version, merged with your changes. Downloads nothing.",
  examples: [
    "npm install tsop@latest && npx tsop upgrade --dry-run --diff",
    "tsop upgrade",
    "tsop upgrade --conflicts markers",
  ],
  flags: (command) =>
    command
      .addOption(
        new Option(
          "--conflicts <how>",
          "if you and tsop changed the same lines: stop, or write markers",
        )
          .choices(["stop", "markers"])
          .default("stop"),
      )
      .addOption(dryRun)
      .addOption(diff),
});
