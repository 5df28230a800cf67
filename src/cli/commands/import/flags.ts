import { defineCommand, Option } from "../../command.ts";
import { collect, diff, dryRun, kubeconfig, kubeContext, seconds } from "../../shared-flags.ts";

export const importCrds = defineCommand({
  name: "import",
  summary: "convert CRDs into classes",
  description:
    "Convert CRDs into decorated classes. `tsop manifests` regenerates the same CRDs from them.",
  examples: ["tsop import crd.yaml", "tsop import cluster --only certificates.cert-manager.io"],
  flags: (command) =>
    command
      .addOption(kubeconfig)
      .addOption(kubeContext)
      .argument("<from>", "file or directory, URL, `-` for standard input, or `cluster`")
      .option("--only <name>", "import only this CRD or kind (repeatable)", collect, [])
      .addOption(
        new Option(
          "--external",
          "import as external: types only (default outside the project's domain)",
        ).conflicts("own"),
      )
      .option("--own", "import as the project's own: generate and deploy the CRDs")
      .option("--force", "overwrite existing files", false)
      .addOption(dryRun)
      .addOption(diff)
      .addOption(
        new Option(
          "--timeout <duration>",
          "timeout of a download or a request, in seconds or such as 2m30s",
        )
          .default(60)
          .argParser<number>(seconds),
      ),
});
