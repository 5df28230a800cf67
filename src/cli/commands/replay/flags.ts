import { defineCommand } from "../../command.ts";
import { json } from "../../shared-flags.ts";

export const replay = defineCommand({
  name: "replay",
  summary: "replay a recorded reconcile",
  description:
    "Replay a recorded reconcile with the current code, without a cluster, and print the writes that differ. `tsop dev` saves failed reconciles in .tsop/dev/recordings.",
  examples: [
    "tsop replay .tsop/dev/recordings/myweb-default_web.recording.json",
    "tsop replay test/recordings/web.recording.json --inspect-brk",
  ],
  output: "result",
  flags: (command) =>
    command
      .argument("<file>", "recording")
      .option("--inspect-brk [address]", "wait for a debugger at the first line", false)
      .addOption(json),
});
