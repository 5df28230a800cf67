import { defineCommand } from "../../command.ts";
import { json } from "../../shared-flags.ts";

export const doctor = defineCommand({
  name: "doctor",
  summary: "find common mistakes",
  description:
    "Find common mistakes in a project or a directory of manifests, with the line and a fix for each. Exits with 1 if it finds any.",
  examples: ["tsop doctor", "tsop doctor config/", "tsop doctor manifests.yaml --output json"],
  flags: (command) =>
    command
      .argument("[path]", "project, directory, or file (default: the current project)")
      .addOption(json),
});
