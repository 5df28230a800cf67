import { afterEach, describe, expect, it } from "vitest";
import { keyOf } from "../../../../src/index.ts";
import { Event, Job, Pod } from "../../../../src/k8s.ts";
import {
  clientFor,
  type ControlPlane,
  simulatePods,
  startControlPlane,
  VirtualClock,
} from "../../../../src/testing.ts";
import { summarize } from "../../../../src/controlplane/builtin/kinds/core/pod/table.ts";
import { Steps } from "../../kubelet-recordings/steps.ts";

const namespace = "default";
const key = { namespace, name: "p" };
const open: ControlPlane[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.stop()));
});

async function start(podTiming?: "real" | "instant") {
  const clock = new VirtualClock();
  const cluster = await startControlPlane({
    clock,
    listen: false,
    ...(podTiming ? { podTiming } : {}),
  });
  open.push(cluster);
  await cluster.settle();
  const client = clientFor(cluster);
  const pass = async (seconds: number, on = cluster): Promise<void> => {
    await clock.advance(seconds * 1000);
    await on.settle();
  };
  /** Makes the pod `p` with one container. */
  const run = async (container: object, spec: object = {}): Promise<void> => {
    await client.create(Pod, {
      metadata: { ...key },
      spec: { containers: [{ name: "c", image: "x:1", ...container }], ...spec },
    });
    await cluster.settle();
  };
  const pod = (on = cluster): Promise<Pod> => clientFor(on).get(Pod, key);
  const container = async (on = cluster) => (await pod(on)).status?.containerStatuses?.[0];
  const events = async (reason: string): Promise<(string | undefined)[]> =>
    (await client.list(Event, { namespace }))
      .filter((event) => event.reason === reason)
      .map(({ message }) => message);
  return { clock, cluster, client, pass, run, pod, container, events };
}

describe("A deleted pod", () => {
  it("runs until its program has ended, and says so before it is gone", async () => {
    const { client, run, pass, pod, events } = await start("real");
    const command = ["sh", "-c", "trap 'sleep 3; exit 4' TERM; while true; do sleep 1; done"];
    await run({ command });
    await pass(5);
    await client.delete(Pod, key);
    await pass(3);
    expect((await pod()).status).toMatchObject({ phase: "Running" });
    expect(await events("Killing")).toEqual(["Stopping container c"]);
    await pass(0.85);
    expect((await pod()).status).toMatchObject({
      phase: "Failed",
      containerStatuses: [{ state: { terminated: { exitCode: 4 } } }],
    });
    await pass(2);
    expect(await client.find(Pod, key)).toBeUndefined();
  });

  it("is killed when it ignores the signal until its grace is over", async () => {
    const { client, run, pass, container, pod } = await start("real");
    await run({ command: ["sleep", "1000"] }, { terminationGracePeriodSeconds: 8 });
    await pass(5);
    await client.delete(Pod, key);
    await pass(7.9);
    expect(await container()).toMatchObject({ state: { running: {} } });
    await pass(0.5);
    expect(await container()).toMatchObject({ state: { terminated: { exitCode: 137 } } });
    expect((await pod()).metadata.deletionTimestamp).toBeDefined();
    await pass(2);
    expect(await client.find(Pod, key)).toBeUndefined();
  });

  it("is gone at once in a test, whatever its grace and its hooks", async () => {
    const { client, cluster, run, events } = await start();
    const preStop = { exec: { command: ["sleep", "20"] } };
    await run({ command: ["sleep", "1000"], lifecycle: { preStop } });
    await client.delete(Pod, key);
    await cluster.settle();
    expect(await client.find(Pod, key)).toBeUndefined();
    expect(await events("Killing")).toEqual(["Stopping container c"]);
  });

  it.each(["real", "instant"] as const)("has failed for its Job (%s)", async (podTiming) => {
    const { client, cluster, pass } = await start(podTiming);
    await simulatePods(cluster, {}, "run");
    await client.create(Job, {
      metadata: { namespace, name: "j" },
      spec: {
        backoffLimit: 0,
        template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "x:1" }] } },
      },
    });
    await pass(5);
    const [pod] = await client.list(Pod, { namespace });
    const steps = new Steps(cluster, namespace);
    const name = pod?.metadata.name ?? "";
    await steps.run(`create --raw /api/v1/namespaces/NS/pods/${name}/eviction -f evict.json`);
    await pass(60);
    const { status } = await client.get(Job, { namespace, name: "j" });
    expect(status).toMatchObject({ failed: 1 });
    expect(status?.succeeded).toBeUndefined();
  });
});

describe("The annotation", () => {
  it("lets images be absent", async () => {
    const { cluster, run, container, pass, events } = await start();
    await simulatePods(cluster, {}, "no-image");
    await run({ image: "ghcr.io/acme/server:1" });
    expect(await container()).toMatchObject({
      state: {
        waiting: { reason: "ImagePullBackOff", message: expect.stringContaining("not found") },
      },
    });
    await pass(10);
    expect(await events("Pulling")).toEqual(['Pulling image "ghcr.io/acme/server:1"']);
    expect(await events("Failed")).toContain("Error: ErrImagePull");
  });

  it("lets liveness probes fail after some time", async () => {
    const { cluster, run, container, pass, events } = await start();
    await simulatePods(cluster, {}, "liveness-fails:60");
    const livenessProbe = { httpGet: { path: "/healthz", port: 80 }, periodSeconds: 10 };
    await run({ livenessProbe });
    await pass(75);
    expect(await container()).toMatchObject({ restartCount: 0, ready: true });
    await pass(10);
    expect(await container()).toMatchObject({ restartCount: 1, ready: true });
    expect(await events("Unhealthy")).toEqual([
      "Liveness probe failed: HTTP probe failed with statuscode: 503",
    ]);
    expect(await events("Killing")).toEqual([
      "Container c failed liveness probe, will be restarted",
    ]);
  });

  it("lets containers run out of memory", async () => {
    const { cluster, run, container } = await start();
    await simulatePods(cluster, {}, "oom");
    await run({}, { restartPolicy: "Never" });
    expect(await container()).toMatchObject({
      state: { terminated: { reason: "OOMKilled", exitCode: 137 } },
    });
  });
});

describe("A pod", () => {
  it("says that a script is more than the simulation understands", async () => {
    const { run, events } = await start();
    await run({ command: ["sh", "-c", "pg_dump db | gzip > /backup/db"] });
    expect(await events("SimulationNotUnderstood")).toEqual([
      "The script of container c is more than the simulation understands, so it is taken to stay up. Say what it does with the annotation tsop.dev/simulate, or with a simpler command.",
    ]);
  });

  it("is rejected by a node without room for it", async () => {
    const { run, pod, events } = await start();
    const resources = { requests: { cpu: "500" } };
    await run({ resources }, { nodeName: "tsop-node" });
    const message =
      "Node didn't have enough resource: cpu, requested: 500000, used: 0, capacity: 32000";
    expect((await pod()).status).toMatchObject({
      phase: "Failed",
      reason: "OutOfcpu",
      message: `Pod was rejected: ${message}`,
    });
    expect(await events("OutOfcpu")).toEqual([message]);
  });

  it("shows the failure of its init container", async () => {
    const { run, pod } = await start();
    const initContainers = [{ name: "i", image: "x:1", command: ["sh", "-c", "exit 4"] }];
    await run({}, { restartPolicy: "Never", initContainers });
    expect(summarize((await pod()) as unknown as Parameters<typeof summarize>[0]).status).toBe(
      "Init:Error",
    );
  });

  it("has the resources of its containers in its status", async () => {
    const { run, container } = await start();
    const resources = { requests: { cpu: "10m" }, limits: { cpu: "20m" } };
    await run({ resources });
    expect(await container()).toMatchObject({ resources, allocatedResources: { cpu: "10m" } });
  });

  it("goes on in a fork where it was, with its restarts and its waits", async () => {
    const { cluster, run, pass, container } = await start();
    await run({ command: ["sh", "-c", "sleep 5; exit 1"] });
    await pass(12);
    expect(await container()).toMatchObject({
      restartCount: 1,
      state: { waiting: { reason: "CrashLoopBackOff" } },
    });
    const fork = await cluster.fork();
    open.push(fork);
    await fork.settle();
    await pass(8, fork);
    expect(await container(fork)).toMatchObject({ restartCount: 2, state: { running: {} } });
    await pass(5, fork);
    expect(await container(fork)).toMatchObject({
      state: { waiting: { message: expect.stringContaining("back-off 20s") } },
    });
    expect(keyOf(await clientFor(fork).get(Pod, key))).toEqual(key);
  });
});
