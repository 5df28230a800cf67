/** `tsop delete api`. */
import { deleteFrom } from "../delete-from.ts";
import type { Run } from "../../../command.ts";
import type { deleteApi } from "./flags.ts";

/** Deletes a version of a kind; returns the exit code. */
export const run: Run<typeof deleteApi> = (options, context) => deleteFrom("api", options, context);
