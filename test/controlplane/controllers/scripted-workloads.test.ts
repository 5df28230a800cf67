import { afterEach, describe, expect, it } from "vitest";
import { Deployment, Job, Pod, StatefulSet } from "../../../src/k8s.ts";
import {
  type ControlPlane,
  VirtualClock,
  clientFor,
  startControlPlane,
} from "../../../src/testing.ts";

const open: ControlPlane[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.stop()));
});

/** A control plane whose time a test moves. */
async function started(
  controllers: "on" | "no-kubelet" | "off" = "on",
): Promise<{ cluster: ControlPlane; clock: VirtualClock; pass: (ms: number) => Promise<void> }> {
  const clock = new VirtualClock({ startMs: Date.parse("2026-01-05T10:00:00Z") });
  const cluster = await startControlPlane({ clock, controllers });
  open.push(cluster);
  const pass = async (ms: number): Promise<void> => {
    await cluster.settle();
    await clock.advance(ms);
    await cluster.settle();
  };
  return { cluster, clock, pass };
}

const key = { namespace: "default", name: "web" };

const workload = (
  script?: string,
  spec: { replicas?: number; progressDeadlineSeconds?: number; serviceName?: string } = {},
) => ({
  metadata: key,
  spec: {
    selector: { matchLabels: { app: "web" } },
    template: {
      metadata: {
        labels: { app: "web" },
        ...(script === undefined ? {} : { annotations: { "tsop.dev/simulate": script } }),
      },
      spec: { containers: [{ name: "c", image: "x:1" }] },
    },
    ...spec,
  },
});

const job = (
  script: string,
  spec: { backoffLimit?: number; activeDeadlineSeconds?: number } = {},
) => ({
  metadata: key,
  spec: {
    template: {
      metadata: { annotations: { "tsop.dev/simulate": script } },
      spec: { restartPolicy: "Never" as const, containers: [{ name: "c", image: "x:1" }] },
    },
    ...spec,
  },
});

describe("Workloads whose pods have a script", () => {
  it("are available at once without one", async () => {
    const { cluster } = await started();
    const client = clientFor(cluster);
    await client.create(Deployment, workload(undefined, { replicas: 3 }));
    await cluster.settle();
    const { status } = await client.get(Deployment, key);
    expect(status).toMatchObject({ replicas: 3, availableReplicas: 3 });
  });

  it("exceed their deadline when no pod is ever ready", async () => {
    const { cluster, pass } = await started();
    const client = clientFor(cluster);
    await client.create(Deployment, workload("never-ready", { progressDeadlineSeconds: 60 }));
    await pass(59_000);
    const progress = async (): Promise<string | undefined> =>
      (await client.get(Deployment, key)).status?.conditions?.find(
        ({ type }) => type === "Progressing",
      )?.reason;
    expect(await progress()).toBe("ReplicaSetUpdated");
    await pass(10_000);
    expect(await progress()).toBe("ProgressDeadlineExceeded");
  });

  it("wait for slow pods, one after the other", async () => {
    const { cluster, pass } = await started();
    const client = clientFor(cluster);
    await client.create(StatefulSet, workload("slow:30", { replicas: 2, serviceName: "web" }));
    const ready = async (): Promise<number | undefined> =>
      (await client.get(StatefulSet, key)).status?.readyReplicas;
    await pass(29_000);
    expect(await client.list(Pod)).toHaveLength(1);
    await pass(1000);
    expect(await ready()).toBe(1);
    await pass(30_000);
    expect(await ready()).toBe(2);
  });

  it("crash in a loop with longer and longer waits", async () => {
    const { cluster, pass } = await started();
    const client = clientFor(cluster);
    await client.create(Deployment, workload("fail:7"));
    const restarts = async (): Promise<number | undefined> => {
      const [pod] = await client.list(Pod);
      const [container] = pod?.status?.containerStatuses ?? [];
      expect(container).toMatchObject({
        ready: false,
        state: { waiting: { reason: "CrashLoopBackOff" } },
        lastState: { terminated: { exitCode: 7 } },
      });
      return container?.restartCount;
    };
    await pass(0);
    expect(await restarts()).toBe(1);
    await pass(10_000);
    expect(await restarts()).toBe(2);
    await pass(10_000);
    expect(await restarts()).toBe(2);
    await pass(10_000);
    expect(await restarts()).toBe(3);
    expect((await client.get(Deployment, key)).status?.availableReplicas).toBeUndefined();
  });

  it("fail a Job when its pods have failed too often, with the waits between them", async () => {
    const { cluster, pass } = await started();
    const client = clientFor(cluster);
    await client.create(Job, job("fail:2", { backoffLimit: 2 }));
    await pass(9000);
    expect((await client.get(Job, key)).status?.failed).toBe(1);
    await pass(60_000);
    const { status } = await client.get(Job, key);
    expect(status?.failed).toBe(3);
    expect(status?.conditions?.map(({ type, reason }) => [type, reason])).toEqual([
      ["FailureTarget", "BackoffLimitExceeded"],
      ["Failed", "BackoffLimitExceeded"],
    ]);
  });

  it("end a Job with a deadline although its pods stay up", async () => {
    const { cluster, pass } = await started();
    const client = clientFor(cluster);
    await client.create(Job, job("run", { activeDeadlineSeconds: 100 }));
    await pass(99_000);
    expect((await client.get(Job, key)).status?.active).toBe(1);
    await pass(2000);
    const { status } = await client.get(Job, key);
    expect(status?.conditions?.map(({ reason }) => reason)).toEqual([
      "DeadlineExceeded",
      "DeadlineExceeded",
    ]);
  });

  it("leave pods to the test where there is no kubelet, and everything where nothing is simulated", async () => {
    const without = await started("no-kubelet");
    const client = clientFor(without.cluster);
    await client.create(Deployment, workload("fail", { replicas: 2 }));
    await without.pass(3_600_000);
    const pods = await client.list(Pod);
    expect(pods.map(({ status }) => status?.phase)).toEqual(["Pending", "Pending"]);

    const off = await started("off");
    await clientFor(off.cluster).create(Deployment, workload());
    await off.pass(3_600_000);
    expect(await clientFor(off.cluster).list(Pod)).toEqual([]);
  });
});
