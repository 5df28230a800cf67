import { defineCommand, Option } from "../../command.ts";
import { check, diff, dryRun, json, kubeconfig, kubeContext } from "../../shared-flags.ts";

export const manifests = defineCommand({
  name: "manifests",
  summary: "generate CRDs and roles from the code",
  description:
    "Generate CRDs, the operator's role, and their kustomizations from the code. With --against, exits with 3 if a CRD has a breaking change.",
  examples: [
    "tsop manifests",
    "tsop manifests --check",
    "tsop manifests --against cluster",
    "tsop manifests --against main -o json",
  ],
  flags: (command) =>
    command
      .addOption(kubeconfig)
      .addOption(kubeContext)
      .addOption(check)
      .addOption(
        new Option("--watch", "generate again on every save").default(false).conflicts("output"),
      )
      .option("--against <state>", "compare with `cluster`, a path, or a Git revision")
      .addOption(dryRun)
      .addOption(diff)
      .addOption(json),
});
