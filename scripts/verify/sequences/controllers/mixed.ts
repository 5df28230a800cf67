/**
 * Several controllers over the same objects: a Deployment behind a Service and a budget, in a namespace with quotas and
 * limits, that is scaled, evicted from and deleted while its pods come and go; and autoscalers of all kinds of sets.
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
  restScenario,
  STRATEGIC,
  write,
} from "./at-rest.ts";

const LIMITS = "/api/v1/namespaces/${ns}/limitranges";
const LISTS = [
  PATHS.deployments,
  PATHS.replicaSets,
  PATHS.pods,
  PATHS.quotas,
  PATHS.budgets,
  PATHS.slices,
  PATHS.endpoints,
];
/** Pods have one address here, so which comes first is chance, as is how often a slice was written. */
const CHANCE = [
  "/body/items/*/metadata/generation",
  "/body/items/*/endpoints/*/targetRef",
  "/body/items/*/subsets/*/addresses/*/targetRef",
  "/body/items/*/subsets/*/notReadyAddresses/*/targetRef",
];
/** Attempts are repeated as often as the back-off has it. */
const REPEATED = ["FailedCreate", "FailedToUpdateEndpoint", "FailedToUpdateEndpointSlices"];

const rest = (): Step[] =>
  atRest(LISTS, 2500).map((step) => {
    const { request, ignore } = step as { request?: string; ignore?: string[] };
    const isAddressed = request?.includes("/endpoint");
    return isAddressed === true ? { ...step, ignore: [...(ignore ?? []), ...CHANCE] } : step;
  });

const node = "${id}-n";

const template = (version: number, resources: Json): Json => ({
  metadata: { labels: { app: "a" } },
  spec: {
    nodeName: node,
    terminationGracePeriodSeconds: 0,
    automountServiceAccountToken: false,
    containers: [{ name: "c", image: `x:${version}`, ports: [{ containerPort: 80 }], resources }],
  },
});

const REQUESTS: readonly Json[] = [
  {},
  { requests: { cpu: "100m", memory: "100Mi" }, limits: { memory: "200Mi" } },
  { limits: { cpu: "500m", memory: "300Mi" } },
  { requests: { cpu: "1" } },
];

const hard = (random: Random): Json =>
  Object.fromEntries(
    Object.entries({
      pods: random.pick(["2", "4", "6"]),
      "count/replicasets.apps": random.pick(["1", "3"]),
      "count/deployments.apps": "2",
      "requests.cpu": random.pick(["400m", "2"]),
      "limits.memory": "1Gi",
      services: "1",
    }).filter(() => random.chance(0.45)),
  );

const limits = (random: Random): Json => ({
  metadata: { name: "l" },
  spec: {
    limits: [
      random.pick<Json>([
        { type: "Container", default: { cpu: "1", memory: "128Mi" } },
        {
          type: "Container",
          defaultRequest: { cpu: "100m", memory: "64Mi" },
          default: { memory: "256Mi" },
        },
        { type: "Container", max: { memory: "250Mi" } },
        { type: "Pod", max: { cpu: "800m" } },
      ]),
    ],
  },
});

type Action = (random: Random) => Step[];

const web = (spec: Json): Step[] => [
  write("PATCH", `${PATHS.deployments}/web`, { spec }, STRATEGIC),
];

const evict: Action = (random) => [
  {
    request: `GET ${PATHS.pods}?labelSelector=app=a`,
    capture: {
      one: `/items/[status.phase=${random.pick(["Running", "Pending"])}]/metadata/name`,
    },
    only: "status",
  },
  {
    request: `POST ${PATHS.pods}/\${one}/eviction`,
    body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "${one}" } },
    pick: ["/reason", "/details/causes"],
  },
];

const ready: Action = (random) =>
  Array.from({ length: 1 + random.below(3) }, () => podReports("app=a", "Pending", "Ready")).flat();

const ACTIONS: readonly Action[] = [
  ready,
  ready,
  ready,
  evict,
  evict,
  (random) =>
    podReports("app=a", "Running", random.pick<Report>(["Unready", "Failed", "Succeeded"])),
  (random) => web({ replicas: random.below(6) }),
  (random) => web({ template: template(2 + random.below(3), random.pick(REQUESTS)) }),
  (random) => web({ paused: random.chance(0.4) }),
  (random) => [write("PATCH", `${PATHS.quotas}/q`, { spec: { hard: hard(random) } })],
  () => [write("DELETE", `${PATHS.quotas}/q`)],
  (random) => [write("POST", LIMITS, limits(random))],
  () => [write("DELETE", `${LIMITS}/l`)],
  (random) => [
    write("PATCH", `${PATHS.budgets}/b`, {
      spec: random.pick<Json>([
        { minAvailable: 2, maxUnavailable: null },
        { minAvailable: null, maxUnavailable: "30%" },
        { unhealthyPodEvictionPolicy: "AlwaysAllow" },
      ]),
    }),
  ],
  (random) => [
    write("PATCH", `${PATHS.services}/s`, {
      spec: random.pick<Json>([
        { ports: [{ port: 81, targetPort: 80 }] },
        { publishNotReadyAddresses: true },
      ]),
    }),
  ],
  () => [write("DELETE", PATHS.pods)],
];

const ENDS: readonly Action[] = [
  (random) => [
    write("DELETE", `${PATHS.deployments}/web`, {
      propagationPolicy: random.pick(["Orphan", "Background", "Foreground"]),
    }),
  ],
  () => [write("DELETE", `${PATHS.services}/s`), write("DELETE", `${PATHS.budgets}/b`)],
  () => [write("DELETE", PATHS.replicaSets)],
  () => [write("DELETE", `${PATHS.nodes}/${node}`)],
  () => [
    write("DELETE", "/api/v1/namespaces/${ns}"),
    {
      request: "GET /api/v1/namespaces/${ns}",
      until: { status: 404 },
      within: 40_000,
      only: "status",
    },
  ],
];

/** A Deployment with all that goes with one, changed from all sides. */
export function mixedScenario(random: Random, id: string): Scenario {
  const steps: Step[] = [
    write("POST", PATHS.nodes, { metadata: { name: node } }),
    write("POST", PATHS.services, {
      metadata: { name: "s", labels: { app: "a" } },
      spec: { selector: { app: "a" }, ports: [{ port: 80 }], clusterIP: "None" },
    }),
    write("POST", PATHS.budgets, {
      metadata: { name: "b" },
      spec: {
        selector: { matchLabels: { app: "a" } },
        ...random.pick<Json>([
          { minAvailable: 1 },
          { maxUnavailable: 1 },
          { minAvailable: "50%" },
          { maxUnavailable: 0 },
        ]),
      },
    }),
  ];
  if (random.chance(0.6)) {
    steps.push(
      write("POST", PATHS.quotas, { metadata: { name: "q" }, spec: { hard: hard(random) } }),
    );
  }
  if (random.chance(0.5)) steps.push(write("POST", LIMITS, limits(random)));
  steps.push({ wait: 600 });
  steps.push(
    write("POST", PATHS.deployments, {
      metadata: { name: "web", labels: { app: "a" } },
      spec: {
        replicas: 1 + random.below(4),
        selector: { matchLabels: { app: "a" } },
        template: template(1, random.pick(REQUESTS)),
        ...(random.chance(0.3) ? { strategy: { type: "Recreate" } } : {}),
      },
    }),
    ...rest(),
    ...ready(random),
    ...rest(),
  );
  for (let count = 0; count < 5; count++) {
    const action = random.pick(ACTIONS);
    steps.push(...action(random), ...rest());
  }
  const end = random.pick(ENDS);
  steps.push(...end(random), ...rest(), eventsStep(undefined, REPEATED));
  return restScenario(id, "a Deployment, its budget, Service, quota and limits", steps, [
    `DELETE ${PATHS.nodes}/${node}`,
  ]);
}

/** Time for an autoscaler to look twice. */
const LOOK_MS = 32_000;

/** An autoscaler over a set of any kind; nothing measures anything. */
export function autoscalerScenario(random: Random, id: string): Scenario {
  const [kind, apiVersion, path] = random.pick([
    ["Deployment", "apps/v1", PATHS.deployments],
    ["Deployment", "apps/v1", PATHS.deployments],
    ["StatefulSet", "apps/v1", PATHS.statefulSets],
    ["ReplicaSet", "apps/v1", PATHS.replicaSets],
  ] as const);
  const scaler = `${PATHS.autoscalers}/h`;
  const lists = [PATHS.autoscalers, path];
  const resources = random.pick(REQUESTS);
  const metric = (): Json =>
    random.pick<Json>([
      {
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
      },
      {
        type: "Resource",
        resource: { name: "memory", target: { type: "AverageValue", averageValue: "100Mi" } },
      },
      {
        type: "ContainerResource",
        containerResource: {
          name: "cpu",
          container: random.pick(["c", "none"]),
          target: { type: "Utilization", averageUtilization: 50 },
        },
      },
      {
        type: "Pods",
        pods: { metric: { name: "m" }, target: { type: "AverageValue", averageValue: "5" } },
      },
      {
        type: "Object",
        object: {
          metric: { name: "m" },
          describedObject: { apiVersion: "v1", kind: "Service", name: "s" },
          target: { type: "Value", value: "5" },
        },
      },
      {
        type: "External",
        external: { metric: { name: "m" }, target: { type: "Value", value: "5" } },
      },
    ]);
  const bounds = (): Json => {
    const minReplicas = 1 + random.below(4);
    return { minReplicas, maxReplicas: minReplicas + random.below(3) };
  };
  const steps: Step[] = [
    write("POST", path, {
      metadata: { name: "web" },
      spec: {
        replicas: random.below(6),
        selector: { matchLabels: { app: "a" } },
        ...(kind === "StatefulSet" ? { serviceName: "s" } : {}),
        template: template(1, resources),
      },
    }),
    { wait: 500 },
    write("POST", PATHS.autoscalers, {
      apiVersion: "autoscaling/v2",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "h" },
      spec: {
        scaleTargetRef: { apiVersion, kind, name: random.chance(0.9) ? "web" : "none" },
        ...bounds(),
        ...(random.chance(0.8)
          ? { metrics: Array.from({ length: random.pick([1, 1, 2]) }, metric) }
          : {}),
      },
    }),
    ...podReports("app=a", "Pending", "Ready"),
    ...atRest(lists, LOOK_MS),
    readOne(scaler),
    eventsStep("h", ["FailedGetScale", "FailedRescale"]),
  ];
  return restScenario(id, `an autoscaler of a ${kind}`, steps);
}
