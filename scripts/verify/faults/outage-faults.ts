/** Outages that come back: an API server that restarts again and again, an etcd that is full. */
import { systemClock } from "../../../src/clock.ts";
import type { Fault } from "./fault.ts";

const RESTARTS = 5;
const FULL_MS = 20_000;

const restarts: Fault = {
  name: "server-restarts",
  expected: "all converge after the last of five restarts, the waits do not add up",
  async play(scene) {
    const replica = await scene.start();
    await scene.calm();
    await scene.probing(replica, async () => {
      for (let count = 0; count < RESTARTS; count++) {
        await scene.webs.disturb();
        await scene.plane.signal("apiserver", "SIGKILL");
        scene.plane.start("apiserver");
        await scene.plane.ready();
      }
      await scene.converges();
    });
    if (replica.exit) scene.wrong.push(`it ended with ${String(replica.exit.code)}`);
  },
};

const fullEtcd: Fault = {
  name: "etcd-full",
  expected:
    "writes fail and are tried again, slower and slower; reads go on; all converge afterwards",
  async play(scene) {
    const replica = await scene.start();
    await scene.calm();
    await scene.probing(replica, async () => {
      replica.signal("SIGSTOP");
      await scene.webs.disturb();
      await scene.plane.setFull(true);
      try {
        replica.signal("SIGCONT");
        await systemClock.sleep(FULL_MS);
        const failed = scene.requests().filter(({ code }) => code >= 500).length;
        scene.seen.push(`${failed} writes failed in ${FULL_MS / 1000} s`);
        if (failed === 0) scene.wrong.push("no write failed");
      } finally {
        await scene.plane.setFull(false);
      }
      await scene.converges();
    });
    if (replica.exit) scene.wrong.push(`it ended with ${String(replica.exit.code)}`);
  },
};

/** In the order in which they are played. */
export const OUTAGE_FAULTS: readonly Fault[] = [restarts, fullEtcd];
