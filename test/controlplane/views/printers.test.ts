import { describe, expect, it } from "vitest";
import { printerOf } from "../../../src/controlplane/builtin/printer-of.ts";
import type { SentObject } from "../../../src/kube/object.ts";

const nowMs = Date.UTC(2026, 0, 1, 0, 5);
const created = "2026-01-01T00:00:00Z";

/** The row of an object: column names to cells. */
function rowOf(group: string, kind: string, fields: object): Record<string, unknown> {
  const object = {
    apiVersion: "v1",
    kind,
    ...fields,
    metadata: { name: "a", creationTimestamp: created, ...(fields as SentObject).metadata },
  };
  const table = printerOf(group, kind);
  const row = table.cells(object, nowMs);
  return Object.fromEntries(table.columns.map(({ name }, index) => [name, row[index]]));
}

const container = (name: string, state: object, extra: object = {}): object => ({
  name,
  state,
  ready: "running" in state,
  restartCount: 0,
  ...extra,
});
const running = { running: {} };
const pod = (status: object, spec: object = {}, metadata: object = {}): Record<string, unknown> =>
  rowOf("", "Pod", {
    metadata,
    spec: { containers: [{ name: "x" }, { name: "y" }], ...spec },
    status,
  });

describe("pods", () => {
  it("are ready by container, and running when all of them are", () => {
    const statuses = [container("x", running), container("y", running)];
    expect(pod({ phase: "Running", containerStatuses: statuses })).toMatchObject({
      Name: "a",
      Ready: "2/2",
      Status: "Running",
      Restarts: "0",
      Age: "5m",
      IP: "<none>",
      "Readiness Gates": "<none>",
    });
  });

  it("show why a container waits or ended, and when it last restarted", () => {
    const crashed = container(
      "x",
      { waiting: { reason: "CrashLoopBackOff" } },
      { restartCount: 5, lastState: { terminated: { finishedAt: "2026-01-01T00:04:00Z" } } },
    );
    expect(
      pod({ phase: "Running", containerStatuses: [crashed, container("y", running)] }),
    ).toMatchObject({ Ready: "1/2", Status: "CrashLoopBackOff", Restarts: "5 (60s ago)" });
    const killed = container("x", { terminated: { exitCode: 137, signal: 9 } });
    expect(pod({ phase: "Failed", containerStatuses: [killed] })["Status"]).toBe("Signal:9");
  });

  it("are not ready when one container completed and the pod has no Ready condition", () => {
    const done = container("x", { terminated: { exitCode: 0, reason: "Completed" } });
    const containerStatuses = [done, container("y", running)];
    expect(pod({ phase: "Running", containerStatuses })["Status"]).toBe("NotReady");
    const conditions = [{ type: "Ready", status: "True" }];
    expect(pod({ phase: "Running", containerStatuses, conditions })["Status"]).toBe("Running");
  });

  it("count init containers until these are done, and sidecars for good", () => {
    const initContainers = [{ name: "i" }, { name: "s", restartPolicy: "Always" }];
    const waiting = container("s", { waiting: { reason: "PodInitializing" } });
    const first = container("i", { terminated: { exitCode: 0 } });
    expect(
      pod({ phase: "Pending", initContainerStatuses: [first, waiting] }, { initContainers }),
    ).toMatchObject({ Ready: "0/3", Status: "Init:1/2" });
    const sidecar = container("s", running, { started: true });
    const containerStatuses = [container("x", running), container("y", running)];
    expect(
      pod(
        { phase: "Running", initContainerStatuses: [first, sidecar], containerStatuses },
        { initContainers },
      ),
    ).toMatchObject({ Ready: "3/3", Status: "Running" });
  });

  it("are terminating when deleted, unless they have ended", () => {
    const deleted = { deletionTimestamp: created };
    expect(pod({ phase: "Running" }, {}, deleted)["Status"]).toBe("Terminating");
    expect(pod({ phase: "Succeeded" }, {}, deleted)["Status"]).toBe("Succeeded");
    expect(pod({ phase: "Running", reason: "NodeLost" }, {}, deleted)["Status"]).toBe("Unknown");
  });

  it("wait behind scheduling gates", () => {
    const conditions = [{ type: "PodScheduled", status: "False", reason: "SchedulingGated" }];
    expect(pod({ phase: "Pending", conditions })["Status"]).toBe("SchedulingGated");
  });

  it("mark their row when they are done", () => {
    const done = {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { name: "a" },
      status: { phase: "Succeeded" },
    };
    expect(printerOf("", "Pod").conditions?.(done)).toEqual([
      {
        type: "Completed",
        status: "True",
        reason: "Succeeded",
        message: "The pod has completed successfully.",
      },
    ]);
  });
});

describe("services", () => {
  it("show their ports with node ports, and where they are reached from outside", () => {
    const spec = {
      type: "LoadBalancer",
      clusterIPs: ["10.96.0.9"],
      ports: [
        { port: 80, nodePort: 30080, protocol: "TCP" },
        { port: 53, protocol: "UDP" },
      ],
      selector: { b: "2", a: "1" },
    };
    const status = { loadBalancer: { ingress: [{ hostname: "b.example" }, { ip: "192.0.2.1" }] } };
    expect(rowOf("", "Service", { spec, status })).toMatchObject({
      "Cluster-IP": "10.96.0.9",
      "External-IP": "192.0.2.1,b.example",
      "Port(s)": "80:30080/TCP,53/UDP",
      Selector: "a=1,b=2",
    });
    expect(rowOf("", "Service", { spec })["External-IP"]).toBe("<pending>");
  });
});

describe("nodes", () => {
  it("show readiness, roles and addresses", () => {
    const node = {
      metadata: { labels: { "node-role.kubernetes.io/worker": "", "kubernetes.io/role": "edge" } },
      spec: { unschedulable: true },
      status: {
        conditions: [{ type: "Ready", status: "True" }],
        addresses: [{ type: "InternalIP", address: "192.0.2.7" }],
        nodeInfo: { kubeletVersion: "v1.36.3", kernelVersion: "6.1.0", architecture: "amd64" },
      },
    };
    expect(rowOf("", "Node", node)).toMatchObject({
      Status: "Ready,SchedulingDisabled",
      Roles: "edge,worker",
      Version: "v1.36.3",
      "Internal-IP": "192.0.2.7",
      "External-IP": "<none>",
      "Kernel-Version": "6.1.0 (amd64)",
      "OS-Image": "<unknown>",
    });
  });
});

describe("workloads", () => {
  it("show a selector with its requirements sorted by key", () => {
    const selector = {
      matchLabels: { app: "x" },
      matchExpressions: [
        { key: "tier", operator: "In", values: ["b", "a"] },
        { key: "old", operator: "DoesNotExist" },
      ],
    };
    const spec = {
      replicas: 3,
      selector,
      template: { spec: { containers: [{ name: "c", image: "i" }] } },
    };
    const status = { readyReplicas: 2, updatedReplicas: 2, availableReplicas: 1 };
    expect(rowOf("apps", "Deployment", { spec, status })).toMatchObject({
      Ready: "2/3",
      "Up-to-date": 2,
      Available: 1,
      Containers: "c",
      Images: "i",
      Selector: "app=x,!old,tier in (a,b)",
    });
  });

  it("show the first two metrics of an autoscaler", () => {
    const cpu = (target: number): object => ({
      type: "Resource",
      resource: { name: "cpu", target: { averageUtilization: target } },
    });
    const spec = { scaleTargetRef: { kind: "Deployment", name: "d" }, maxReplicas: 5 };
    const status = {
      currentMetrics: [{ resource: { current: { averageUtilization: 40 } } }],
    };
    const metrics = [cpu(50), cpu(60), cpu(70)];
    const row = rowOf("autoscaling", "HorizontalPodAutoscaler", {
      apiVersion: "autoscaling/v2",
      spec: { ...spec, metrics },
      status,
    });
    expect(row).toMatchObject({
      Reference: "Deployment/d",
      Targets: "cpu: 40%/50%, cpu: <unknown>/60% + 1 more...",
      MinPods: "<unset>",
    });
    const first = { ...spec, targetCPUUtilizationPercentage: 80 };
    expect(
      rowOf("autoscaling", "HorizontalPodAutoscaler", {
        apiVersion: "autoscaling/v1",
        spec: first,
      })["Targets"],
    ).toBe("cpu: <unknown>/80%");
  });

  it("show how far a job is and how long it took", () => {
    const status = {
      succeeded: 1,
      startTime: created,
      completionTime: "2026-01-01T00:00:30Z",
      conditions: [{ type: "Complete", status: "True" }],
    };
    expect(rowOf("batch", "Job", { spec: { completions: 1 }, status })).toMatchObject({
      Status: "Complete",
      Completions: "1/1",
      Duration: "30s",
    });
    expect(rowOf("batch", "Job", { spec: { parallelism: 3 } })["Completions"]).toBe("0/1 of 3");
  });
});

describe("events", () => {
  it("look the same through both groups", () => {
    const core = {
      involvedObject: { kind: "Pod", name: "p" },
      source: { component: "op", host: "h" },
      message: "it runs\n",
      firstTimestamp: created,
      count: 2,
    };
    const renamed = {
      apiVersion: "events.k8s.io/v1",
      regarding: { kind: "Pod", name: "p" },
      deprecatedSource: { component: "op", host: "h" },
      note: "it runs\n",
      deprecatedFirstTimestamp: created,
      deprecatedCount: 2,
    };
    const row = rowOf("", "Event", core);
    expect(row).toMatchObject({
      "Last Seen": "5m",
      Object: "pod/p",
      Source: "op, h",
      Message: "it runs",
      Count: 2,
    });
    expect(rowOf("events.k8s.io", "Event", renamed)).toEqual(row);
  });
});

describe("kinds without columns of their own", () => {
  it("show their name and when they were created", () => {
    expect(rowOf("rbac.authorization.k8s.io", "Role", {})).toEqual({
      Name: "a",
      "Created At": created,
    });
  });
});
