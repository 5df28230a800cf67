import { defineCommand } from "../../command.ts";
import { undeploy } from "../undeploy/flags.ts";

export const uninstall = defineCommand({
  name: "uninstall",
  summary: "delete the CRDs from a cluster",
  description:
    "Delete the CRDs that this project created. Refuses while objects of these kinds exist, unless you add --delete-objects.",
  examples: ["tsop uninstall", "tsop uninstall --delete-objects"],
  flags: undeploy.flags,
});
