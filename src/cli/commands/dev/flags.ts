import { defineCommand, Option } from "../../command.ts";
import { port, routeService } from "../../shared-flags.ts";

export const dev = defineCommand({
  name: "dev",
  summary: "run a control plane and the operator, reloaded on save",
  description:
    "Start a control plane, install the CRDs, run the operator with the permissions of its generated role, and reload it on save.",
  examples: ["tsop dev", "tsop dev --port 6443"],
  output: "endless",
  flags: (command) =>
    command
      .argument("[arguments...]", "arguments of the operator, after `--`")
      .addOption(port)
      .addOption(routeService)
      .addOption(
        new Option("--once", "start, wait until the operator is ready, and stop")
          .default(false)
          .conflicts("inspectBrk"),
      )
      .option(
        "--inspect-brk [address]",
        "let each operator wait for a debugger at its first line",
        false,
      )
      .option("--samples", "apply config/samples at the start", false)
      .option("--no-types", "do not run the project's TypeScript compiler"),
});
