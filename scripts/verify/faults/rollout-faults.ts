/** Faults of a rollout: replicas whose clocks differ, two releases at a time, shards that come and go. */
import { systemClock } from "../../../src/clock.ts";
import { Deployment } from "../../../src/k8s.ts";
import { eventually } from "../../../src/testing.ts";
import { reconcilersWrites } from "./audit.ts";
import type { Fault } from "./fault.ts";
import { allowShards, holder, leaderOf, TAKE_OVER } from "./replica-faults.ts";
import type { Replica } from "./replica.ts";
import type { Scene } from "./scene.ts";
import { NAMESPACE } from "./webs.ts";

const HOUR_MS = 3_600_000;

const skewedClocks: Fault = {
  name: "clock-skew",
  expected:
    "replicas whose clocks are an hour apart share no lead, and a killed one is followed in time",
  async play(scene) {
    const replicas: Replica[] = [];
    for (const skewMs of [-HOUR_MS, 0, HOUR_MS]) {
      replicas.push(await scene.start({ args: ["--leader-elect", `--skew-ms=${skewMs}`] }));
    }
    await scene.calm();
    for (let kill = 0; kill < 2; kill++) {
      const leader = await eventually(() => leaderOf(replicas), TAKE_OVER);
      const before = await holder(scene);
      const fellAtMs = systemClock.monotonicMs();
      await leader.stop("SIGKILL");
      await scene.webs.disturb();
      await eventually(async () => {
        if ((await holder(scene)) === before) throw new Error("nobody took over");
      }, TAKE_OVER);
      const seconds = Math.round((systemClock.monotonicMs() - fellAtMs) / 1000);
      scene.seen.push(`another led after ${seconds} s`);
    }
    await scene.converges();
  },
};

/** The Deployments by their label `release`. */
async function releases(scene: Scene): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const { metadata } of await scene.client.list(Deployment, { namespace: NAMESPACE })) {
    const release = metadata.labels?.["release"] ?? "none";
    counts.set(release, (counts.get(release) ?? 0) + 1);
  }
  return counts;
}

/** Waits until all Deployments are of one release. */
async function allAreOf(scene: Scene, release: string): Promise<void> {
  const beganMs = systemClock.monotonicMs();
  await eventually(
    async () => {
      const counts = await releases(scene);
      const rest = [...counts.keys()].filter((one) => one !== release);
      if (rest.length > 0) throw new Error(`some are of release ${rest.join(", ")}`);
    },
    { timeoutMs: 120_000, intervalMs: 500 },
  );
  const seconds = (systemClock.monotonicMs() - beganMs) / 1000;
  scene.seen.push(`all of release ${release} after ${seconds.toFixed(0)} s`);
}

const overlap: Fault = {
  name: "rolling-overlap",
  expected:
    "while two releases run only the leader's writes; the new one takes over all objects, a rollback takes them back",
  async play(scene) {
    let old = await scene.start({ args: ["--leader-elect", "--release", "1"] });
    await scene.calm();
    await allAreOf(scene, "1");
    for (const release of ["2", "1"]) {
      const next = await scene.start({ args: ["--leader-elect", "--release", release] });
      await scene.webs.disturb();
      // Both run; the old one does all work until it ends.
      await systemClock.sleep(5000);
      const early = (await releases(scene)).get(release) ?? 0;
      if (early > 0) scene.wrong.push(`${early} were written without the lead`);
      await old.stop();
      if (old.exit?.code !== 0)
        scene.wrong.push(`the old one ended with ${String(old.exit?.code)}`);
      await scene.webs.disturb();
      await allAreOf(scene, release);
      old = next;
    }
    await scene.converges();
  },
};

const resizedShards: Fault = {
  name: "shards-resized",
  expected:
    "shards that come, and end in order, pass their keys on: no key is lost or has two owners",
  async play(scene) {
    await allowShards(scene);
    const start = (name: string) => scene.start({ args: ["--shard", name] });
    const first = await start("first");
    await scene.calm();
    const second = await start("second");
    await second.ready();
    await scene.webs.disturb();
    const rest = [await start("third"), await start("fourth")];
    for (const shard of rest) await shard.ready();
    await scene.webs.disturb();
    for (const leaving of [first, second]) {
      await leaving.stop();
      await scene.webs.disturb();
    }
    await scene.converges();
    const writes = reconcilersWrites(scene.requests());
    const shares = [first, second, ...rest].map(
      ({ name }) => writes.filter(({ by }) => by === name).length,
    );
    scene.seen.push(`writes of each: ${shares.join(", ")}`);
    if (shares.includes(0)) scene.wrong.push("one of them got no key");
  },
};

/** In the order in which they are played. */
export const ROLLOUT_FAULTS: readonly Fault[] = [skewedClocks, overlap, resizedShards];
