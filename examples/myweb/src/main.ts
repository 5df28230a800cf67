/**
 * Starts the operator: settings from the command line, then the controllers.
 */
import { parseArgs } from "node:util";
import { createManager, setupSignalHandler } from "tsop";
import { setUpMyWeb } from "./controllers/myweb-controller.ts";

const { values: flags } = parseArgs({
  options: {
    "leader-elect": { type: "boolean" },
    "metrics-port": { type: "string" },
    "health-port": { type: "string" },
  },
});

const manager = createManager({
  name: "myweb",
  // What no flag asks for stays off.
  ...(flags["leader-elect"] && { leaderElection: { id: "myweb.k8s-summit.org" } }),
  ...(flags["metrics-port"] && { metrics: { port: Number(flags["metrics-port"]) } }),
  ...(flags["health-port"] && { health: { port: Number(flags["health-port"]) } }),
});

setUpMyWeb(manager);
await manager.start(setupSignalHandler());
