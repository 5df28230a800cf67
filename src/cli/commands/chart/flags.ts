import { defineCommand } from "../../command.ts";
import { force, OUTPUT_DIR } from "../../packaging/package-flags.ts";
import { check, diff, dryRun, json } from "../../shared-flags.ts";

export const chart = defineCommand({
  name: "chart",
  summary: "generate a Helm chart",
  description: "Generate a Helm chart from config/default. Your edits to the chart are preserved.",
  examples: [
    "tsop chart --image registry.example.com/web-operator:0.1.0",
    "tsop chart --check",
    "tsop chart --output-dir dist/chart --chart-version 1.2.0 --dry-run --diff",
  ],
  flags: (command) =>
    command
      .option("--image <image>", "image of the operator, the default value of the chart")
      .option("--chart-version <version>", "version of the chart (default: from package.json)")
      .option("--output-dir <folder>", OUTPUT_DIR, "chart")
      .addOption(check)
      .addOption(force)
      .addOption(dryRun)
      .addOption(diff)
      .addOption(json),
});
