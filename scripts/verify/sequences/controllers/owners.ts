/**
 * Owners and their dependents, quotas, Services and their endpoints, and budgets: what the smaller controllers make of
 * them.
 */
import type { Random } from "../../../../test/support/random.ts";
import type { Json, Scenario, Step } from "../scenario.ts";
import {
  atRest,
  eventsStep,
  PATHS,
  readOne,
  type Report,
  reported,
  restScenario,
  write,
} from "./at-rest.ts";

const KINDS = ["configmaps", "secrets", "serviceaccounts"] as const;

const path = (kind: string, name?: string): string =>
  `/api/v1/namespaces/\${ns}/${kind}${name === undefined ? "" : `/${name}`}`;

/** Objects that own each other, deleted in all ways. */
export function ownerScenario(random: Random, id: string): Scenario {
  const kinds = { configmaps: "ConfigMap", secrets: "Secret", serviceaccounts: "ServiceAccount" };
  const objects = Array.from({ length: 6 }, (_, index) => ({
    kind: random.pick(KINDS),
    name: `o${index}`,
  }));
  const lists = KINDS.map((kind) => `${path(kind)}?labelSelector=own`);
  const steps: Step[] = [];
  const reference = (index: number): Json => {
    const owner = objects[index] as (typeof objects)[number];
    return {
      apiVersion: "v1",
      kind: random.chance(0.06) ? "Endpoints" : kinds[owner.kind],
      name: random.chance(0.06) ? "other" : owner.name,
      uid: random.chance(0.06) ? "11111111-1111-1111-1111-111111111111" : `\${uid${index}}`,
      ...(random.chance(0.45) ? { blockOwnerDeletion: random.chance(0.8) } : {}),
    };
  };
  const references = (index: number): Json[] => {
    const owners = new Set(
      Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, () => random.below(index)),
    );
    return [...owners].map((owner) => reference(owner));
  };
  objects.forEach(({ kind, name }, index) => {
    steps.push({
      request: `POST ${path(kind)}`,
      body: {
        metadata: {
          name,
          labels: { own: "1" },
          ...(index > 0 && random.chance(0.85) ? { ownerReferences: references(index) } : {}),
          ...(random.chance(0.15) ? { finalizers: ["example.com/f"] } : {}),
        },
      },
      capture: { [`uid${index}`]: "/metadata/uid" },
      only: "status",
    });
  });
  steps.push(...atRest(lists));
  for (let count = 0; count < 5; count++) {
    const index = random.below(count < 2 ? 3 : 6);
    const { kind, name } = objects[index] as (typeof objects)[number];
    const place = path(kind, name);
    const change = random.next();
    if (change < 0.65) {
      const propagationPolicy = random.pick(["Orphan", "Background", "Foreground", undefined]);
      steps.push(
        write("DELETE", place, propagationPolicy === undefined ? {} : { propagationPolicy }),
      );
    } else if (change < 0.8) {
      steps.push(write("PATCH", place, { metadata: { finalizers: null } }));
    } else if (change < 0.92 && index > 0) {
      steps.push(write("PATCH", place, { metadata: { ownerReferences: references(index) } }));
    } else {
      steps.push(
        write("PATCH", place, {
          metadata: {
            finalizers: [random.pick(["example.com/g", "orphan", "foregroundDeletion"])],
          },
        }),
      );
    }
    steps.push(...atRest(lists, 2500));
  }
  steps.push(eventsStep());
  return restScenario(id, "owners and dependents, deleted in all ways", steps);
}

const node = "${id}-n";
const container = (rest: Json = {}): Json => ({ name: "c", image: "x:1", ...rest });

/** A Service with pods that come, change and go, and a budget over them. */
export function endpointScenario(random: Random, id: string): Scenario {
  const service = `${PATHS.services}/s`;
  const lists = [PATHS.slices, PATHS.endpoints, PATHS.budgets].map((one) => one);
  const ports = (): Json[] =>
    random.pick<Json[]>([
      [{ port: 80 }],
      [{ name: "http", port: 80, targetPort: "web" }],
      [
        { name: "a", port: 80, targetPort: 8080 },
        { name: "b", port: 81, targetPort: "web", protocol: "UDP" },
      ],
      [{ name: "x", port: 443, targetPort: "none", appProtocol: "kubernetes.io/h2c" }],
    ]);
  const names = ["p0", "p1", "p2"];
  // A pod that is over stays so.
  const over = new Set<string>();
  const podIs = (name: string): Step => {
    const report = random.pick<Report>(["Ready", "Ready", "Unready", "Succeeded", "Failed"]);
    const isOver = report === "Succeeded" || report === "Failed";
    if (isOver) over.add(name);
    const body = reported(isOver || !over.has(name) ? report : "Failed");
    const status = body["status"] as Json;
    const ip = `10.2.0.${names.indexOf(name) + 1}`;
    return {
      request: `PATCH ${PATHS.pods}/${name}/status`,
      body: { status: { ...status, podIP: ip, podIPs: [{ ip }] } },
      only: "status",
    };
  };
  const pod = (name: string): Step =>
    write("POST", PATHS.pods, {
      metadata: {
        name,
        labels: { app: random.chance(0.85) ? "a" : "b" },
        ...(random.chance(0.1) ? { finalizers: ["example.com/f"] } : {}),
      },
      spec: {
        ...(random.chance(0.8) ? { nodeName: random.chance(0.9) ? node : "nowhere" } : {}),
        ...(random.chance(0.2) ? { hostname: "h", subdomain: random.pick(["s", "t"]) } : {}),
        terminationGracePeriodSeconds: 30,
        automountServiceAccountToken: false,
        containers: [
          container({
            ports: [
              { name: "web", containerPort: 8080 + random.below(2) },
              ...(random.chance(0.3)
                ? [{ name: "web", containerPort: 9090, protocol: "UDP" }]
                : []),
            ],
          }),
        ],
      },
    });
  const budget = (): Json =>
    random.pick<Json>([
      { minAvailable: 1 },
      { minAvailable: "50%" },
      { maxUnavailable: 1 },
      { minAvailable: 0 },
      { maxUnavailable: "34%" },
    ]);
  const actions: readonly (() => Step[])[] = [
    () => [podIs(random.pick(names))],
    () => [podIs(random.pick(names))],
    () => names.map(podIs),
    () => [pod(random.pick(names))],
    () => [write("DELETE", `${PATHS.pods}/${random.pick(names)}`)],
    () => [write("DELETE", `${PATHS.pods}/${random.pick(names)}`, { gracePeriodSeconds: 0 })],
    () => [
      write("PATCH", `${PATHS.pods}/${random.pick(names)}`, {
        metadata: { labels: { app: random.pick(["a", "b"]) } },
      }),
    ],
    () => [write("PATCH", service, { spec: { ports: ports() } })],
    () => [
      write("PATCH", service, {
        spec: random.pick<Json>([
          { publishNotReadyAddresses: true },
          { selector: { app: "b" } },
          { selector: null },
          { trafficDistribution: "PreferClose" },
          { type: "ExternalName", externalName: "example.com" },
        ]),
      }),
    ],
    () => [
      write("PATCH", service, {
        metadata: {
          labels: { team: random.pick(["x", "y"]) },
          annotations: {
            "example.com/a": "b",
            "endpoints.kubernetes.io/last-change-trigger-time": "x",
          },
        },
      }),
    ],
    () => [
      write("PATCH", `${PATHS.budgets}/b`, { spec: { minAvailable: 2, maxUnavailable: null } }),
    ],
    () => [
      write("POST", `${PATHS.pods}/${random.pick(names)}/eviction`, {
        apiVersion: "policy/v1",
        kind: "Eviction",
        metadata: { name: random.pick(names) },
      }),
    ],
    () => [write("DELETE", service)],
  ];
  const steps: Step[] = [
    write("POST", PATHS.nodes, {
      metadata: {
        name: node,
        labels: random.chance(0.5) ? { "topology.kubernetes.io/zone": "z1" } : {},
      },
    }),
    write("POST", PATHS.services, {
      metadata: { name: "s", ...(random.chance(0.3) ? { labels: { team: "x" } } : {}) },
      spec: {
        selector: { app: "a" },
        ports: ports(),
        clusterIP: "None",
        ...(random.chance(0.2) ? { publishNotReadyAddresses: true } : {}),
      },
    }),
    write("POST", PATHS.budgets, {
      metadata: { name: "b" },
      spec: {
        selector: random.chance(0.8) ? { matchLabels: { app: "a" } } : {},
        ...budget(),
        ...(random.chance(0.3)
          ? { unhealthyPodEvictionPolicy: random.pick(["AlwaysAllow", "IfHealthyBudget"]) }
          : {}),
      },
    }),
    { wait: 500 },
    ...names.map(pod),
    ...atRest(lists),
    ...names.map(podIs),
    ...atRest(lists),
  ];
  for (let count = 0; count < 6; count++) steps.push(...random.pick(actions)(), ...atRest(lists));
  // Attempts fail until a node is there, as often as the back-off has it, and on states that nobody waits for.
  steps.push(eventsStep(undefined, ["FailedToUpdateEndpointSlices", "FailedToUpdateEndpoint"]));
  return restScenario(id, "a Service, its pods and their budget", steps, [
    `DELETE ${PATHS.nodes}/${node}`,
  ]);
}

/** A quota over objects that come and go. */
export function quotaScenario(random: Random, id: string): Scenario {
  const hard = (): Json => {
    const all: Json = {
      pods: "3",
      "requests.cpu": "2",
      "limits.memory": "1Gi",
      "requests.memory": "700Mi",
      configmaps: "4",
      secrets: "2",
      services: "2",
      "services.nodeports": "1",
      "count/deployments.apps": "1",
      "count/jobs.batch": "1",
      persistentvolumeclaims: "1",
      "requests.storage": "3Gi",
      "gold.storageclass.storage.k8s.io/requests.storage": "1Gi",
      "requests.ephemeral-storage": "1Gi",
    };
    return Object.fromEntries(Object.entries(all).filter(() => random.chance(0.4)));
  };
  const pod = (): Step =>
    write("POST", PATHS.pods, {
      metadata: { name: `p${random.below(4)}` },
      spec: {
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 0,
        ...(random.chance(0.2) ? { activeDeadlineSeconds: 100 } : {}),
        containers: [
          container(
            random.chance(0.75)
              ? {
                  resources: {
                    requests: { cpu: random.pick(["100m", "1", "1500m"]), memory: "200Mi" },
                    limits: {
                      memory: random.pick(["300Mi", "900Mi"]),
                      ...(random.chance(0.5) ? { cpu: "2" } : {}),
                    },
                  },
                }
              : {},
          ),
        ],
      },
    });
  const actions: readonly (() => Step[])[] = [
    () => [pod()],
    () => [pod()],
    () => [pod(), { wait: 300 }, pod()],
    () => [write("DELETE", `${PATHS.pods}/p${random.below(4)}`)],
    () => [
      {
        request: `PATCH ${PATHS.pods}/p${random.below(4)}/status`,
        body: reported(random.pick(["Ready", "Succeeded", "Failed"])),
        only: "status",
      },
    ],
    () => [write("POST", PATHS.configMaps, { metadata: { name: `c${random.below(4)}` } })],
    () => [write("POST", PATHS.secrets, { metadata: { name: `s${random.below(4)}` } })],
    () => [write("DELETE", `${PATHS.secrets}/s${random.below(4)}`)],
    () => [
      write("POST", PATHS.services, {
        metadata: { name: `v${random.below(3)}` },
        spec: { type: random.pick(["ClusterIP", "NodePort"]), ports: [{ port: 80 }] },
      }),
    ],
    () => [write("PATCH", `${PATHS.services}/v0`, { spec: { type: "NodePort" } })],
    () => [
      write("POST", PATHS.claims, {
        metadata: { name: `d${random.below(3)}` },
        spec: {
          accessModes: ["ReadWriteOnce"],
          ...(random.chance(0.5) ? { storageClassName: "gold" } : {}),
          resources: { requests: { storage: random.pick(["1Gi", "2Gi"]) } },
        },
      }),
    ],
    () => [
      write("POST", PATHS.jobs, {
        metadata: { name: `j${random.below(2)}` },
        spec: {
          suspend: true,
          template: { spec: { restartPolicy: "Never", containers: [container()] } },
        },
      }),
    ],
    () => [write("PATCH", `${PATHS.quotas}/q`, { spec: { hard: hard() } })],
  ];
  const lists = [PATHS.quotas];
  const scopes: readonly Json[] = [
    { scopes: ["Terminating"] },
    { scopes: ["NotTerminating"] },
    { scopes: ["BestEffort"] },
    { scopes: ["NotBestEffort"] },
  ];
  const steps: Step[] = [
    write("POST", PATHS.quotas, { metadata: { name: "q" }, spec: { hard: hard() } }),
    ...(random.chance(0.5)
      ? [
          write("POST", PATHS.quotas, {
            metadata: { name: "scoped" },
            spec: { hard: { pods: "2" }, ...random.pick(scopes) },
          }),
        ]
      : []),
    ...atRest(lists),
  ];
  for (let count = 0; count < 8; count++) steps.push(...random.pick(actions)(), ...atRest(lists));
  steps.push({ ...readOne(`${PATHS.quotas}/q`) });
  return restScenario(id, "a quota over objects that come and go", steps);
}
