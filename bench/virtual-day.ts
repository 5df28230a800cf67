/**
 * The time that 24 hours take on a virtual clock: a control plane without a socket, and a manager
 * with four informers whose watches get 5,760 bookmarks and are opened anew some 770 times. Beside
 * it, as many turns of the event loop as there are timers in that day, which nothing that waits for
 * its promises can do without.
 */
import { controllerFor, createManager } from "../src/index.ts";
import { ConfigMap, Deployment, Secret, Service } from "../src/k8s.ts";
import { inProcess, silentLogger, startControlPlane, VirtualClock } from "../src/testing.ts";
import { compare, median, report } from "./measure.ts";

const ROUNDS = 15;
const GOAL_MS = 50;
const DAY_MS = 24 * 3_600_000;
/** 1,440 ticks of bookmarks and the ends of 770 watches. */
const TIMERS = 2210;

/**
 * The processor time of each day, in milliseconds: on a shared machine it says more than real time.
 */
const processorMs: number[] = [];

/** The real time of the day, in milliseconds, without the start and the end of the parts. */
async function timeDay(): Promise<number> {
  const clock = new VirtualClock();
  await using cluster = await startControlPlane({ clock, listen: false });
  const manager = createManager({ clock, transport: inProcess(cluster), log: silentLogger });
  controllerFor(manager)
    .for(ConfigMap)
    .owns(Deployment)
    .owns(Service)
    .owns(Secret)
    .complete({ reconcile: () => Promise.resolve() });
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  await manager.idle();
  const began = performance.now();
  const usage = process.cpuUsage();
  await clock.advance(DAY_MS);
  const took = performance.now() - began;
  const { user, system } = process.cpuUsage(usage);
  processorMs.push((user + system) / 1000);
  stop.abort();
  await clock.advance(60_000);
  await running;
  return took;
}

async function turns(): Promise<void> {
  const clock = new VirtualClock();
  for (let timer = 0; timer < TIMERS; timer++) clock.after(timer, () => undefined);
  await clock.advance(TIMERS);
}

export async function benchVirtualDay(): Promise<void> {
  const times = await compare({ day: timeDay, turns }, ROUNDS);
  const { day = NaN, turns: bare = NaN } = times;
  report("a virtual day, four informers", day, bare, "turns alone");
  const verdict = day <= GOAL_MS ? "met" : "MISSED";
  console.log(`  processor ${median(processorMs).toFixed(0)} ms; goal ${GOAL_MS} ms ${verdict}`);
}
