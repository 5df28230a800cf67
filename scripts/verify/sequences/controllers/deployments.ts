/**
 * Deployments and ReplicaSets: rollouts that are changed, paused, rolled back and scaled while their pods come and go.
 */
import type { Random } from "../../../../test/support/random.ts";
import type { Json, Scenario, Step } from "../scenario.ts";
import {
  atRest,
  eventsStep,
  PATHS,
  podReports,
  readOne,
  reported,
  restScenario,
  STRATEGIC,
  write,
} from "./at-rest.ts";

const WEB = `${PATHS.deployments}/web`;
const LISTS = [PATHS.deployments, PATHS.replicaSets, PATHS.pods];

const template = (version: number, rest: Json = {}): Json => ({
  metadata: { labels: { app: "a", v: String(version) } },
  spec: {
    terminationGracePeriodSeconds: 0,
    automountServiceAccountToken: false,
    containers: [{ name: "c", image: `x:${version}` }],
    ...rest,
  },
});

function strategy(random: Random): Json {
  if (random.chance(0.2)) return { type: "Recreate" };
  return {
    type: "RollingUpdate",
    ...(random.chance(0.85)
      ? {
          rollingUpdate: random.pick<Json>([
            { maxSurge: 1, maxUnavailable: 0 },
            { maxSurge: 0, maxUnavailable: 1 },
            { maxSurge: 2, maxUnavailable: 1 },
            { maxSurge: "50%", maxUnavailable: "50%" },
            { maxSurge: "100%", maxUnavailable: 0 },
            { maxSurge: 0, maxUnavailable: "34%" },
            { maxSurge: 3, maxUnavailable: "100%" },
          ]),
        }
      : {}),
  };
}

const patch = (spec: Json): Step[] => [write("PATCH", WEB, { spec }, STRATEGIC)];

/** Several pods report, one after the other. */
function report(random: Random, labels: string): Step[] {
  const count = 1 + random.below(3);
  const ready = random.chance(0.85);
  return Array.from({ length: count }, () =>
    podReports(labels, "Pending", ready ? "Ready" : "Unready"),
  ).flat();
}

type Action = (random: Random, version: () => number) => Step[];

const ACTIONS: readonly (readonly [number, Action])[] = [
  [5, (random) => report(random, "app=a")],
  [2, (random, version) => report(random, `app=a,v=${version()}`)],
  [
    4,
    (random, version) =>
      patch({ template: template(random.chance(0.7) ? version() + 1 : 1 + random.below(3)) }),
  ],
  [3, (random) => patch({ replicas: random.pick([0, 1, 2, 3, 4, 5, 6]) })],
  [1, () => patch({ paused: true })],
  [1.5, () => patch({ paused: false })],
  [1, (random) => patch({ strategy: { $retainKeys: ["type"], ...strategy(random) } })],
  [0.6, (random) => patch({ minReadySeconds: random.pick([0, 1, 3600]) })],
  [0.6, (random) => patch({ revisionHistoryLimit: random.pick([0, 1, 2]) })],
  [0.6, (random) => patch({ progressDeadlineSeconds: random.pick([600, 2147483647, 3605]) })],
  [
    0.8,
    (random) =>
      podReports("app=a", "Running", random.pick(["Unready", "Failed", "Ready", "Succeeded"])),
  ],
  [
    0.8,
    () => [
      {
        request: `GET ${PATHS.pods}?labelSelector=app=a`,
        capture: { gone: "/items/[status.phase=Pending]/metadata/name" },
        only: "status",
      },
      { request: `DELETE ${PATHS.pods}/\${gone}`, only: "status" },
    ],
  ],
  [
    0.6,
    () => [
      {
        request: `GET ${PATHS.pods}?labelSelector=app=a`,
        capture: { released: "/items/[status.phase=Running]/metadata/name" },
        only: "status",
      },
      {
        request: `PATCH ${PATHS.pods}/\${released}`,
        body: { metadata: { labels: { app: "other" } } },
        only: "status",
      },
    ],
  ],
  [
    0.6,
    (random) => [
      write("PATCH", WEB, {
        metadata: {
          annotations: {
            "kubernetes.io/change-cause": `change ${random.below(9)}`,
            "example.com/a": random.pick(["1", "2"]),
          },
        },
      }),
    ],
  ],
  [
    0.6,
    (random, version) => [
      {
        request: `GET ${PATHS.replicaSets}?labelSelector=v=${random.chance(0.5) ? version() : 1}`,
        capture: { set: "/items/0/metadata/name" },
        only: "status",
      },
      random.chance(0.6)
        ? {
            request: `PATCH ${PATHS.replicaSets}/\${set}`,
            body: { spec: { replicas: random.below(4) } },
            only: "status",
          }
        : { request: `DELETE ${PATHS.replicaSets}/\${set}`, only: "status" },
    ],
  ],
  [
    0.5,
    (random) => [
      write("POST", PATHS.pods, {
        metadata: {
          name: "extra",
          labels: { app: "a", ...(random.chance(0.3) ? { v: "1" } : {}) },
        },
        spec: template(1)["spec"] ?? {},
      }),
    ],
  ],
  [
    0.5,
    () => [
      write("POST", PATHS.quotas, {
        metadata: { name: "q" },
        spec: { hard: { pods: "3" } },
      }),
      write("PATCH", `${PATHS.quotas}/q/status`, {
        status: { hard: { pods: "3" }, used: { pods: "3" } },
      }),
    ],
  ],
  [0.5, () => [write("DELETE", `${PATHS.quotas}/q`)]],
  [
    0.5,
    (random) => [
      write("PUT", `${WEB}/scale`, {
        apiVersion: "autoscaling/v1",
        kind: "Scale",
        metadata: { name: "web", namespace: "${ns}" },
        spec: { replicas: random.below(5) },
      }),
    ],
  ],
  [
    0.4,
    (random) => [
      write("DELETE", WEB, {
        propagationPolicy: random.pick(["Orphan", "Background", "Foreground"]),
      }),
    ],
  ],
];

function pickWeighted<T>(random: Random, items: readonly (readonly [number, T])[]): T {
  let left = random.next() * items.reduce((sum, [weight]) => sum + weight, 0);
  for (const [weight, item] of items) {
    left -= weight;
    if (left < 0) return item;
  }
  return (items[0] as readonly [number, T])[1];
}

/** A Deployment over several changes. */
export function deploymentScenario(random: Random, id: string): Scenario {
  let newest = 1;
  const steps: Step[] = [];
  const deployment = {
    metadata: { name: "web", labels: { app: "a" } },
    spec: {
      replicas: 1 + random.below(4),
      selector: { matchLabels: { app: "a" } },
      template: template(1),
      strategy: strategy(random),
      ...(random.chance(0.2) ? { revisionHistoryLimit: random.below(3) } : {}),
      ...(random.chance(0.15) ? { minReadySeconds: random.pick([1, 3600]) } : {}),
      ...(random.chance(0.15) ? { paused: true } : {}),
      ...(random.chance(0.1) ? { progressDeadlineSeconds: 2147483647 } : {}),
    },
  };
  steps.push(write("POST", PATHS.deployments, deployment), ...atRest(LISTS));
  for (let count = 0; count < 3; count++) steps.push(...podReports("app=a", "Pending", "Ready"));
  steps.push(...atRest(LISTS));
  for (let count = 0; count < 6; count++) {
    const action = pickWeighted(random, ACTIONS);
    steps.push(...action(random, () => newest));
    if (JSON.stringify(steps.slice(-1)).includes(`"v":"${newest + 1}"`)) newest++;
    steps.push(...atRest(LISTS));
  }
  steps.push(readOne(WEB), eventsStep());
  return restScenario(id, "a Deployment over several changes", steps);
}

/** A ReplicaSet or ReplicationController over several changes. */
export function replicaSetScenario(random: Random, id: string): Scenario {
  const old = random.chance(0.3);
  const resource = old ? "/api/v1/namespaces/${ns}/replicationcontrollers" : PATHS.replicaSets;
  const lists = [resource, PATHS.pods];
  const labels = { app: "a" };
  const pod = template(1);
  const steps: Step[] = [];
  const loose = (name: string, more: Json = {}): Step =>
    write("POST", PATHS.pods, {
      metadata: { name, labels: { ...labels, v: "1" }, ...more },
      spec: pod["spec"] ?? {},
    });
  if (random.chance(0.3)) steps.push(loose("first"));
  steps.push(
    write("POST", resource, {
      metadata: { name: "web" },
      spec: {
        replicas: random.below(4),
        selector: old ? labels : { matchLabels: labels },
        template: pod,
        ...(random.chance(0.2) ? { minReadySeconds: random.pick([1, 3600]) } : {}),
      },
    }),
    ...atRest(lists),
  );
  const actions: readonly (() => Step[])[] = [
    () => report(random, "app=a"),
    () => report(random, "app=a"),
    () => [write("PATCH", `${resource}/web`, { spec: { replicas: random.below(6) } })],
    () => [write("PATCH", `${resource}/web`, { spec: { replicas: random.below(6) } })],
    () => [
      write("PATCH", `${resource}/web`, { spec: { minReadySeconds: random.pick([0, 3600]) } }),
    ],
    () => [
      write("PATCH", `${resource}/web`, {
        spec: { template: { metadata: { labels: { tier: random.pick(["x", "y"]) } } } },
      }),
    ],
    () => podReports("app=a", "Running", random.pick(["Unready", "Failed", "Succeeded"])),
    () => [
      loose(`loose${random.below(3)}`, {
        ...(random.chance(0.3)
          ? { annotations: { "controller.kubernetes.io/pod-deletion-cost": "-5" } }
          : {}),
        ...(random.chance(0.2) ? { finalizers: ["example.com/f"] } : {}),
      }),
    ],
    () => [
      {
        request: `GET ${PATHS.pods}?labelSelector=app=a`,
        capture: {
          one: `/items/[status.phase=${random.pick(["Running", "Pending"])}]/metadata/name`,
        },
        only: "status",
      },
      random.chance(0.5)
        ? { request: `DELETE ${PATHS.pods}/\${one}`, only: "status" }
        : {
            request: `PATCH ${PATHS.pods}/\${one}`,
            body: { metadata: { labels: { app: random.pick(["b", null]) } } },
            only: "status",
          },
    ],
    () => [
      {
        request: `PATCH ${PATHS.pods}/loose0/status`,
        body: reported(random.pick(["Ready", "Failed"])),
        only: "status",
      },
    ],
    () => [write("PATCH", `${PATHS.pods}/first`, { metadata: { ownerReferences: null } })],
  ];
  for (let count = 0; count < 6; count++) steps.push(...random.pick(actions)(), ...atRest(lists));
  if (random.chance(0.4)) {
    const policy = random.pick(["Orphan", "Background", "Foreground", undefined]);
    steps.push(
      write("DELETE", `${resource}/web`, policy === undefined ? {} : { propagationPolicy: policy }),
      ...atRest(lists),
    );
  } else steps.push(readOne(`${resource}/web`));
  steps.push(eventsStep());
  return restScenario(
    id,
    `a ${old ? "ReplicationController" : "ReplicaSet"} over several changes`,
    steps,
  );
}
