import { defineCommand, Option } from "../../command.ts";
import { json, kubeconfig, kubeContext } from "../../shared-flags.ts";

export const why = defineCommand({
  name: "why",
  summary: "explain what changed an object",
  description:
    "Show which changes triggered which reconciles, and what each reconcile read and wrote. Reads the operator that `tsop dev` runs here, or one in a cluster.",
  examples: [
    "tsop why deployment/web",
    "tsop why myweb/web -n shop --last 20",
    "tsop why myweb/web --context staging -o json",
    "tsop why --page --context staging",
  ],
  output: "result",
  flags: (command) =>
    command
      .addOption(kubeconfig)
      .addOption(kubeContext)
      .argument("[object]", "kind and name, such as deploy/web; optional with --page")
      .argument("[name]", "name of the object, if only the kind was given before")
      .option("-n, --namespace <name>", "namespace of the object (default: any)")
      .option("--operator <url>", "address of the debug endpoint of an operator")
      .addOption(new Option("--last <count>", "number of reconciles").argParser(Number).default(5))
      .option("--all", "include reconciles that changed nothing", false)
      .option("--page", "serve the dashboard on this machine until Ctrl-C", false)
      .addOption(json),
});
