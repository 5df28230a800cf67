/**
 * Starts the operator: settings from the command line, then the controllers.
 */
import { createManager, managerFlags, managerOptions, readFlags, setupSignalHandler } from "tsop";
import { simulatedInstances } from "./controllers/instances.ts";
import { setUpPostgreSQLCluster } from "./controllers/postgresqlcluster-controller.ts";

// What no flag asks for stays off; `npx tsop run -- --help` lists the flags.
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
