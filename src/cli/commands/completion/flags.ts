import { Argument, defineCommand } from "../../command.ts";

export const completion = defineCommand({
  name: "completion",
  summary: "print a completion script for a shell",
  description: "Print a completion script: `source <(tsop completion bash)`.",
  examples: ["source <(tsop completion bash)", "tsop completion fish | source"],
  output: "result",
  flags: (command) =>
    command.addArgument(
      new Argument("<shell>", "name of the shell").choices(["bash", "zsh", "fish", "powershell"]),
    ),
});
