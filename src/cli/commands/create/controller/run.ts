/** `tsop create controller`: `tsop create api --no-resource` by a name of its own. */
import type { Run } from "../../../command.ts";
import { run as createApi } from "../api/run.ts";
import type { createController } from "./flags.ts";

/** Adds a controller for an existing kind; returns the exit code. */
export const run: Run<typeof createController> = (options, ...surroundings) =>
  createApi(
    { ...options, field: [], controller: true, resource: false, userRoles: "none" },
    ...surroundings,
  );
