import { defineCommand, Option } from "../../../command.ts";
import {
  apiGroup,
  apiVersion,
  CERTIFICATE_MODES,
  certificates,
  collectList,
  diff,
  dryRun,
  externalApiDomain,
  externalApiPath,
  kind,
} from "../../../shared-flags.ts";

export const createWebhook = defineCommand({
  name: "webhook",
  summary: "add webhooks to a kind",
  description:
    "Add defaulting, validating, or conversion webhooks, with tests, to an existing kind. With --conversion, --version is the hub: the version that the others are converted to.",
  examples: [
    "tsop create webhook --group web --version v1 --kind MyWeb --defaulting --validation",
    "tsop create webhook --group web --version v1 --kind MyWeb --conversion --spoke v1alpha1,v1beta1",
    "tsop create webhook --group apps --version v1 --kind Deployment --validation",
  ],
  notes: [CERTIFICATE_MODES],
  flags: (command) =>
    command
      .addOption(apiGroup)
      .addOption(apiVersion)
      .addOption(kind)
      .option("--defaulting", "set defaults of fields that users leave out", false)
      .option("--validation", "reject invalid objects", false)
      .addOption(new Option("--programmatic-validation").default(false).hideHelp())
      .option("--conversion", "convert between the versions of the kind", false)
      .option(
        "--spoke <versions>",
        "with --conversion: other versions, comma-separated (repeatable)",
        collectList,
        [],
      )
      .addOption(certificates)
      .addOption(externalApiDomain)
      .addOption(externalApiPath)
      .option("--force", "overwrite the webhook files", false)
      .addOption(dryRun)
      .addOption(diff),
});
