import { defineCommand } from "../../command.ts";
import { json } from "../../shared-flags.ts";

export const explain = defineCommand({
  name: "explain",
  summary: "explain a marker or an error code",
  description: "Print the documentation of a marker or an error code.",
  examples: ["tsop explain Minimum", "tsop explain right-missing"],
  output: "result",
  flags: (command) =>
    command
      .argument("<name>", "marker such as Minimum, or error code such as right-missing")
      .addOption(json),
});
