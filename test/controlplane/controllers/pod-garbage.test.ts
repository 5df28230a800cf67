import { afterEach, describe, expect, it } from "vitest";
import { type SimulatedCluster, simulatedCluster } from "./simulated-cluster.ts";

const open: SimulatedCluster[] = [];
afterEach(() => {
  for (const cluster of open.splice(0)) cluster.stop();
});

async function started(): Promise<SimulatedCluster> {
  const cluster = await simulatedCluster("no-kubelet");
  open.push(cluster);
  return cluster;
}

const pod = (name: string, spec: object = {}, metadata: object = {}): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", ...metadata },
  spec: { containers: [{ name: "c", image: "x:1" }], ...spec },
});

async function pass(cluster: SimulatedCluster, ms: number): Promise<void> {
  await cluster.settle();
  await cluster.clock.advance(ms);
  await cluster.settle();
}

const names = (cluster: SimulatedCluster): unknown[] =>
  cluster.list("pods").map(({ metadata }) => metadata.name);

describe("Pods that nobody will finish", () => {
  it("go a minute after their node, marked as disrupted", async () => {
    const cluster = await started();
    await cluster.create("pods", pod("lost", { nodeName: "gone" }));
    const held = { finalizers: ["example.com/f"] };
    await cluster.create("pods", pod("held", { nodeName: "gone" }, held));
    await pass(cluster, 39_000);
    expect(names(cluster)).toEqual(["held", "lost"]);
    await pass(cluster, 61_000);
    expect(names(cluster)).toEqual(["held"]);
    const { status, metadata } = cluster.get("pods", "held");
    expect(metadata.deletionTimestamp).toBeDefined();
    expect(status).toMatchObject({
      phase: "Failed",
      conditions: [
        {
          type: "DisruptionTarget",
          status: "True",
          reason: "DeletionByPodGC",
          message: "PodGC: node no longer exists",
        },
      ],
    });
  });

  it("stay when the node comes back in time", async () => {
    const cluster = await started();
    await cluster.create("pods", pod("back", { nodeName: "late" }));
    await pass(cluster, 39_000);
    await cluster.create("nodes", { apiVersion: "v1", kind: "Node", metadata: { name: "late" } });
    await pass(cluster, 600_000);
    expect(names(cluster)).toEqual(["back"]);
  });

  it("go with the next look when they were deleted and never had a node", async () => {
    const cluster = await started();
    const held = { finalizers: ["example.com/f"] };
    await cluster.create("pods", pod("nowhere", {}, held));
    await cluster.settle();
    await cluster.client.remove(
      { group: "", plural: "pods" },
      { namespace: "default", name: "nowhere" },
    );
    await pass(cluster, 1000);
    expect(cluster.get("pods", "nowhere").status.phase).toBe("Pending");
    await pass(cluster, 20_000);
    expect(cluster.get("pods", "nowhere").status.phase).toBe("Failed");
  });

  it("go at once when they leave a node that is out of service", async () => {
    const cluster = await started();
    await cluster.create("nodes", {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name: "n" },
      spec: { taints: [{ key: "node.kubernetes.io/out-of-service", effect: "NoSchedule" }] },
    });
    await cluster.create("pods", pod("leaving", { nodeName: "n" }));
    await cluster.settle();
    await cluster.client.remove(
      { group: "", plural: "pods" },
      { namespace: "default", name: "leaving" },
    );
    await pass(cluster, 21_000);
    expect(names(cluster)).toEqual([]);
  });
});
