import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { SentObject } from "../../../../src/kube/object.ts";
import { type SimulatedCluster, simulatedCluster } from "../simulated-cluster.ts";

const open: SimulatedCluster[] = [];
afterEach(() => {
  for (const cluster of open.splice(0)) cluster.stop();
});

/** A cluster in which the pod `p` was made. */
async function withPod(
  spec: object,
  metadata: object = {},
  before: readonly (readonly [resource: string, object: object])[] = [],
): Promise<SimulatedCluster> {
  const cluster = await simulatedCluster();
  open.push(cluster);
  for (const [resource, object] of before) await cluster.create(resource, object);
  await cluster.create("pods", {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "p", namespace: "default", ...metadata },
    spec,
  });
  await cluster.settle();
  return cluster;
}

const container = (more: object = {}): object => ({ name: "c", image: "x:1", ...more });
// oxlint-disable-next-line typescript/no-explicit-any -- tests read fields of many kinds
const statusOf = (cluster: SimulatedCluster): any => cluster.get("pods", "p").status;

function condition(cluster: SimulatedCluster, type: string): object {
  const { conditions } = statusOf(cluster) as { conditions: { type: string }[] };
  return conditions.find((one) => one.type === type) ?? {};
}

async function pass(cluster: SimulatedCluster, seconds: number): Promise<void> {
  await cluster.clock.advance(seconds * 1000);
  await cluster.settle();
}

const told = (cluster: SimulatedCluster, reason: string): string[] =>
  cluster
    .list("events")
    .map((event) => event as unknown as { reason: string; message: string })
    .filter((event) => event.reason === reason)
    .map(({ message }) => message);

const named = (kind: string, name: string, more: object = {}): SentObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name, namespace: "default" },
  ...more,
});

describe("A pod that refers to something that is not there", () => {
  it("waits for a mounted Secret, then for its key, with the kubelet's events", async () => {
    const cluster = await withPod({
      volumes: [{ name: "tls", secret: { secretName: "cert", items: [{ key: "k", path: "k" }] } }],
      containers: [container()],
    });
    expect(statusOf(cluster)).toMatchObject({
      phase: "Pending",
      containerStatuses: [{ ready: false, state: { waiting: { reason: "ContainerCreating" } } }],
    });
    expect(condition(cluster, "PodReadyToStartContainers")).toMatchObject({ status: "False" });
    expect(condition(cluster, "ContainersReady")).toMatchObject({
      reason: "ContainersNotReady",
      message: "containers with unready status: [c]",
    });
    expect(told(cluster, "FailedMount")).toEqual([
      'MountVolume.SetUp failed for volume "tls" : secret "cert" not found',
    ]);
    await cluster.create("secrets", named("Secret", "cert", { data: { other: "YQ==" } }));
    await cluster.settle();
    expect(told(cluster, "FailedMount")[1]).toBe(
      'MountVolume.SetUp failed for volume "tls" : references non-existent secret key: k',
    );
    const key = { namespace: "default", name: "cert" };
    await cluster.client.patch({ group: "", plural: "secrets" }, key, { data: { k: "YQ==" } });
    await cluster.settle();
    expect(statusOf(cluster)).toMatchObject({ phase: "Running" });
    expect(condition(cluster, "Ready")).toMatchObject({ status: "True" });
  });

  it("waits for the parts of a projected volume, and not for what is optional", async () => {
    const cluster = await withPod({
      volumes: [
        {
          name: "all",
          projected: {
            sources: [
              { configMap: { name: "a" } },
              { secret: { name: "b" } },
              { configMap: { name: "c", optional: true } },
            ],
          },
        },
      ],
      containers: [container()],
    });
    expect(told(cluster, "FailedMount")).toEqual([
      'MountVolume.SetUp failed for volume "all" : [configmap "a" not found, secret "b" not found]',
    ]);
    await cluster.create("configmaps", named("ConfigMap", "a"));
    await cluster.create("secrets", named("Secret", "b"));
    await cluster.settle();
    expect(statusOf(cluster)).toMatchObject({ phase: "Running" });
  });

  it("cannot make the environment of its containers", async () => {
    const cluster = await withPod({
      containers: [
        container({
          env: [{ name: "A", valueFrom: { configMapKeyRef: { name: "settings", key: "a" } } }],
        }),
        { name: "other", image: "x:1" },
      ],
    });
    const waiting = (): object => statusOf(cluster).containerStatuses[0].state;
    expect(waiting()).toEqual({
      waiting: { reason: "CreateContainerConfigError", message: 'configmap "settings" not found' },
    });
    expect(told(cluster, "Failed")).toEqual(['Error: configmap "settings" not found']);
    expect(statusOf(cluster)).toMatchObject({
      phase: "Pending",
      containerStatuses: [{}, { ready: true }],
    });
    await cluster.create("configmaps", named("ConfigMap", "settings", { data: { b: "1" } }));
    await cluster.settle();
    expect(waiting()).toMatchObject({
      waiting: { message: "couldn't find key a in ConfigMap default/settings" },
    });
    const key = { namespace: "default", name: "settings" };
    await cluster.client.patch({ group: "", plural: "configmaps" }, key, { data: { a: "1" } });
    await cluster.settle();
    expect(waiting()).toHaveProperty("running");
  });

  it("gets no node while its claim is missing, or has no volume", async () => {
    const cluster = await withPod({
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: "data" } }],
      containers: [container()],
    });
    expect(condition(cluster, "PodScheduled")).toMatchObject({
      status: "False",
      reason: "Unschedulable",
      message: '0/1 nodes are available: persistentvolumeclaim "data" not found. not found',
    });
    await cluster.create("persistentvolumeclaims", {
      ...named("PersistentVolumeClaim", "data"),
      spec: {
        storageClassName: "",
        accessModes: ["ReadWriteOnce"],
        resources: { requests: { storage: "1Gi" } },
      },
    });
    await cluster.settle();
    expect(condition(cluster, "PodScheduled")).toMatchObject({
      message:
        "0/1 nodes are available: pod has unbound immediate PersistentVolumeClaims. not found",
    });
    await cluster.create("persistentvolumes", {
      ...named("PersistentVolume", "disk"),
      metadata: { name: "disk" },
      spec: {
        capacity: { storage: "2Gi" },
        accessModes: ["ReadWriteOnce"],
        hostPath: { path: "/tmp/disk" },
      },
    });
    await cluster.settle();
    expect(statusOf(cluster)).toMatchObject({ phase: "Running" });
  });
});

describe("The commands of containers", () => {
  it("end a pod when they end", async () => {
    const cluster = await withPod({
      restartPolicy: "Never",
      containers: [container({ command: ["sh", "-c", "sleep 20; exit 7"] })],
    });
    expect(statusOf(cluster).phase).toBe("Running");
    await pass(cluster, 19);
    expect(statusOf(cluster).phase).toBe("Running");
    await pass(cluster, 1);
    expect(statusOf(cluster)).toMatchObject({
      phase: "Failed",
      containerStatuses: [
        {
          state: {
            terminated: {
              exitCode: 7,
              reason: "Error",
              startedAt: "2026-01-05T10:00:00Z",
              finishedAt: "2026-01-05T10:00:20Z",
            },
          },
        },
      ],
    });
  });

  it("restart a container that ended, at once first and then after ever longer waits", async () => {
    const cluster = await withPod({ containers: [container({ args: ["sleep", "5"] })] });
    await pass(cluster, 5);
    expect(statusOf(cluster).containerStatuses).toMatchObject([
      { restartCount: 1, ready: true, lastState: { terminated: { reason: "Completed" } } },
    ]);
    await pass(cluster, 5);
    const { uid } = cluster.get("pods", "p").metadata;
    expect(statusOf(cluster).containerStatuses).toMatchObject([
      {
        restartCount: 1,
        ready: false,
        state: {
          waiting: {
            reason: "CrashLoopBackOff",
            message: `back-off 10s restarting failed container=c pod=p_default(${uid ?? ""})`,
          },
        },
      },
    ]);
    await pass(cluster, 10);
    expect(statusOf(cluster).containerStatuses).toMatchObject([{ restartCount: 2, ready: true }]);
  });

  it("keep the other containers waiting while init containers work, one after the other", async () => {
    const cluster = await withPod({
      initContainers: [
        { name: "first", image: "x:1", command: ["sleep", "5"] },
        { name: "proxy", image: "x:1", restartPolicy: "Always" },
        { name: "second", image: "x:1", command: ["sleep", "5"] },
      ],
      containers: [container()],
    });
    expect(statusOf(cluster)).toMatchObject({
      phase: "Pending",
      containerStatuses: [{ state: { waiting: { reason: "PodInitializing" } } }],
    });
    expect(condition(cluster, "Initialized")).toMatchObject({
      reason: "ContainersNotInitialized",
      message: "containers with incomplete status: [first proxy second]",
    });
    await pass(cluster, 5);
    expect(condition(cluster, "Initialized")).toMatchObject({
      message: "containers with incomplete status: [second]",
    });
    await pass(cluster, 5);
    expect(statusOf(cluster)).toMatchObject({
      phase: "Running",
      initContainerStatuses: [
        { ready: true, state: { terminated: { exitCode: 0 } } },
        { ready: true, started: true, state: { running: {} } },
        { ready: true },
      ],
      containerStatuses: [{ ready: true }],
    });
  });

  it("fail a pod for good whose init container fails and is not restarted", async () => {
    const cluster = await withPod({
      restartPolicy: "Never",
      initContainers: [{ name: "init", image: "x:1", command: ["false"] }],
      containers: [container()],
    });
    expect(statusOf(cluster)).toMatchObject({
      phase: "Failed",
      initContainerStatuses: [{ state: { terminated: { exitCode: 1 } } }],
      containerStatuses: [{ state: { waiting: { reason: "PodInitializing" } } }],
    });
  });

  it("are ended by the pod's deadline", async () => {
    const cluster = await withPod({
      activeDeadlineSeconds: 30,
      containers: [container({ command: ["sleep", "1h"] })],
    });
    await pass(cluster, 30);
    expect(statusOf(cluster)).toMatchObject({
      phase: "Failed",
      reason: "DeadlineExceeded",
      containerStatuses: [{ state: { terminated: { exitCode: 137 } } }],
    });
  });

  it("end before a deleted pod goes, and who kept it by a finalizer sees that they have", async () => {
    const finalizers = ["example.com/fence"];
    const cluster = await withPod({ containers: [container()] }, { finalizers });
    const pods = { plural: "pods", group: "" };
    await cluster.client.remove(pods, { namespace: "default", name: "p" });
    await cluster.settle();
    expect(cluster.get("pods", "p").metadata.deletionTimestamp).toBeDefined();
    expect(statusOf(cluster)).toMatchObject({
      phase: "Succeeded",
      containerStatuses: [{ ready: false, state: { terminated: { exitCode: 0 } } }],
    });
    expect(condition(cluster, "Ready")).toMatchObject({ status: "False", reason: "PodCompleted" });

    await cluster.client.patch(
      pods,
      { namespace: "default", name: "p" },
      { metadata: { finalizers: null } },
    );
    await cluster.settle();
    expect(cluster.list("pods")).toEqual([]);
  });

  it("decide when a Job is complete", async () => {
    const cluster = await simulatedCluster();
    open.push(cluster);
    await cluster.create("jobs.batch", {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "backup", namespace: "default" },
      spec: {
        template: {
          metadata: { labels: { app: "backup" } },
          spec: {
            restartPolicy: "Never",
            containers: [container({ command: ["sleep", "60"] })],
          },
        },
      },
    });
    await cluster.settle();
    expect(cluster.get("jobs.batch", "backup").status).toMatchObject({ active: 1 });
    await pass(cluster, 60);
    expect(cluster.get("jobs.batch", "backup").status).toMatchObject({ succeeded: 1 });
  });
});

describe("Readiness", () => {
  it("comes with the delays of the probes", async () => {
    const cluster = await withPod({
      containers: [
        container({
          startupProbe: { httpGet: { port: 80 }, initialDelaySeconds: 5 },
          readinessProbe: { httpGet: { port: 80 }, initialDelaySeconds: 15, periodSeconds: 10 },
        }),
      ],
    });
    const facts = (): object => statusOf(cluster).containerStatuses[0];
    expect(facts()).toMatchObject({ started: false, ready: false });
    await pass(cluster, 5);
    expect(facts()).toMatchObject({ started: true, ready: false });
    await pass(cluster, 10);
    expect(facts()).toMatchObject({ started: true, ready: true });
  });

  it("is asked of the process on this machine that the annotation names", async () => {
    let code = 500;
    const asked: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url);
      response.writeHead(code).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    try {
      const cluster = await withPod(
        {
          containers: [
            container({
              readinessProbe: {
                httpGet: { path: "/readyz", port: 8081 },
                periodSeconds: 10,
                failureThreshold: 2,
              },
            }),
          ],
        },
        { annotations: { "tsop.dev/simulate": `process:127.0.0.1:${port}` } },
      );
      const isReady = (): boolean => statusOf(cluster).containerStatuses[0].ready as boolean;
      expect(isReady()).toBe(false);
      expect(told(cluster, "Unhealthy")).toEqual([
        "Readiness probe failed: HTTP probe failed with statuscode: 500",
      ]);
      code = 200;
      await pass(cluster, 10);
      expect(isReady()).toBe(true);
      code = 500;
      await pass(cluster, 10);
      expect(isReady()).toBe(true);
      await pass(cluster, 10);
      expect(isReady()).toBe(false);
      expect(new Set(asked)).toEqual(new Set(["/readyz"]));
    } finally {
      server.close();
    }
  });

  it("does not come from an annotation that is not understood, which is told", async () => {
    const cluster = await withPod(
      { containers: [container()] },
      { annotations: { "tsop.dev/simulate": "process:10.0.0.1:80" } },
    );
    expect(statusOf(cluster).phase).toBe("Running");
    expect(told(cluster, "SimulationNotUnderstood")).toEqual([
      'The annotation tsop.dev/simulate: "process:10.0.0.1:80" is not understood and has no effect. It may be one of: fail, fail:EXIT_CODE, slow, slow:SECONDS, never-ready, liveness-fails, liveness-fails:SECONDS, readiness-fails, readiness-fails:SECONDS, startup-fails, no-image, oom, oom:SECONDS, run, process:127.0.0.1:PORT.',
    ]);
  });
});
