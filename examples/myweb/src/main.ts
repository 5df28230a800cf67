/**
 * Starts the operator: settings from the command line, then the controllers.
 */
import { createManager, managerFlags, managerOptions, readFlags, setupSignalHandler } from "tsop";
import { setUpMyWeb } from "./controllers/myweb-controller.ts";

// What no flag asks for stays off; `npx tsop run -- --help` lists the flags.
const flags = readFlags({ ...managerFlags });

const manager = createManager({
  name: "myweb",
  ...managerOptions(flags, { leaderElection: { id: "myweb.k8s-summit.org" } }),
});

setUpMyWeb(manager);
await manager.start(setupSignalHandler());
