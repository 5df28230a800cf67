/**
 * The operator of `examples/myweb` as one process of several, for `scripts/faults.ts`: it reports
 * its resources and moves its wall clock on request.
 */
import { parseArgs } from "node:util";
import { systemClock } from "../../../src/clock.ts";
import { createManager, loadClusterConfig, setupSignalHandler } from "../../../src/index.ts";
import { setUpMyWeb } from "../../../examples/myweb/src/controllers/myweb-controller.ts";

/** A request of `scripts/faults.ts` to a replica. */
export type Question = { readonly ask: "held" } | { readonly ask: "jump"; readonly byMs: number };

/** The resources that keep the event loop of a replica alive, and its memory. */
export interface Held {
  readonly timers: number;
  readonly sockets: number;
  readonly heapBytes: number;
}

const ID = "myweb.k8s-summit.org";

const { values: flags } = parseArgs({
  options: {
    "leader-elect": { type: "boolean" },
    shard: { type: "string" },
    "service-account": { type: "string" },
  },
});

const serviceAccountFolder = flags["service-account"];
const manager = createManager({
  name: "myweb",
  metrics: { port: 0, host: "127.0.0.1" },
  health: { port: 0, host: "127.0.0.1" },
  ...(serviceAccountFolder !== undefined && {
    config: loadClusterConfig({ serviceAccountFolder }),
  }),
  ...(flags["leader-elect"] && { leaderElection: { id: ID } }),
  ...(flags.shard !== undefined && { sharding: { id: ID, identity: flags.shard } }),
});

process.on("message", (question: Question) => {
  if (question.ask === "jump") {
    const before = { ...systemClock };
    Object.assign(systemClock, { now: () => before.now() + question.byMs });
  } else process.send?.(held());
});
// The parent process has ended: a replica must not outlive it.
const abandoned = (): never => process.exit(1);
process.on("disconnect", abandoned);
const telling = setInterval(() => {
  if (manager.ports.health === undefined || manager.ports.metrics === undefined) return;
  clearInterval(telling);
  process.send?.(manager.ports);
}, 20);

setUpMyWeb(manager);
await manager.start(setupSignalHandler());
clearInterval(telling);
process.off("disconnect", abandoned);
process.disconnect();

function held(): Held {
  (globalThis as { gc?: () => void }).gc?.();
  const names = process.getActiveResourcesInfo();
  const count = (pattern: RegExp): number => names.filter((name) => pattern.test(name)).length;
  return {
    timers: count(/Timeout/),
    sockets: count(/TCPSocket|TLS/),
    heapBytes: process.memoryUsage().heapUsed,
  };
}
