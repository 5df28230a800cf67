import { ADMIN_KUBECONFIG } from "../../../project-folder.ts";
import { defineCommand, Option } from "../../command.ts";
import { collectList, port, routeService } from "../../shared-flags.ts";

export const cluster = defineCommand({
  name: "cluster",
  summary: "run only the control plane",
  description: "Run a Kubernetes API server in the foreground, for any client in any language.",
  examples: ["tsop cluster", "tsop cluster --port 6443 --nodes 3 --data-dir .tsop/data"],
  output: "endless",
  flags: (command) =>
    command
      .addOption(port)
      .addOption(routeService)
      .option("--kubeconfig <file>", "kubeconfig file to write", ADMIN_KUBECONFIG)
      .addOption(
        new Option("--controllers <which>", "simulated controllers")
          .choices(["on", "off", "no-kubelet"])
          .default("on"),
      )
      .option(
        "--disable-admission-plugins <names>",
        "admission plugins to turn off, comma-separated (repeatable)",
        collectList,
        [],
      )
      .option(
        "--data-dir <folder>",
        "directory that keeps objects over restarts (default: in memory)",
      )
      .addOption(new Option("--nodes <count>", "number of nodes").argParser(Number).default(1))
      .addOption(
        new Option("--pod-timing <which>", "how long simulated pods take to start and end")
          .choices(["real", "instant"])
          .default("real"),
      )
      .addOption(
        new Option("--parent-pid <pid>", "stop when the process with this id has ended").argParser(
          Number,
        ),
      )
      .option("--exit-on-stdin-close", "stop when standard input closes", false)
      .addOption(
        new Option("--print-env", "print one line for a shell to evaluate when ready")
          .default(false)
          .conflicts("json"),
      )
      .option("--json", "print one JSON object when ready, for programs", false),
});
