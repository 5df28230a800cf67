import { defineCommand } from "../../../command.ts";
import { deleteApi } from "../api/flags.ts";

export const deleteController = defineCommand({
  name: "controller",
  summary: "delete the controller of a kind",
  description: "Delete the controller of a kind and its test. The kind is kept.",
  examples: ["tsop delete controller --group web --version v1 --kind MyWeb"],
  flags: deleteApi.flags,
});
