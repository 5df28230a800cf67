/**
 * Starts the operator with the settings from the command line.
 */
import { createManager, managerFlags, managerOptions, readFlags, setupSignalHandler } from "tsop";
import { setUpRestarts } from "./controllers/restart-controller.ts";

// Metrics, probes, webhooks, and leader election are off unless a flag enables them. See `npx tsop run -- --help`.
const flags = readFlags({ ...managerFlags });

const manager = createManager({
  name: "configmonitor",
  ...managerOptions(flags, { leaderElection: { id: "configmonitor.example.com" } }),
});

setUpRestarts(manager);
await manager.start(setupSignalHandler());
