/**
 * Starts the operator with the settings from the command line.
 */
import { createManager, managerFlags, managerOptions, readFlags, setupSignalHandler } from "tsop";
import { setUpHelloWorld } from "./controllers/helloworld-controller.ts";

// Metrics, probes, webhooks, and leader election are off unless a flag enables them. See `npx tsop run -- --help`.
const flags = readFlags({ ...managerFlags });

const manager = createManager({
  name: "helloworld",
  ...managerOptions(flags, { leaderElection: { id: "helloworld.example.com" } }),
});

setUpHelloWorld(manager);
await manager.start(setupSignalHandler());
