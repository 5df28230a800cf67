/**
 * Starts the operator with the settings from the command line.
 */
import { createManager, managerFlags, managerOptions, readFlags, setupSignalHandler } from "tsop";
import { simulatedInstances } from "./controllers/instances.ts";
import { setUpPostgreSQLCluster } from "./controllers/postgresqlcluster-controller.ts";

// Metrics, probes, webhooks, and leader election are off unless a flag enables them. See `npx tsop run -- --help`.
const flags = readFlags({
  ...managerFlags,
  "simulate-instances": {
    type: "boolean",
    help: "speak to no database: for a control plane that runs no containers",
  },
});

const manager = createManager({
  name: "postgres",
  ...managerOptions(flags, { leaderElection: { id: "postgres.example.com" } }),
});

setUpPostgreSQLCluster(manager, flags["simulate-instances"] ? simulatedInstances : undefined);
await manager.start(setupSignalHandler());
