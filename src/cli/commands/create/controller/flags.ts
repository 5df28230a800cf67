import { defineCommand } from "../../../command.ts";
import {
  apiGroup,
  apiVersion,
  diff,
  dryRun,
  externalApiDomain,
  externalApiPath,
  kind,
} from "../../../shared-flags.ts";

export const createController = defineCommand({
  name: "controller",
  summary: "add a controller for an existing kind",
  description:
    "Add a controller and its test for an existing kind: one of the project's kinds, a built-in kind, or an external one.",
  examples: [
    "tsop create controller --group web --version v1 --kind MyWeb",
    "tsop create controller --group apps --version v1 --kind Deployment",
  ],
  flags: (command) =>
    command
      .addOption(apiGroup)
      .addOption(apiVersion)
      .addOption(kind)
      .addOption(externalApiDomain)
      .addOption(externalApiPath)
      .option("--force", "overwrite the files of the controller", false)
      .addOption(dryRun)
      .addOption(diff),
});
