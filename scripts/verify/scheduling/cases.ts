/** Random nodes and pods whose fit depends on everything that the scheduler filters by. */
import type { SentObject } from "../../../src/kube/object.ts";
import type { Random } from "../../../test/support/random.ts";

/** A node or a pod, to be created. */
export interface Manifest extends SentObject {
  readonly spec: object;
}

export const NODES = ["s1", "s2", "s3"];
/** The PriorityClass of pods that may preempt others. */
export const PRIORITY = "important";
export const PRIORITY_VALUE = 1000;

const sometimes = (random: Random, probability: number, part: object): object =>
  random.chance(probability) ? part : {};

export const namedNode = (random: Random, name: string): Manifest => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: {
    name,
    labels: {
      "kubernetes.io/hostname": name,
      size: random.pick(["2", "5"]),
      ...(random.chance(0.85) ? { zone: random.pick(["z1", "z2"]) } : {}),
    },
  },
  spec: { unschedulable: random.chance(0.12) },
});

export function nodeStatus(random: Random): object {
  const pods = random.pick(["2", "4", "10"]);
  const allocatable = { cpu: "4", memory: "8Gi", "ephemeral-storage": "10Gi", pods };
  return { capacity: allocatable, allocatable, conditions: [{ type: "Ready", status: "True" }] };
}

/** A pod; one that already runs has a node, tolerates nothing and has no priority. */
export function pod(random: Random, name: string, nodeName?: string): Manifest {
  const labels = { app: random.pick(["a", "b"]) };
  const spec = {
    ...podSpec(random),
    ...(nodeName === undefined ? {} : { nodeName, tolerations: [], priorityClassName: "" }),
  };
  return { apiVersion: "v1", kind: "Pod", metadata: { name, labels }, spec };
}

function podSpec(random: Random): object {
  const requests = {
    cpu: random.pick(["500m", "2", "3", "5"]),
    memory: random.pick(["1Gi", "6Gi"]),
  };
  const hostPort = random.pick([80, 81]);
  const container = {
    name: "c",
    image: "a",
    ...sometimes(random, 0.6, { resources: { requests } }),
    ...sometimes(random, 0.25, { ports: [{ containerPort: 80, hostPort }] }),
  };
  return {
    automountServiceAccountToken: false,
    ...sometimes(random, 0.4, { priorityClassName: PRIORITY }),
    ...sometimes(random, 0.2, { nodeSelector: { zone: random.pick(["z1", "z2"]) } }),
    ...sometimes(random, 0.3, { tolerations: [{ key: "t", operator: "Exists" }] }),
    ...sometimes(random, 0.35, { topologySpreadConstraints: [constraint(random)] }),
    affinity: {
      ...sometimes(random, 0.33, { podAffinity: required(terms(random)) }),
      ...sometimes(random, 0.33, { podAntiAffinity: required(terms(random)) }),
      ...sometimes(random, 0.25, {
        nodeAffinity: required({ nodeSelectorTerms: [nodeTerm(random)] }),
      }),
    },
    containers: [container],
  };
}

const required = (value: object): object => ({
  requiredDuringSchedulingIgnoredDuringExecution: value,
});

const selector = (random: Random): object => ({
  matchLabels: { app: random.pick(["a", "b"]) },
});

const terms = (random: Random): object[] =>
  Array.from({ length: random.pick([1, 1, 2]) }, () => ({
    labelSelector: selector(random),
    topologyKey: random.pick(["kubernetes.io/hostname", "zone", "nokey"]),
  }));

function nodeTerm(random: Random): object {
  const zone = { key: "zone", operator: random.pick(["In", "NotIn"]), values: ["z1"] };
  const name = { key: "metadata.name", operator: "In", values: [random.pick(["s1", "s2"])] };
  const size = { key: "size", operator: "Gt", values: ["3"] };
  return random.pick<object>([
    { matchExpressions: [zone] },
    { matchFields: [name] },
    { matchExpressions: [size] },
  ]);
}

const constraint = (random: Random): object => ({
  maxSkew: random.pick([1, 2]),
  topologyKey: random.pick(["kubernetes.io/hostname", "zone"]),
  whenUnsatisfiable: "DoNotSchedule",
  labelSelector: selector(random),
  ...sometimes(random, 0.3, { minDomains: random.pick([2, 3]) }),
  ...sometimes(random, 0.3, { nodeTaintsPolicy: "Honor" }),
});
