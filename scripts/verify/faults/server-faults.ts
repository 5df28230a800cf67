/** Faults of the API server, of etcd and of the connections to them. */
import { systemClock } from "../../../src/clock.ts";
import type { Fault } from "./fault.ts";
import { TcpProxy, type TcpHarm } from "./proxy.ts";
import { HARMS, PASS, RequestProxy, type HttpHarm } from "./request-proxy.ts";

const HARM_MS = 15_000;
const ETCD_MS = 30_000;

const killServer: Fault = {
  name: "server-killed",
  expected: "watches go on where they ended, /readyz is 200 again, nobody restarts",
  async play(scene) {
    const replica = await scene.start();
    await scene.calm();
    await scene.probing(replica, async () => {
      for (let kill = 0; kill < 2; kill++) {
        await scene.webs.disturb();
        await scene.plane.signal("apiserver", "SIGKILL");
        await systemClock.sleep(5000);
        scene.plane.start("apiserver");
        await scene.plane.ready();
      }
      await scene.webs.disturb();
      await scene.converges();
    });
  },
};

const stopEtcd: Fault = {
  name: "etcd-stopped",
  expected:
    "requests fail or wait for 30 s, then all converge; the lead is lost or kept, never shared",
  async play(scene) {
    const replica = await scene.start();
    await scene.calm();
    await scene.webs.disturb();
    await scene.probing(replica, async () => {
      await scene.plane.signal("etcd", "SIGSTOP");
      await systemClock.sleep(ETCD_MS);
      await scene.plane.signal("etcd", "SIGCONT");
      await scene.plane.ready();
      await scene.webs.disturb();
      await scene.converges();
    });
  },
};

const compact: Fault = {
  name: "compaction",
  expected: "a watch that missed what was compacted is told 410 and lists again",
  async play(scene) {
    const proxy = await TcpProxy.start(scene.plane);
    scene.atEnd(() => proxy.stop());
    const replica = await scene.start({ server: proxy.server });
    await scene.calm();
    await scene.probing(replica, async () => {
      proxy.set("reset");
      await scene.webs.disturb();
      await scene.webs.disturb();
      await scene.plane.compact();
      // After a restart, the server does not have the compacted versions in its memory either.
      await scene.plane.signal("apiserver", "SIGKILL");
      scene.plane.start("apiserver");
      await scene.plane.ready();
      proxy.set("none");
      await scene.converges();
    });
    const metrics = await replica.metrics();
    const expired = [...metrics].filter(([name]) =>
      /occurrences.*(gone|expired|relist)/.test(name),
    );
    scene.seen.push(...expired.map(([name, count]) => `${name} ${count}`));
  },
};

function tcpFault(harm: TcpHarm, expected: string): Fault {
  return {
    name: `tcp-${harm}`,
    expected,
    async play(scene) {
      const proxy = await TcpProxy.start(scene.plane);
      scene.atEnd(() => proxy.stop());
      const replica = await scene.start({ server: proxy.server });
      await scene.calm();
      const openedBefore = proxy.opened;
      await scene.probing(replica, async () => {
        proxy.set(harm);
        await scene.webs.disturb();
        await systemClock.sleep(HARM_MS);
        await scene.webs.disturb();
        scene.seen.push(`${proxy.opened - openedBefore} connections meanwhile`);
        proxy.set("none");
        await scene.converges();
      });
    },
  };
}

function httpFault(harm: HttpHarm, expected: string): Fault {
  return {
    name: `http-${harm}`,
    expected,
    async play(scene) {
      const proxy = await RequestProxy.start(scene.plane);
      scene.atEnd(() => proxy.stop());
      const replica = await scene.start({ server: proxy.server });
      await scene.calm();
      await scene.probing(replica, async () => {
        let harmed = 0;
        proxy.handling = (request) => {
          harmed++;
          HARMS[harm](request);
        };
        await scene.webs.disturb();
        await systemClock.sleep(HARM_MS);
        await scene.webs.disturb();
        proxy.handling = PASS;
        scene.seen.push(`${harmed} requests met it`);
        await scene.converges();
      });
    },
  };
}

/** In the order in which they are played. */
export const SERVER_FAULTS: readonly Fault[] = [
  killServer,
  stopEtcd,
  compact,
  tcpFault(
    "silent",
    "requests end by their limits of time, watches are noticed as dead, all converge",
  ),
  tcpFault("reset", "connected again, slower and slower, all converge"),
  tcpFault("cut", "answers that are cut are asked for again, all converge"),
  tcpFault("pieces", "nothing is noticed"),
  tcpFault("garbage", "connections fail as TLS errors, all converge afterwards"),
  httpFault("busy", "nobody asks again before Retry-After is over, all converge"),
  httpFault("cut", "answers that are cut are asked for again, all converge"),
  httpFault("garbage", "answers that cannot be read are errors, all converge"),
];
