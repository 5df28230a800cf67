import { afterEach, describe, expect, it } from "vitest";
import { type SimulatedCluster, simulatedCluster } from "../simulated-cluster.ts";

const open: SimulatedCluster[] = [];
afterEach(() => {
  for (const cluster of open.splice(0)) cluster.stop();
});

async function runPod(script: string, spec: object = {}): Promise<SimulatedCluster> {
  const cluster = await simulatedCluster();
  open.push(cluster);
  await cluster.create("pods", {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "default", annotations: { "tsop.dev/simulate": script } },
    spec: { containers: [{ name: "c", image: "x:1" }], ...spec },
  });
  await cluster.settle();
  return cluster;
}

describe("a pod's script", () => {
  it("lets a pod fail for good where it is not restarted", async () => {
    const cluster = await runPod("fail:3", { restartPolicy: "Never" });
    expect(cluster.get("pods", "p").status).toMatchObject({
      phase: "Failed",
      containerStatuses: [{ state: { terminated: { exitCode: 3 } } }],
    });
  });

  it("lets a pod crash again and again where it is restarted", async () => {
    const cluster = await runPod("fail");
    const restarts = (): unknown =>
      cluster.get("pods", "p").status.containerStatuses[0].restartCount;
    expect(restarts()).toBe(1);
    await cluster.clock.advance(10_000);
    await cluster.settle();
    expect(restarts()).toBe(2);
  });

  it("lets a pod become ready late, or never", async () => {
    const slow = await runPod("slow:30");
    const isReady = (cluster: SimulatedCluster): boolean =>
      cluster
        .get("pods", "p")
        .status.conditions.some(
          ({ type, status }: { type: string; status: string }) =>
            type === "Ready" && status === "True",
        );
    expect(isReady(slow)).toBe(false);
    await slow.clock.advance(30_000);
    await slow.settle();
    expect(isReady(slow)).toBe(true);
    const never = await runPod("never-ready");
    await never.clock.advance(600_000);
    await never.settle();
    expect(isReady(never)).toBe(false);
  });
});
