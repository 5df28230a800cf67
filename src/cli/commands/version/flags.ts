import { defineCommand } from "../../command.ts";
import { json } from "../../shared-flags.ts";

export const version = defineCommand({
  name: "version",
  summary: "print version information",
  description:
    "Print the versions of tsop, of the Kubernetes API that it implements, of Node.js, and of the system.",
  examples: ["tsop version --json"],
  output: "result",
  flags: (command) => command.option("--json", "print JSON", false).addOption(json),
});
