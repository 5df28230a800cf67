/**
 * Starts the operator with the settings from the command line.
 */
import { createManager, managerFlags, managerOptions, readFlags, setupSignalHandler } from "tsop";
import { setUpMyApp } from "./controllers/myapp-controller.ts";

// Metrics, probes, webhooks, and leader election are off unless a flag enables them. See `npx tsop run -- --help`.
const flags = readFlags({ ...managerFlags });

const manager = createManager({
  name: "myapp",
  ...managerOptions(flags, { leaderElection: { id: "myapp.example.com" } }),
});

setUpMyApp(manager);
await manager.start(setupSignalHandler());
