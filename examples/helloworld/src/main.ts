/**
 * Starts the operator: settings from the command line, then the controllers.
 */
import { createManager, managerFlags, managerOptions, readFlags, setupSignalHandler } from "tsop";
import { setUpHelloWorld } from "./controllers/helloworld-controller.ts";

// What no flag asks for stays off; `npx tsop run -- --help` lists the flags.
const flags = readFlags({ ...managerFlags });

const manager = createManager({
  name: "helloworld",
  ...managerOptions(flags, { leaderElection: { id: "helloworld.example.com" } }),
});

setUpHelloWorld(manager);
await manager.start(setupSignalHandler());
