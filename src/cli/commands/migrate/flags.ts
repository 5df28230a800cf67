import { defineCommand } from "../../command.ts";
import { collect, json, kubeconfig, kubeContext } from "../../shared-flags.ts";

export const migrate = defineCommand({
  name: "migrate",
  summary: "rewrite stored objects in the storage version",
  description:
    "Rewrite the objects of the project's kinds in the storage version, and remove the other versions from status.storedVersions of the CRDs.",
  examples: ["tsop migrate --dry-run", "tsop migrate", "tsop migrate --kind MyWeb --output json"],
  flags: (command) =>
    command
      .addOption(kubeconfig)
      .addOption(kubeContext)
      .option("--kind <Kind>", "migrate only this kind (repeatable)", collect, [])
      .option("--all", "include kinds whose CRD lists only the storage version", false)
      .option("--dry-run", "read and count the objects without writing", false)
      .addOption(json),
});
