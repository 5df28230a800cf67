/** `tsop uninstall`: deletes the CRDs that `tsop install` or `tsop deploy` created. */
import { removeRendered } from "../../cluster/removal.ts";
import type { Run } from "../../command.ts";
import type { uninstall } from "./flags.ts";

export const run: Run<typeof uninstall> = (options, context) =>
  removeRendered("uninstall", "config/crd", options, context);
