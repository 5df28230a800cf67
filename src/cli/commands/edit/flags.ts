import { defineCommand, Option } from "../../command.ts";
import { PARTS } from "../../project/part-names.ts";
import { CERTIFICATE_MODES, certificates, collectList, diff, dryRun } from "../../shared-flags.ts";

export const edit = defineCommand({
  name: "edit",
  summary: "change the settings of the project",
  description:
    "Change the settings of the project: its optional parts, and the source of its webhook certificate.",
  examples: [
    "tsop edit --enable prometheus,metrics-certs",
    "tsop edit --disable network-policy --dry-run --diff",
    "tsop edit --certificates cert-manager",
    "tsop edit --certificates secret --dry-run --diff",
  ],
  notes: [`Optional parts: ${PARTS.join(", ")}.`, CERTIFICATE_MODES],
  flags: (command) =>
    command
      .option("--enable <part>", "add an optional part (repeatable)", collectList, [])
      .option("--disable <part>", "remove an optional part (repeatable)", collectList, [])
      .addOption(certificates)
      .addOption(new Option("--multigroup [flag]").choices(["true", "false"]).hideHelp())
      .option("--force", "overwrite or delete files that you changed", false)
      .addOption(dryRun)
      .addOption(diff),
});
