/**
 * Starts the operator with the settings from the command line.
 */
import { createManager, managerFlags, managerOptions, readFlags, setupSignalHandler } from "tsop";
import { setUpMyWeb } from "./controllers/myweb-controller.ts";

// Metrics, probes, webhooks, and leader election are off unless a flag enables them. See `npx tsop run -- --help`.
const flags = readFlags({ ...managerFlags });

const manager = createManager({
  name: "myweb",
  ...managerOptions(flags, { leaderElection: { id: "myweb.k8s-summit.org" } }),
});

setUpMyWeb(manager);
await manager.start(setupSignalHandler());
