/**
 * Steps of scenarios about controllers: something is changed, the controllers come to rest, and what is there then is read.
 *
 * There is no kubelet: the scenario writes what pods report, through their status. Names that a server makes up are
 * hidden from the comparison, and pods are picked by what they have reported so far, not by their names.
 */
import type { Json, Scenario, Step } from "../scenario.ts";

/** Endings of names that a server makes up: letters and digits without vowels. */
const SUFFIX = "-[bcdfghjklmnpqrstvwxz2456789]{5,10}\\b";
const HASH = "^[bcdfghjklmnpqrstvwxz2456789]{5,10}$";
const EVENT = "\\.[0-9a-f]{16}\\b";
/** Nodes that a scenario makes: which pod is on which of them is chance. */
const NODE = "(?<=\\$\\{id\\})-n\\d\\b";
const MASKS = [SUFFIX, HASH, EVENT, NODE];

/** Endpoints come in the order of a Go map. */
const UNORDERED = [
  ...Array.from({ length: 4 }, (_, index) =>
    ["endpoints", "subsets"].map((list) => `/body/items/${index}/${list}`),
  ).flat(),
  "/body/items",
];

/** How long the controllers of a real server need at most until nothing moves any more, in milliseconds. */
const REST_MS = 1800;

/** The type of a patch of a built-in kind. */
export const STRATEGIC = "application/strategic-merge-patch+json";

/** Where objects of the kinds that scenarios use are. */
export const PATHS = {
  pods: "/api/v1/namespaces/${ns}/pods",
  services: "/api/v1/namespaces/${ns}/services",
  claims: "/api/v1/namespaces/${ns}/persistentvolumeclaims",
  configMaps: "/api/v1/namespaces/${ns}/configmaps",
  secrets: "/api/v1/namespaces/${ns}/secrets",
  quotas: "/api/v1/namespaces/${ns}/resourcequotas",
  events: "/api/v1/namespaces/${ns}/events",
  nodes: "/api/v1/nodes",
  volumes: "/api/v1/persistentvolumes",
  endpoints: "/api/v1/namespaces/${ns}/endpoints",
  slices: "/apis/discovery.k8s.io/v1/namespaces/${ns}/endpointslices",
  deployments: "/apis/apps/v1/namespaces/${ns}/deployments",
  replicaSets: "/apis/apps/v1/namespaces/${ns}/replicasets",
  statefulSets: "/apis/apps/v1/namespaces/${ns}/statefulsets",
  daemonSets: "/apis/apps/v1/namespaces/${ns}/daemonsets",
  revisions: "/apis/apps/v1/namespaces/${ns}/controllerrevisions",
  jobs: "/apis/batch/v1/namespaces/${ns}/jobs",
  cronJobs: "/apis/batch/v1/namespaces/${ns}/cronjobs",
  budgets: "/apis/policy/v1/namespaces/${ns}/poddisruptionbudgets",
  autoscalers: "/apis/autoscaling/v2/namespaces/${ns}/horizontalpodautoscalers",
} as const;

/** A scenario of the group of controllers. */
export function restScenario(
  id: string,
  title: string,
  steps: readonly Step[],
  after: readonly string[] = [],
): Scenario {
  return {
    id,
    title,
    group: "N",
    after,
    steps: [
      {
        request: "GET /api/v1/namespaces/${ns}/serviceaccounts/default",
        until: { status: 200 },
        within: 20_000,
        only: "status",
      },
      ...steps,
    ],
  };
}

/** Lets the controllers come to rest, then reads the lists at these paths. */
export function atRest(paths: readonly string[], ms = REST_MS): Step[] {
  return [
    { wait: ms },
    ...paths.map((path) => ({
      request: `GET ${path}`,
      mask: MASKS,
      unordered: UNORDERED,
      ignore: [
        "/body/items/*/metadata/managedFields",
        "/body/items/*/metadata/resourceVersion",
        "/body/items/*/status/active/*/resourceVersion",
      ],
    })),
  ];
}

/** Reads one object whole, managers of its fields too. */
export function readOne(path: string): Step {
  return { request: `GET ${path}`, mask: MASKS, ignore: ["/body/metadata/resourceVersion"] };
}

/** The events of the namespace. Of attempts that are repeated neither reasons nor counts are compared. */
export function eventsStep(about?: string, repeated: readonly string[] = []): Step {
  const search = [
    ...(about === undefined ? [] : [`involvedObject.name=${about}`]),
    ...repeated.map((reason) => `reason!=${reason}`),
  ].join(",");
  return {
    request: `GET ${PATHS.events}${search === "" ? "" : `?fieldSelector=${search}`}`,
    mask: MASKS,
    unordered: ["/body/items"],
    ignore: [
      ...(repeated.length > 0 ? ["/body/items/*/count"] : []),
      "/body/items/*/involvedObject/resourceVersion",
      "/body/items/*/metadata/resourceVersion",
    ],
  };
}

/** A write of which only the code and the refusal count. */
export function write(method: string, path: string, body?: Json, contentType?: string): Step {
  return {
    request: `${method} ${path}`,
    ...(body === undefined ? {} : { body }),
    ...(contentType === undefined ? {} : { headers: { "content-type": contentType } }),
    mask: MASKS,
    pick: ["/reason", "/message"],
  };
}

/** The state that a pod reports; `Ready` and `Unready` are running ones. */
export type Report = "Ready" | "Unready" | "Succeeded" | "Failed";

const at = "2024-01-01T00:00:00Z";

/** The status of a pod that reports so. */
export function reported(report: Report, exitCode = report === "Failed" ? 1 : 0): Json {
  const isOver = report === "Succeeded" || report === "Failed";
  const state = isOver
    ? {
        terminated: {
          exitCode,
          reason: exitCode === 0 ? "Completed" : "Error",
          startedAt: at,
          finishedAt: at,
        },
      }
    : { running: { startedAt: at } };
  return {
    status: {
      phase: isOver ? report : "Running",
      podIP: "10.1.0.1",
      podIPs: [{ ip: "10.1.0.1" }],
      conditions: [
        {
          type: "Ready",
          status: report === "Ready" ? "True" : "False",
          lastTransitionTime: at,
        },
      ],
      containerStatuses: [
        {
          name: "c",
          image: "x:1",
          imageID: "",
          ready: report === "Ready",
          restartCount: 0,
          state,
        },
      ],
    },
  };
}

/**
 * Lets one pod report: the first of those that the label selector finds whose phase is `from`.
 * When there is none the write is refused, on both sides in the same words.
 */
export function podReports(
  labels: string,
  from: "Pending" | "Running",
  report: Report,
  exitCode?: number,
): Step[] {
  return [
    { wait: 150 },
    {
      request: `GET ${PATHS.pods}?labelSelector=${labels}`,
      capture: { pod: `/items/[status.phase=${from}]/metadata/name` },
      only: "status",
    },
    {
      request: `PATCH ${PATHS.pods}/\${pod}/status`,
      body: reported(report, exitCode),
      only: "status",
    },
  ];
}
