/** `tsop delete controller`. */
import { deleteFrom } from "../delete-from.ts";
import type { Run } from "../../../command.ts";
import type { deleteController } from "./flags.ts";

/** Deletes the controller of a kind; returns the exit code. */
export const run: Run<typeof deleteController> = (options, context) =>
  deleteFrom("controller", options, context);
