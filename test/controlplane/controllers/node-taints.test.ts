import { afterEach, describe, expect, it } from "vitest";
import { type SimulatedCluster, simulatedCluster, template } from "./simulated-cluster.ts";

const open: SimulatedCluster[] = [];
afterEach(() => {
  for (const cluster of open.splice(0)) cluster.stop();
});

const NODES = { group: "", plural: "nodes" };

/** A cluster with the simulated node and, if wanted, another one that is ready. */
async function started(other?: string): Promise<SimulatedCluster> {
  const cluster = await simulatedCluster();
  open.push(cluster);
  if (other === undefined) return cluster;
  await cluster.create("nodes", { apiVersion: "v1", kind: "Node", metadata: { name: other } });
  await report(cluster, other, "True");
  return cluster;
}

/** Says how ready a node is. */
async function report(cluster: SimulatedCluster, name: string, status: string): Promise<void> {
  const conditions = [{ type: "Ready", status }];
  await cluster.client.patch(NODES, { name }, { status: { conditions } }, "status");
  await cluster.settle();
}

const taintsOf = (cluster: SimulatedCluster, name: string): string[] =>
  (cluster.get("nodes", name).spec.taints ?? []).map(
    ({ key, effect }: { key: string; effect: string }) => `${key}:${effect}`,
  );

describe("A node that is not ready", () => {
  it("evicts its pods when they have borne it long enough, and none once it is ready again", async () => {
    const cluster = await started("spare");
    await cluster.create("pods", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", namespace: "default" },
      spec: {
        nodeName: "tsop-node",
        containers: [{ name: "c", image: "x:1" }],
        tolerations: ["not-ready", "unreachable"].map((state) => ({
          key: `node.kubernetes.io/${state}`,
          operator: "Exists",
          effect: "NoExecute",
          tolerationSeconds: 300,
        })),
      },
    });
    await report(cluster, "tsop-node", "False");
    const notReady = "node.kubernetes.io/not-ready";
    expect(taintsOf(cluster, "tsop-node")).toEqual([
      `${notReady}:NoSchedule`,
      `${notReady}:NoExecute`,
    ]);
    await cluster.clock.advance(200_000);
    await report(cluster, "tsop-node", "True");
    expect(taintsOf(cluster, "tsop-node")).toEqual([]);
    expect(cluster.list("events")).toContainEqual(
      expect.objectContaining({
        reason: "TaintManagerEviction",
        message: "Cancelling deletion of Pod default/p",
      }),
    );
    await cluster.clock.advance(200_000);
    await cluster.settle();
    expect(cluster.list("pods")).toHaveLength(1);

    await report(cluster, "tsop-node", "Unknown");
    expect(taintsOf(cluster, "tsop-node")).toContain("node.kubernetes.io/unreachable:NoExecute");
    await cluster.clock.advance(301_000);
    await cluster.settle();
    expect(cluster.list("pods")).toEqual([]);
  });

  it("marks the pods that it evicts as disrupted", async () => {
    const cluster = await started();
    await cluster.create("pods", {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "p", namespace: "default", finalizers: ["example.com/hold"] },
      spec: { containers: [{ name: "c", image: "x:1" }] },
    });
    await cluster.settle();
    const taints = [{ key: "maintenance", effect: "NoExecute" }];
    await cluster.client.patch(NODES, { name: "tsop-node" }, { spec: { taints } });
    await cluster.settle();
    const { metadata, status } = cluster.get("pods", "p");
    expect(metadata.deletionTimestamp).toBeDefined();
    expect(status.conditions).toContainEqual(
      expect.objectContaining({
        type: "DisruptionTarget",
        status: "True",
        reason: "DeletionByTaintManager",
        message: "Taint manager: deleting due to NoExecute taint",
        observedGeneration: 1,
      }),
    );
    expect(cluster.list("events")).toContainEqual(
      expect.objectContaining({ message: "Marking for deletion Pod default/p" }),
    );
  });

  it("evicts nothing while no node is ready", async () => {
    const cluster = await started();
    await report(cluster, "tsop-node", "False");
    expect(taintsOf(cluster, "tsop-node")).toEqual(["node.kubernetes.io/not-ready:NoSchedule"]);
  });
});

describe("Controllers that undo each other's changes", () => {
  it.each(["StatefulSet", "Deployment"])(
    "leave the process its turns, are slowed down, and are named: %s",
    async (kind) => {
      const cluster = await started();
      await cluster.create(`${kind.toLowerCase()}s.apps`, {
        apiVersion: "apps/v1",
        kind,
        metadata: { name: "held", namespace: "default" },
        spec: {
          selector: { matchLabels: { app: "held" } },
          template: template("held", { nodeName: "tsop-node" }),
        },
      });
      await cluster.settle();
      const taints = [{ key: "maintenance", effect: "NoExecute" }];
      await cluster.client.patch(NODES, { name: "tsop-node" }, { spec: { taints } });
      await expect(cluster.settle()).rejects.toThrow(/never settle.*NodeTaint/);
      const changes: string[] = [];
      const unsubscribe = cluster.client.subscribe(({ resource }) => changes.push(resource.plural));
      await cluster.clock.advance(60_000);
      unsubscribe();
      expect(changes).toContain("pods");
      expect(changes.length).toBeLessThan(20_000);

      await cluster.client.patch(NODES, { name: "tsop-node" }, { spec: { taints: null } });
      await cluster.clock.advance(60_000);
      await cluster.settle();
      expect(cluster.list("pods")).toMatchObject([{ status: { phase: "Running" } }]);
    },
  );
});
