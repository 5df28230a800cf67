/** `tsop create controller`: another name of `tsop create api --no-resource`. */
import { run as createApi } from "../api/run.ts";
import type { Run } from "../../../command.ts";
import type { createController } from "./flags.ts";

/** Adds a controller for an existing kind; returns the exit code. */
export const run: Run<typeof createController> = (options, context, program) =>
  createApi(
    { ...options, field: [], controller: true, resource: false, userRoles: "none" },
    context,
    program,
  );
