/** Faults of the operator's own processes: replicas that elect a leader, and shards. */
import { systemClock } from "../../../src/clock.ts";
import { Role, RoleBinding } from "../../../src/k8s.ts";
import { LEASE } from "../../../src/runtime/leader-election/lease.ts";
import { eventually } from "../../../src/testing.ts";
import { reconcilersWrites } from "./audit.ts";
import { ACCOUNT, ELECTION_LEASE } from "./control-plane.ts";
import type { Fault } from "./fault.ts";
import type { Replica } from "./replica.ts";
import type { Scene } from "./scene.ts";

// A Lease lasts 15 s, and is tried for every 2 s.
const BEYOND_LEASE_MS = 25_000;
export const TAKE_OVER = { timeoutMs: 60_000, intervalMs: 500 };

/** The replica whose metrics report that it is the leader. @throws Error unless exactly one does */
export async function leaderOf(replicas: readonly Replica[]): Promise<Replica> {
  const leading: Replica[] = [];
  for (const replica of replicas) {
    if (replica.exit) continue;
    const metrics = await replica.metrics();
    const status = [...metrics].find(([name]) => name.startsWith("leader_election_master_status"));
    if (status?.[1] === 1) leading.push(replica);
  }
  const [leader] = leading;
  if (!leader || leading.length > 1) throw new Error(`${leading.length} replicas say they lead`);
  return leader;
}

/** The holder of the Lease. */
export async function holder(scene: Scene): Promise<string> {
  const lease = await scene.client.get(LEASE, ELECTION_LEASE);
  return lease.spec?.holderIdentity ?? "";
}

/** Starts three replicas, disables the leader, and waits for the next one. */
async function threeReplicas(
  scene: Scene,
  fell: (leader: Replica) => Promise<void>,
): Promise<void> {
  const replicas: Replica[] = [];
  for (let count = 0; count < 3; count++) {
    replicas.push(await scene.start({ args: ["--leader-elect"] }));
  }
  await scene.calm();
  const leader = await eventually(() => leaderOf(replicas), TAKE_OVER);
  const before = await holder(scene);
  const others = replicas.filter((replica) => replica !== leader);
  const fellAtMs = systemClock.monotonicMs();
  const falling = fell(leader);
  await scene.webs.disturb();
  await eventually(async () => {
    if ((await holder(scene)) === before) throw new Error("nobody took over");
    await leaderOf(others);
  }, TAKE_OVER);
  scene.seen.push(
    `another led after ${Math.round((systemClock.monotonicMs() - fellAtMs) / 1000)} s`,
  );
  await falling;
  await scene.webs.disturb();
  await scene.converges();
  await eventually(() => leaderOf(replicas), TAKE_OVER);
}

const killLeader: Fault = {
  name: "leader-killed",
  expected: "another leads after the Lease, and nobody wrote without it",
  async play(scene) {
    await threeReplicas(scene, (leader) => leader.stop("SIGKILL"));
  },
};

const stopLeader: Fault = {
  name: "leader-stopped",
  expected: "a leader that stood still beyond its Lease writes nothing when it goes on, and ends",
  async play(scene) {
    let stopped: Replica | undefined;
    await threeReplicas(scene, async (leader) => {
      stopped = leader;
      leader.signal("SIGSTOP");
      await systemClock.sleep(BEYOND_LEASE_MS);
      leader.signal("SIGCONT");
      await systemClock.sleep(5000);
    });
    scene.seen.push(stopped?.exit ? `it ended with ${String(stopped.exit.code)}` : "it still runs");
    if (!stopped?.exit) scene.wrong.push("who lost the lead still runs");
  },
};

/** Grants the additional rights that shards need. */
export async function allowShards({ client }: Scene): Promise<void> {
  const metadata = { namespace: ACCOUNT.namespace, name: "shards" };
  const apiGroup = "rbac.authorization.k8s.io";
  await client.apply(Role, {
    metadata,
    rules: [
      { apiGroups: ["coordination.k8s.io"], resources: ["leases"], verbs: ["list", "delete"] },
    ],
  });
  await client.apply(RoleBinding, {
    metadata,
    roleRef: { apiGroup, kind: "Role", name: metadata.name },
    subjects: [{ kind: "ServiceAccount", ...ACCOUNT }],
  });
}

const shards: Fault = {
  name: "shards",
  expected:
    "the keys of a shard that is killed go to the others, a new one gets its share, no key has two at once",
  async play(scene) {
    await allowShards(scene);
    const start = (name: string): Promise<Replica> => scene.start({ args: ["--shard", name] });
    const killed = await start("one");
    await start("two");
    await start("three");
    await scene.calm();
    await scene.webs.disturb();
    await killed.stop("SIGKILL");
    await scene.webs.disturb();
    await scene.converges();
    const added = await start("four");
    await added.ready();
    await systemClock.sleep(BEYOND_LEASE_MS);
    for (let round = 0; round < 5; round++) await scene.webs.disturb();
    await scene.converges();
    const writes = reconcilersWrites(scene.requests());
    const own = writes.filter(({ by }) => by === added.name).length;
    scene.seen.push(`the new one did ${own} of ${writes.length} writes`);
    if (own === 0) scene.wrong.push("the new one got no key");
  },
};

/** In the order in which they are played. */
export const REPLICA_FAULTS: readonly Fault[] = [killLeader, stopLeader, shards];
