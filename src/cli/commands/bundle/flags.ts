import { defineCommand } from "../../command.ts";
import { force, OUTPUT_DIR } from "../../packaging/package-flags.ts";
import { check, diff, dryRun, json } from "../../shared-flags.ts";

export const bundle = defineCommand({
  name: "bundle",
  summary: "generate an OLM bundle",
  description:
    "Generate a bundle for the Operator Lifecycle Manager from config/default. Your edits to the bundle are preserved.",
  examples: [
    "tsop bundle --image registry.example.com/web-operator@sha256:0123...",
    "tsop bundle --version 0.2.0 --replaces 0.1.0 --channels stable,candidate",
    "tsop bundle --check",
  ],
  flags: (command) =>
    command
      .option("--image <image>", "image of the operator (default: from config/manager)")
      .option("--version <version>", "version of the bundle (default: from package.json)")
      .option("--channels <channels>", "channels of the bundle, comma-separated", "alpha")
      .option("--default-channel <channel>", "default channel of the package (default: the first)")
      .option("--replaces <version>", "version that the bundle replaces")
      .option("--maturity <word>", "maturity, such as alpha, beta, or stable")
      .option("--description <text>", "description in the catalog (default: from package.json)")
      .option("--icon <file>", "image file shown in the catalog")
      .option("--output-dir <folder>", OUTPUT_DIR, "bundle")
      .addOption(check)
      .addOption(force)
      .addOption(dryRun)
      .addOption(diff)
      .addOption(json),
});
