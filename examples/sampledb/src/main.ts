/**
 * Starts the operator: settings from the command line, then the controllers.
 */
import { createManager, managerFlags, managerOptions, readFlags, setupSignalHandler } from "tsop";
import { setUpSampleDB } from "./controllers/sampledb-controller.ts";

// What no flag asks for stays off; `npx tsop run -- --help` lists the flags.
const flags = readFlags({ ...managerFlags });

const manager = createManager({
  name: "sampledb",
  ...managerOptions(flags, { leaderElection: { id: "sampledb.example.com" } }),
});

setUpSampleDB(manager);
await manager.start(setupSignalHandler());
