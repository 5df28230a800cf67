import { defineCommand } from "../../command.ts";
import { json } from "../../shared-flags.ts";

export const validate = defineCommand({
  name: "validate",
  summary: "check manifests against the embedded API server",
  description:
    "Check manifests as an API server would: kinds, unknown fields, schemas, CEL rules, and names. Each finding has its line. Needs no cluster: the embedded control plane answers, and it knows the CRDs among the files and those of the current project. Exits with 1 if an object would be rejected.",
  examples: [
    "tsop validate config/samples",
    "kubectl kustomize config/default | tsop validate -",
    "tsop validate crds/ app.yaml --namespace shop --output json",
  ],
  flags: (command) =>
    command
      .argument("<manifests...>", "files, directories, or - for standard input")
      .option("-n, --namespace <name>", "namespace of objects that do not name one", "default")
      .addOption(json),
});
