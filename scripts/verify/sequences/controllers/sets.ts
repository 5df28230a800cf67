/**
 * StatefulSets and DaemonSets: updates in order and in parallel, claims and their retention, nodes that come and go.
 */
import type { Random } from "../../../../test/support/random.ts";
import type { Json, Scenario, Step } from "../scenario.ts";
import {
  atRest,
  eventsStep,
  PATHS,
  podReports,
  readOne,
  type Report,
  reported,
  restScenario,
  STRATEGIC,
  write,
} from "./at-rest.ts";

const SET = `${PATHS.statefulSets}/db`;

const template = (version: number, rest: Json = {}): Json => ({
  metadata: { labels: { app: "a" } },
  spec: {
    terminationGracePeriodSeconds: 0,
    automountServiceAccountToken: false,
    containers: [{ name: "c", image: `x:${version}` }],
    ...rest,
  },
});

const claim = (name: string): Json => ({
  metadata: { name },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
});

const podIs = (name: string, report: Report): Step => ({
  request: `PATCH ${PATHS.pods}/${name}/status`,
  body: reported(report),
  only: "status",
});

/** A StatefulSet over several changes. */
export function statefulSetScenario(random: Random, id: string): Scenario {
  const claims = random.chance(0.35);
  const start = random.chance(0.15) ? 3 : 0;
  // Pods on a node end slowly: somebody has to confirm that they are gone.
  const onNode = random.chance(0.25);
  const pod = (version: number): Json =>
    template(version, onNode ? { nodeName: "away", terminationGracePeriodSeconds: 30 } : {});
  const lists = [
    PATHS.statefulSets,
    PATHS.pods,
    PATHS.revisions,
    ...(claims ? [PATHS.claims] : []),
  ];
  const name = (): string => `db-${start + random.below(4)}`;
  const retention = (): Json => ({
    whenDeleted: random.pick(["Retain", "Delete"]),
    whenScaled: random.pick(["Retain", "Delete"]),
  });
  const update = (): Json =>
    random.chance(0.2)
      ? { type: "OnDelete" }
      : {
          type: "RollingUpdate",
          rollingUpdate: {
            ...(random.chance(0.5) ? { partition: random.below(4) } : {}),
            ...(random.chance(0.2) ? { maxUnavailable: random.pick([1, 2, "50%", "100%"]) } : {}),
          },
        };
  const patch = (spec: Json): Step[] => [write("PATCH", SET, { spec }, STRATEGIC)];
  const readyAll = (): Step[] =>
    Array.from({ length: 3 }, (_, index) => [
      podIs(`db-${start + index}`, "Ready"),
      { wait: 350 },
    ]).flat();
  const actions: readonly (() => Step[])[] = [
    readyAll,
    readyAll,
    () => [podIs(name(), random.pick(["Ready", "Ready", "Unready", "Failed", "Succeeded"]))],
    () => patch({ template: pod(1 + random.below(4)) }),
    () => patch({ template: pod(1 + random.below(4)) }),
    () => patch({ replicas: random.below(5) }),
    () => patch({ replicas: random.below(5) }),
    () => patch({ updateStrategy: { $retainKeys: ["type", "rollingUpdate"], ...update() } }),
    () => patch({ minReadySeconds: random.pick([0, 1, 3600]) }),
    () => patch({ revisionHistoryLimit: random.below(3) }),
    ...(claims ? [() => patch({ persistentVolumeClaimRetentionPolicy: retention() })] : []),
    () => [write("DELETE", `${PATHS.pods}/${name()}`)],
    () => [write("DELETE", `${PATHS.pods}/${name()}`, { gracePeriodSeconds: 0 })],
    () => [write("PATCH", `${PATHS.pods}/${name()}`, { metadata: { labels: { app: "other" } } })],
    ...(start > 0 ? [() => patch({ ordinals: { start: random.pick([2, 3, 4]) } })] : []),
    ...(claims ? [() => [write("DELETE", `${PATHS.claims}/data-${name()}`)]] : []),
  ];
  const steps: Step[] = [
    write("POST", PATHS.statefulSets, {
      metadata: { name: "db" },
      spec: {
        replicas: random.below(4),
        ...(random.chance(0.6) ? { serviceName: "svc" } : {}),
        selector: { matchLabels: { app: "a" } },
        template: pod(1),
        ...(random.chance(0.4) ? { podManagementPolicy: "Parallel" } : {}),
        ...(random.chance(0.6) ? { updateStrategy: update() } : {}),
        ...(start > 0 ? { ordinals: { start } } : {}),
        ...(random.chance(0.15) ? { minReadySeconds: random.pick([1, 3600]) } : {}),
        ...(claims ? { volumeClaimTemplates: [claim("data")] } : {}),
        ...(claims && random.chance(0.6)
          ? { persistentVolumeClaimRetentionPolicy: retention() }
          : {}),
      },
    }),
    ...atRest(lists),
    ...readyAll(),
    ...atRest(lists),
  ];
  for (let count = 0; count < 6; count++) steps.push(...random.pick(actions)(), ...atRest(lists));
  if (random.chance(0.3)) {
    const propagationPolicy = random.pick(["Orphan", "Background", "Foreground"]);
    steps.push(write("DELETE", SET, { propagationPolicy }), ...atRest(lists));
  } else steps.push(readOne(SET));
  steps.push(eventsStep("db"));
  return restScenario(id, "a StatefulSet over several changes", steps);
}

/** A DaemonSet over nodes of its own. */
export function daemonSetScenario(random: Random, id: string): Scenario {
  const set = `${PATHS.daemonSets}/agent`;
  const lists = [PATHS.daemonSets, PATHS.pods, PATHS.revisions];
  const node = (index: number): string => `\${id}-n${index}`;
  const makeNode = (index: number): Step[] => [
    write("POST", PATHS.nodes, {
      metadata: {
        name: node(index),
        labels: { "example.com/scenario": "${ns}", ...(random.chance(0.5) ? { size: "big" } : {}) },
      },
      spec: {
        ...(random.chance(0.2)
          ? { taints: [{ key: "a", value: "b", effect: random.pick(["NoSchedule", "NoExecute"]) }] }
          : {}),
        ...(random.chance(0.15) ? { unschedulable: true } : {}),
      },
    }),
    write("PATCH", `${PATHS.nodes}/${node(index)}/status`, {
      status: {
        conditions: [
          {
            type: "Ready",
            status: random.chance(0.85) ? "True" : "False",
            reason: "R",
            message: "m",
            lastHeartbeatTime: "2024-01-01T00:00:00Z",
            lastTransitionTime: "2024-01-01T00:00:00Z",
          },
        ],
      },
    }),
  ];
  const pod = (version: number): Json =>
    template(version, {
      nodeSelector: {
        "example.com/scenario": "${ns}",
        ...(random.chance(0.25) ? { size: "big" } : {}),
      },
      ...(random.chance(0.3) ? { tolerations: [{ key: "a", operator: "Exists" }] } : {}),
    });
  const update = (): Json =>
    random.chance(0.25)
      ? { type: "OnDelete" }
      : {
          type: "RollingUpdate",
          rollingUpdate: random.pick<Json>([
            { maxUnavailable: 1 },
            { maxUnavailable: "50%" },
            { maxUnavailable: 2 },
            { maxSurge: 1, maxUnavailable: 0 },
            { maxSurge: "100%", maxUnavailable: 0 },
          ]),
        };
  const patch = (spec: Json): Step[] => [write("PATCH", set, { spec }, STRATEGIC)];
  /** As nobody can tell the pods of several nodes apart, all of them report the same. */
  const report = (from: "Pending" | "Running", what: Report): Step[] =>
    [0, 1, 2, 3].flatMap(() => podReports("app=a", from, what));
  const actions: readonly (() => Step[])[] = [
    () => report("Pending", "Ready"),
    () => report("Pending", "Ready"),
    () => podReports("app=a", "Pending", "Ready"),
    () => report("Running", random.pick(["Unready", "Failed", "Succeeded"])),
    () => patch({ template: pod(1 + random.below(4)) }),
    () => patch({ template: pod(1 + random.below(4)) }),
    () => patch({ updateStrategy: { $retainKeys: ["type", "rollingUpdate"], ...update() } }),
    () => patch({ minReadySeconds: random.pick([0, 1, 3600]) }),
    () => patch({ revisionHistoryLimit: random.below(3) }),
    () => makeNode(3),
    () => [write("DELETE", `${PATHS.nodes}/${node(random.below(3))}`)],
    () => [
      write("PATCH", `${PATHS.nodes}/${node(random.below(3))}`, {
        metadata: { labels: { size: random.pick(["big", null]) } },
      }),
    ],
    () => [
      write("PATCH", `${PATHS.nodes}/${node(random.below(3))}`, {
        spec: { unschedulable: random.chance(0.5) },
      }),
    ],
    () => [write("DELETE", `${PATHS.pods}?labelSelector=app=a`)],
  ];
  const steps: Step[] = [
    ...[0, 1, 2].flatMap(makeNode),
    { wait: 400 },
    write("POST", PATHS.daemonSets, {
      metadata: { name: "agent" },
      spec: {
        selector: { matchLabels: { app: "a" } },
        template: pod(1),
        ...(random.chance(0.6) ? { updateStrategy: update() } : {}),
        ...(random.chance(0.15) ? { minReadySeconds: random.pick([1, 3600]) } : {}),
      },
    }),
    ...atRest(lists),
    ...report("Pending", "Ready"),
    ...atRest(lists),
  ];
  for (let count = 0; count < 5; count++) steps.push(...random.pick(actions)(), ...atRest(lists));
  if (random.chance(0.25)) {
    const propagationPolicy = random.pick(["Orphan", "Background", "Foreground"]);
    steps.push(write("DELETE", set, { propagationPolicy }), ...atRest(lists));
  } else steps.push(readOne(set));
  steps.push(eventsStep("agent"));
  const nodes = [0, 1, 2, 3].map((index) => `DELETE ${PATHS.nodes}/${node(index)}`);
  return restScenario(id, "a DaemonSet over nodes of its own", steps, nodes);
}
