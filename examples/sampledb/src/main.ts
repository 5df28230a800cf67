/**
 * Starts the operator with the settings from the command line.
 */
import { createManager, managerFlags, managerOptions, readFlags, setupSignalHandler } from "tsop";
import { setUpSampleDB } from "./controllers/sampledb-controller.ts";

// Metrics, probes, webhooks, and leader election are off unless a flag enables them. See `npx tsop run -- --help`.
const flags = readFlags({ ...managerFlags });

const manager = createManager({
  name: "sampledb",
  ...managerOptions(flags, { leaderElection: { id: "sampledb.example.com" } }),
});

setUpSampleDB(manager);
await manager.start(setupSignalHandler());
