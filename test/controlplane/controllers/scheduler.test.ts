/** The words are those of kube-scheduler 1.37.2, recorded with the same nodes and pods. */
import { afterEach, describe, expect, it } from "vitest";
import { admissionProblem } from "../../../src/controlplane/controllers/scheduler/pod-admission.ts";
import type { Node } from "../../../src/controlplane/builtin/kinds/core/node.ts";
import type { Pod } from "../../../src/controlplane/builtin/kinds/core/pod/shape.ts";
import { NODES, PODS } from "../../../src/controlplane/builtin/tokens.ts";
import { type SimulatedCluster, simulatedCluster } from "./simulated-cluster.ts";

const open: SimulatedCluster[] = [];
afterEach(() => {
  for (const cluster of open.splice(0)) cluster.stop();
});

const N1 = "tsop-node";
const N2 = "tsop-node-2";
const AMOUNTS = { cpu: "4", memory: "8Gi", "ephemeral-storage": "100Gi", pods: "110" };

/** A cluster with two nodes of 4 processors. */
async function twoNodes(): Promise<SimulatedCluster> {
  const cluster = await simulatedCluster("on", 2);
  open.push(cluster);
  for (const name of [N1, N2]) {
    await cluster.client.patch(NODES, { name }, { status: { allocatable: AMOUNTS } }, "status");
  }
  await cluster.settle();
  return cluster;
}

const pod = (name: string, spec: object = {}, labels: object = {}): object => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, namespace: "default", labels },
  spec: { containers: [{ name: "c", image: "a" }], ...spec },
});

const requests = (amounts: object): object => ({
  containers: [{ name: "c", image: "a", resources: { requests: amounts, limits: amounts } }],
});

const term = (matchLabels: object, topologyKey = "kubernetes.io/hostname"): object => ({
  requiredDuringSchedulingIgnoredDuringExecution: [{ labelSelector: { matchLabels }, topologyKey }],
});

const fieldTerm = (...names: string[]): object => ({
  affinity: {
    nodeAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [
          {
            matchFields: names.map((name) => ({
              key: "metadata.name",
              operator: "In",
              values: [name],
            })),
          },
        ],
      },
    },
  },
});

const NOT_HELPFUL =
  "preemption: 0/2 nodes are available: 2 Preemption is not helpful for scheduling.";
const NO_VICTIMS =
  "preemption: 0/2 nodes are available: 2 No preemption victims found for incoming pod.";

/** The message about a pod that is put on no node. */
async function messageAbout(cluster: SimulatedCluster, object: object): Promise<unknown> {
  const { metadata } = await cluster.create("pods", object);
  await cluster.settle();
  const { spec, status } = cluster.get("pods", metadata.name ?? "");
  expect(spec.nodeName).toBeUndefined();
  expect(status.conditions).toEqual([
    expect.objectContaining({
      type: "PodScheduled",
      status: "False",
      reason: "Unschedulable",
      observedGeneration: 1,
    }),
  ]);
  const [event] = cluster
    .list("events")
    .filter((one) => (one as unknown as Event).involvedObject.name === metadata.name);
  expect(event).toMatchObject({
    reason: "FailedScheduling",
    message: status.conditions[0].message,
    source: { component: "default-scheduler" },
  });
  return status.conditions[0].message;
}

interface Event {
  readonly involvedObject: { readonly name: string };
}

describe("A pod that no node can have", () => {
  it.each([
    [
      "wants more than a node has",
      requests({ cpu: "50", memory: "100Gi", "example.com/x": "1" }),
      `2 Insufficient cpu, 2 Insufficient example.com/x, 2 Insufficient memory. ${NOT_HELPFUL}`,
    ],
    [
      "selects labels that no node has",
      { nodeSelector: { no: "such" } },
      `2 node(s) didn't match Pod's node affinity/selector. ${NOT_HELPFUL}`,
    ],
    [
      "names a node that does not exist",
      fieldTerm("n9"),
      `2 node(s) didn't satisfy plugin(s) [NodeAffinity]. ${NOT_HELPFUL}`,
    ],
    ["names two nodes", fieldTerm(N1, N2), "pod affinity terms conflict. not found"],
    [
      "is too large for the node that it names",
      { ...fieldTerm(N1), ...requests({ cpu: "50" }) },
      `1 Insufficient cpu, 1 node(s) didn't satisfy plugin(s) [NodeAffinity]. ${NOT_HELPFUL}`,
    ],
    [
      "wants to be near pods that do not run",
      { affinity: { podAffinity: term({ no: "such" }) } },
      `2 node(s) didn't match pod affinity rules. ${NOT_HELPFUL}`,
    ],
    [
      "is spread by a label that no node has",
      {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: "no-such-key",
            whenUnsatisfiable: "DoNotSchedule",
            labelSelector: { matchLabels: {} },
          },
        ],
      },
      `2 node(s) didn't match pod topology spread constraints (missing required label). ${NOT_HELPFUL}`,
    ],
    [
      "uses a claim that does not exist",
      { volumes: [{ name: "v", persistentVolumeClaim: { claimName: "none" } }] },
      'persistentvolumeclaim "none" not found. not found',
    ],
  ])("%s", async (_, spec, reasons) => {
    const cluster = await twoNodes();
    expect(await messageAbout(cluster, pod("p", spec))).toBe(`0/2 nodes are available: ${reasons}`);
  });

  it("may have room later: a port, the place beside another pod, or a processor", async () => {
    const cluster = await twoNodes();
    const port = {
      containers: [{ name: "c", image: "a", ports: [{ containerPort: 80, hostPort: 80 }] }],
    };
    const alone = { affinity: { podAntiAffinity: term({ app: "alone" }) } };
    for (const name of ["one", "two"]) {
      await cluster.create("pods", pod(`port-${name}`, port));
      await cluster.create("pods", pod(`alone-${name}`, alone, { app: "alone" }));
      await cluster.create("pods", pod(`large-${name}`, requests({ cpu: "3" })));
    }
    await cluster.settle();
    expect(await messageAbout(cluster, pod("port", port))).toBe(
      `0/2 nodes are available: 2 node(s) didn't have free ports for the requested pod ports. ${NO_VICTIMS}`,
    );
    expect(await messageAbout(cluster, pod("alone", alone, { app: "alone" }))).toBe(
      `0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules. ${NO_VICTIMS}`,
    );
    expect(await messageAbout(cluster, pod("shunned", {}, { app: "alone" }))).toBe(
      `0/2 nodes are available: 2 node(s) didn't satisfy existing pods anti-affinity rules. ${NO_VICTIMS}`,
    );
    expect(await messageAbout(cluster, pod("large", requests({ cpu: "3" })))).toBe(
      `0/2 nodes are available: 2 Insufficient cpu. ${NO_VICTIMS}`,
    );
    await cluster.client.remove(
      PODS,
      { namespace: "default", name: "large-two" },
      { gracePeriodSeconds: 0 },
    );
    await cluster.settle();
    const { spec, status, metadata } = cluster.get("pods", "large");
    expect(spec.nodeName).toMatch(/^tsop-node/);
    expect(status.conditions).toContainEqual(
      expect.objectContaining({ type: "PodScheduled", status: "True" }),
    );
    expect(metadata.generation).toBe(1);
  });

  it("is spread evenly, and waits where that is impossible", async () => {
    const cluster = await twoNodes();
    const spread = {
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: "kubernetes.io/hostname",
          whenUnsatisfiable: "DoNotSchedule",
          labelSelector: { matchLabels: { app: "s" } },
        },
      ],
    };
    for (const name of ["a", "b", "c", "d"])
      await cluster.create("pods", pod(name, spread, { app: "s" }));
    await cluster.settle();
    const nodes = cluster.list("pods").map(({ spec }) => spec.nodeName as string);
    expect(nodes.toSorted()).toEqual([N1, N1, N2, N2]);
    const onlyOne = { ...spread, ...fieldTerm(N1) };
    await cluster.create("pods", pod("e", { ...onlyOne }, { app: "s" }));
    await cluster.settle();
    // Only the node that it may have counts.
    expect(cluster.get("pods", "e").spec.nodeName).toBe(N1);
    expect(
      await messageAbout(
        cluster,
        pod(
          "f",
          { ...spread, nodeSelector: { "kubernetes.io/os": "linux", no: "such" } },
          { app: "s" },
        ),
      ),
    ).toContain("2 node(s) didn't match Pod's node affinity/selector");
  });

  it("waits at its gates", async () => {
    const cluster = await twoNodes();
    await cluster.create("pods", pod("p", { schedulingGates: [{ name: "example.com/g" }] }));
    await cluster.settle();
    expect(cluster.get("pods", "p").status.conditions).toMatchObject([
      { type: "PodScheduled", status: "False", reason: "SchedulingGated" },
    ]);
    const name = { namespace: "default", name: "p" };
    await cluster.client.patch(PODS, name, { spec: { schedulingGates: null } });
    await cluster.settle();
    expect(cluster.get("pods", "p").spec.nodeName).toBe(N1);
  });
});

describe("A pod of high priority", () => {
  const priority = (name: string, more: object = {}): object => ({
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name },
    value: 1000,
    ...more,
  });

  it("takes the place of the least important pods, once these have ended", async () => {
    const cluster = await twoNodes();
    await cluster.create("priorityclasses.scheduling.k8s.io", priority("high"));
    await cluster.create(
      "priorityclasses.scheduling.k8s.io",
      priority("polite", { preemptionPolicy: "Never" }),
    );
    for (const name of ["low1", "low2"]) {
      const kept = { ...(pod(name, requests({ cpu: "3" })) as { metadata: object }) };
      kept.metadata = { ...kept.metadata, finalizers: ["example.com/hold"] };
      await cluster.create("pods", kept);
    }
    await cluster.settle();
    expect(
      await messageAbout(
        cluster,
        pod("polite", { priorityClassName: "polite", ...requests({ cpu: "3" }) }),
      ),
    ).toBe(
      "0/2 nodes are available: 2 Insufficient cpu. preemption: not eligible due to preemptionPolicy=Never.",
    );
    const high = { priorityClassName: "high", ...requests({ cpu: "3" }) };
    await cluster.create("pods", pod("high", high));
    await cluster.settle();
    expect(cluster.list("events")).toContainEqual(
      expect.objectContaining({
        reason: "FailedScheduling",
        message:
          "0/2 nodes are available: 2 Insufficient cpu. preemption: found a potential placement for pod on node tsop-node, preempting 1 victims",
      }),
    );
    const victim = cluster.get("pods", "low1");
    expect(victim.metadata.deletionTimestamp).toBeDefined();
    expect(victim.status.conditions).toContainEqual(
      expect.objectContaining({
        type: "DisruptionTarget",
        status: "True",
        reason: "PreemptionByScheduler",
        message: "default-scheduler: preempting to accommodate a higher priority pod",
        observedGeneration: 1,
      }),
    );
    const { uid } = cluster.get("pods", "high").metadata;
    expect(cluster.list("events")).toContainEqual(
      expect.objectContaining({
        reason: "Preempted",
        message: `Preempted by pod ${uid ?? ""} on node ${N1}`,
      }),
    );
    const { spec, status } = cluster.get("pods", "high");
    expect(spec.nodeName).toBe(N1);
    expect(status.nominatedNodeName).toBeUndefined();
  });
});

describe("A kubelet's check of a pod", () => {
  const node = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n", labels: { "kubernetes.io/os": "linux" } },
    status: { allocatable: { ...AMOUNTS, pods: "2" } },
  } satisfies Node;
  const placed = (name: string, spec: object): Pod => pod(name, { nodeName: "n", ...spec }) as Pod;
  const port = {
    containers: [
      { name: "c", image: "a", ports: [{ containerPort: 80, hostPort: 80, protocol: "TCP" }] },
    ],
  };

  it.each([
    [
      "OutOfcpu",
      "Node didn't have enough resource: cpu, requested: 10000, used: 1500, capacity: 4000",
      requests({ cpu: "10" }),
    ],
    [
      "OutOfmemory",
      "Node didn't have enough resource: memory, requested: 9663676416, used: 0, capacity: 8589934592",
      requests({ memory: "9Gi" }),
    ],
    [
      "NodeAffinity",
      "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
      { nodeSelector: { no: "such" } },
    ],
    [
      "NodePorts",
      "Predicate NodePorts failed: node(s) didn't have free ports for the requested pod ports",
      port,
    ],
  ])("rejects it: %s", (reason, message, spec) => {
    const other = placed("other", { ...port, ...{} });
    const large = {
      containers: [{ ...port.containers[0], resources: { requests: { cpu: "1500m" } } }],
    };
    expect(
      admissionProblem(placed("p", spec), node, [
        { ...other, spec: { ...other.spec, ...large } } as Pod,
      ]),
    ).toEqual({
      reason,
      message: `Pod was rejected: ${message}`,
    });
  });

  it("rejects one pod too many, and admits extended resources that it does not know", () => {
    const others = [placed("a", {}), placed("b", {})];
    expect(admissionProblem(placed("p", {}), node, others)).toEqual({
      reason: "OutOfpods",
      message:
        "Pod was rejected: Node didn't have enough resource: pods, requested: 1, used: 2, capacity: 2",
    });
    expect(
      admissionProblem(placed("p", requests({ "example.com/x": "1" })), node, []),
    ).toBeUndefined();
  });
});
