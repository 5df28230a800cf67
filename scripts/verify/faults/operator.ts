/**
 * The operator of `examples/myweb` as one process of several, for `scripts/faults.ts`: it reports
 * its resources and moves its wall clock on request.
 */
import { parseArgs } from "node:util";
import { systemClock } from "../../../src/clock.ts";
import {
  type ClientMiddleware,
  createManager,
  loadClusterConfig,
  setupSignalHandler,
} from "../../../src/index.ts";
import { setUpMyWeb } from "../../../examples/myweb/src/controllers/myweb-controller.ts";

/** A request of `scripts/faults.ts` to a replica. */
export type Question = { readonly ask: "held" } | { readonly ask: "jump"; readonly byMs: number };

/** The resources that keep the event loop of a replica alive, and its memory. */
export interface Held {
  readonly timers: number;
  readonly sockets: number;
  readonly heapBytes: number;
  /** All that keeps the event loop alive, and its parts. */
  readonly handles: number;
}

const ID = "myweb.k8s-summit.org";

const { values: flags } = parseArgs({
  options: {
    "leader-elect": { type: "boolean" },
    shard: { type: "string" },
    "service-account": { type: "string" },
    release: { type: "string" },
    "skew-ms": { type: "string" },
  },
});

if (flags["skew-ms"] !== undefined) moveWallClock(Number(flags["skew-ms"]));

/** A release labels the Deployments with its name, as if its templates were others. */
const labelRelease: ClientMiddleware = (request, next) => {
  const isApply = request.contentType === "application/apply-patch+yaml";
  if (!isApply || !request.path.includes("/deployments/")) return next(request);
  const body = request.body as { metadata: { labels?: object } };
  const labels = { ...body.metadata.labels, release: flags.release };
  return next({ ...request, body: { ...body, metadata: { ...body.metadata, labels } } });
};

const serviceAccountFolder = flags["service-account"];
const manager = createManager({
  name: "myweb",
  ...(flags.release !== undefined && { middlewares: [labelRelease] }),
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
    moveWallClock(question.byMs);
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

function moveWallClock(byMs: number): void {
  const before = { ...systemClock };
  Object.assign(systemClock, { now: () => before.now() + byMs });
}

function held(): Held {
  (globalThis as { gc?: () => void }).gc?.();
  const names = process.getActiveResourcesInfo();
  const count = (pattern: RegExp): number => names.filter((name) => pattern.test(name)).length;
  return {
    timers: count(/Timeout/),
    sockets: count(/TCPSocket|TLS/),
    heapBytes: process.memoryUsage().heapUsed,
    handles: names.length,
  };
}
