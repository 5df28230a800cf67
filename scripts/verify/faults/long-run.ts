/** An hour of work in a few minutes: what does not come back shows as a slope. */
import { systemClock } from "../../../src/clock.ts";
import type { Fault } from "./fault.ts";
import type { Held } from "./operator.ts";
import { TcpProxy } from "./proxy.ts";

/** One round is what happens in a minute. */
const ROUNDS = 60;
/** The connections break every ten minutes. */
const RESET_EVERY = 10;
const RESET_MS = 1000;
/** The first part fills caches, pools, and the engine's own tables. */
const WARM_UP = 15;
const MOST_GROWTH_PERCENT = 10;

const median = (values: readonly number[]): number =>
  [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0;

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MB`;

export const longRun: Fault = {
  name: "hour",
  expected:
    "after sixty rounds of work and six breaks the memory, handles and sockets are those after fifteen rounds",
  async play(scene) {
    const proxy = await TcpProxy.start(scene.plane);
    scene.atEnd(() => proxy.stop());
    const replica = await scene.start({ server: proxy.server, args: ["--leader-elect"] });
    await scene.calm();
    const samples: Held[] = [];
    for (let round = 1; round <= ROUNDS; round++) {
      await scene.webs.disturb();
      if (round % RESET_EVERY === 0) {
        proxy.set("reset");
        await systemClock.sleep(RESET_MS);
        proxy.set("none");
      }
      await scene.webs.converged(60_000);
      samples.push(await replica.held());
    }
    const third = Math.floor((ROUNDS - WARM_UP) / 3);
    const early = samples.slice(WARM_UP, WARM_UP + third);
    const late = samples.slice(-third);
    for (const what of ["heapBytes", "handles", "sockets", "timers"] as const) {
      const [before, after] = [early, late].map((part) => median(part.map((one) => one[what])));
      const show = what === "heapBytes" ? mebibytes : String;
      scene.seen.push(`${what} ${show(before ?? 0)}, then ${show(after ?? 0)}`);
      const limit =
        (before ?? 0) * (1 + MOST_GROWTH_PERCENT / 100) + (what === "heapBytes" ? 0 : 2);
      if ((after ?? 0) > limit) scene.wrong.push(`${what} grows`);
    }
    const writes = scene.requests().filter(({ verb }) => verb === "patch").length;
    scene.seen.push(`${writes} patches in ${ROUNDS} rounds`);
    await scene.converges();
  },
};
