import { defineCommand } from "../../command.ts";
import { json } from "../../shared-flags.ts";

export const list = defineCommand({
  name: "list",
  summary: "list the contents of the project",
  description:
    "List the project's kinds with their versions, scopes, controllers, and webhooks, and what is deployed with them.",
  examples: ["tsop list", "tsop list --output json"],
  output: "result",
  flags: (command) => command.addOption(json),
});
