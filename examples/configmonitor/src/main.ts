/**
 * Starts the operator: settings from the command line, then the controllers.
 */
import { createManager, managerFlags, managerOptions, readFlags, setupSignalHandler } from "tsop";
import { setUpRestarts } from "./controllers/restart-controller.ts";

// What no flag asks for stays off; `npx tsop run -- --help` lists the flags.
const flags = readFlags({ ...managerFlags });

const manager = createManager({
  name: "configmonitor",
  ...managerOptions(flags, { leaderElection: { id: "configmonitor.example.com" } }),
});

setUpRestarts(manager);
await manager.start(setupSignalHandler());
