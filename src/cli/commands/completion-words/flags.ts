import { defineCommand } from "../../command.ts";

export const completionWords = defineCommand({
  name: "completion-words",
  summary: "print the project's values of a flag",
  description: "Print the project's values of a flag, for the completion scripts.",
  examples: [],
  hidden: true,
  flags: (command) => command.argument("<flag>", "flag without its dashes, such as kind"),
});
