import { defineCommand } from "../../command.ts";
import { dryRun } from "../../shared-flags.ts";

export const build = defineCommand({
  name: "build",
  summary: "bundle the operator and its kubectl plugins",
  description:
    "Bundle the operator and its dependencies into dist/main.mjs, and each kubectl plugin into dist/plugins.",
  examples: ["tsop build"],
  flags: (command) => command.addOption(dryRun),
});
