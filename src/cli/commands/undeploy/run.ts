/** `tsop undeploy`: deletes what `tsop deploy` created. */
import { removeRendered } from "../../cluster/removal.ts";
import type { Run } from "../../command.ts";
import type { undeploy } from "./flags.ts";

export const run: Run<typeof undeploy> = (options, context) =>
  removeRendered("undeploy", "config/default", options, context);
