import { defineCommand } from "../../../command.ts";
import { force, OUTPUT_DIR } from "../../../packaging/package-flags.ts";
import { check, diff, dryRun, json } from "../../../shared-flags.ts";

export const generateClient = defineCommand({
  name: "client",
  summary: "generate a client package",
  description:
    "Generate an npm package with the types and tokens of the project's kinds, for other programs to use with the tsop client. Your edits to the package are preserved.",
  examples: [
    "tsop generate client",
    "tsop generate client --name @acme/web-client --output-dir dist/client",
    "tsop generate client --check",
  ],
  flags: (command) =>
    command
      .option("--name <name>", "package name (default: the current one, or PROJECT-client)")
      .option("--output-dir <folder>", OUTPUT_DIR, "client")
      .addOption(check)
      .addOption(force)
      .addOption(dryRun)
      .addOption(diff)
      .addOption(json),
});
