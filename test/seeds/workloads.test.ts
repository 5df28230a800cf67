/** What the simulated controllers of the cluster do with what operators make. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Client } from "../../src/index.ts";
import { Deployment, Pod, ReplicaSet } from "../../src/k8s.ts";
import {
  clientFor,
  startControlPlane,
  VirtualClock,
  type ControlPlane,
} from "../../src/testing.ts";

const key = { namespace: "default", name: "web" };
const labels = { app: "web" };
const template = { metadata: { labels }, spec: { containers: [{ name: "web", image: "nginx" }] } };
const spec = { selector: { matchLabels: labels }, template };

describe("a Deployment", () => {
  let clock: VirtualClock;
  let cluster: ControlPlane;
  let client: Client;
  beforeEach(async () => {
    clock = new VirtualClock();
    cluster = await startControlPlane({ clock, listen: false });
    client = clientFor(cluster);
  });
  afterEach(() => cluster.stop());

  const pass = async (minutes: number): Promise<void> => {
    await clock.advance(minutes * 60_000);
    await cluster.settle();
  };
  const readyPods = async (): Promise<string[]> =>
    (await client.list(Pod, { namespace: key.namespace, labels }))
      .filter(({ status }) =>
        status?.conditions?.some(({ type, status }) => type === "Ready" && status === "True"),
      )
      .map(({ metadata }) => metadata.name)
      .sort();

  it("S3-02 of six replicas comes to six ready pods, and back to six when one is deleted", async () => {
    await client.create(Deployment, { metadata: key, spec: { ...spec, replicas: 6 } });
    await pass(1);
    const before = await readyPods();
    expect(before).toHaveLength(6);

    const [name = ""] = before;
    await client.delete(Pod, { namespace: key.namespace, name });
    await pass(1);
    const after = await readyPods();
    expect(after).toHaveLength(6);
    expect(after).not.toContain(name);
  });

  it("S2-08 gets back what an operator applies, and keeps the replicas that somebody else decides", async () => {
    const apply = () => client.apply(Deployment, { metadata: key, spec });
    await apply();
    await client.apply(
      Deployment,
      { metadata: key, spec: { replicas: 4 } },
      { fieldManager: "autoscaler" },
    );
    const drifted = { ...template, spec: { containers: [{ name: "web", image: "other" }] } };
    const taken = { metadata: key, spec: { template: drifted } };
    await client.apply(Deployment, taken, { fieldManager: "somebody", force: true });
    await apply();
    const { spec: now } = await client.get(Deployment, key);
    expect(now?.template.spec?.containers[0]?.image).toBe("nginx");
    expect(now?.replicas).toBe(4);
  });

  it.each([
    ["Background", { deployments: 0, replicaSets: 0, pods: 0 }],
    ["Foreground", { deployments: 0, replicaSets: 0, pods: 0 }],
    ["Orphan", { deployments: 0, replicaSets: 1, pods: 2 }],
  ] as const)(
    "S3-14 takes its ReplicaSet and its pods along, or leaves them: %s",
    async (propagationPolicy, left) => {
      await client.create(Deployment, { metadata: key, spec: { ...spec, replicas: 2 } });
      await pass(1);
      const [set] = await client.list(ReplicaSet, { namespace: key.namespace });
      const [pod] = await client.list(Pod, { namespace: key.namespace });
      expect(set?.metadata.ownerReferences).toMatchObject([
        { kind: "Deployment", blockOwnerDeletion: true },
      ]);
      expect(pod?.metadata.ownerReferences).toMatchObject([
        { kind: "ReplicaSet", blockOwnerDeletion: true },
      ]);

      await client.delete(Deployment, key, { propagationPolicy });
      if (propagationPolicy === "Foreground") {
        expect((await client.get(Deployment, key)).metadata.finalizers).toEqual([
          "foregroundDeletion",
        ]);
      }
      await pass(2);
      expect({
        deployments: (await client.list(Deployment, { namespace: key.namespace })).length,
        replicaSets: (await client.list(ReplicaSet, { namespace: key.namespace })).length,
        pods: (await client.list(Pod, { namespace: key.namespace })).length,
      }).toEqual(left);
    },
  );
});
