/**
 * Starts the operator: settings from the command line, then the controllers.
 */
import { createManager, managerFlags, managerOptions, readFlags, setupSignalHandler } from "tsop";
import { setUpMyApp } from "./controllers/myapp-controller.ts";

// What no flag asks for stays off; `npx tsop run -- --help` lists the flags.
const flags = readFlags({ ...managerFlags });

const manager = createManager({
  name: "myapp",
  ...managerOptions(flags, { leaderElection: { id: "myapp.example.com" } }),
});

setUpMyApp(manager);
await manager.start(setupSignalHandler());
