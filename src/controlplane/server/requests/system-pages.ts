/** The pages of the server about itself: the index of paths, metrics, flags and status. */
import { KUBERNETES_VERSION } from "../../../kube/kubernetes-version.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { collectionOf } from "../../resource-name.ts";
import { CHECKS } from "./health.ts";
import { NO_CACHE, textAnswer } from "./render.ts";
import type { Answer, ApiRequest } from "./request.ts";

const PAGES = [
  "/.well-known/openid-configuration",
  "/api",
  "/api/v1",
  "/apis",
  "/apis/",
  "/flagz",
  "/metrics",
  "/metrics/slis",
  "/openapi/v2",
  "/openapi/v3",
  "/openapi/v3/",
  "/openid/v1/jwks",
  "/statusz",
  "/version",
];
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8; escaping=underscores";
const WARNING =
  "Warning: This endpoint is not meant to be machine parseable, has no formatting compatibility guarantees and is for debugging purposes only.";

/** A page about the server; `undefined` for any other path. */
export function systemPage(cluster: Cluster, { path }: ApiRequest): Answer | undefined {
  switch (path) {
    case "/":
    case "/index.html":
      return index(cluster);
    case "/metrics":
      return metricsAnswer([...build(), ...objects(cluster), ...resources(cluster)]);
    case "/metrics/slis":
      return metricsAnswer(healthChecks());
    case "/flagz":
      return textAnswer(200, `\napiserver flagz\n${WARNING}\n${flags(cluster)}\n`);
    case "/statusz":
      return textAnswer(200, `\napiserver statusz\n${WARNING}\n\n${status(cluster)}\n`);
    default:
      return undefined;
  }
}

/** The served paths, as JSON for people. */
function index({ registry, aggregator }: Cluster): Answer {
  const paths = new Set(PAGES);
  const versions = [...registry.all(), ...registry.announced(), ...aggregator.versions];
  for (const { group, version } of versions.filter((one) => one.group !== "")) {
    paths.add(`/apis/${group}`).add(`/apis/${group}/${version}`);
  }
  for (const [endpoint, checks] of CHECKS) {
    paths.add(endpoint);
    for (const check of checks) paths.add(`${endpoint}/${check}`);
  }
  const document = { paths: [...paths].toSorted() };
  return {
    status: 200,
    headers: { ...NO_CACHE, "content-type": "application/json" },
    body: JSON.stringify(document, undefined, 2),
  };
}

const metricsAnswer = (lines: readonly string[]): Answer => ({
  status: 200,
  headers: { ...NO_CACHE, "content-type": METRICS_TYPE },
  body: `${lines.join("\n")}\n`,
});

const metric = (name: string, type: string, help: string): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
];

const [MAJOR = "", MINOR = ""] = KUBERNETES_VERSION.split(".");

const build = (): string[] => [
  ...metric(
    "kubernetes_build_info",
    "gauge",
    "[ALPHA] A metric with a constant '1' value labeled by major, minor, git version, git commit, git tree state, build date, Go version, and compiler from which Kubernetes was built, and platform on which it is running.",
  ),
  `kubernetes_build_info{compiler="tsop",git_version="v${KUBERNETES_VERSION}",major="${MAJOR}",minor="${MINOR}"} 1`,
];

function objects({ registry, store }: Cluster): string[] {
  const counts = new Map<string, number>();
  for (const resource of registry.all()) {
    const { group, plural, verbs } = resource;
    if (!verbs.includes("list")) continue;
    const labels = `{group="${group}",resource="${plural}"}`;
    if (!counts.has(labels)) counts.set(labels, store.list(collectionOf(resource)).length);
  }
  return [
    ...metric(
      "apiserver_resource_objects",
      "gauge",
      "[ALPHA] Number of stored objects at the time of last check split by kind. In case of a fetching error, the value will be -1.",
    ),
    ...[...counts]
      .map(([labels, count]) => `apiserver_resource_objects${labels} ${count}`)
      .toSorted(),
  ];
}

function resources({ startedAtMs }: Cluster): string[] {
  const { user, system } = process.cpuUsage();
  return [
    ...metric(
      "process_cpu_seconds_total",
      "counter",
      "Total user and system CPU time spent in seconds.",
    ),
    `process_cpu_seconds_total ${(user + system) / 1e6}`,
    ...metric("process_resident_memory_bytes", "gauge", "Resident memory size in bytes."),
    `process_resident_memory_bytes ${process.memoryUsage.rss()}`,
    ...metric(
      "process_start_time_seconds",
      "gauge",
      "Start time of the process since unix epoch in seconds.",
    ),
    `process_start_time_seconds ${startedAtMs / 1000}`,
  ];
}

const healthChecks = (): string[] => [
  ...metric(
    "kubernetes_healthcheck",
    "gauge",
    "[STABLE] This metric records the result of a single healthcheck.",
  ),
  ...[...CHECKS].flatMap(([endpoint, checks]) =>
    checks.map((name) => `kubernetes_healthcheck{name="${name}",type="${endpoint.slice(1)}"} 1`),
  ),
];

/** The flags of a real server that a control plane has, too. */
const flags = ({ plugins }: Cluster): string =>
  [
    "authorization-mode:[Node,RBAC]",
    `disable-admission-plugins:[${plugins.disabled.join(",")}]`,
    "service-cluster-ip-range:10.96.0.0/16",
  ].join("\n");

function status({ startedAtMs, clock }: Cluster): string {
  const seconds = Math.floor((clock.now() - startedAtMs) / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const started = new Date(startedAtMs)
    .toUTCString()
    .replace(/^(\w+), (\d+) (\w+) (\d+) (\S+) GMT$/, "$1 $3 $2 $5 UTC $4");
  return [
    `Started: ${started}`,
    `Up: ${hours} hr ${String(minutes).padStart(2, "0")} min ${String(seconds % 60).padStart(2, "0")} sec`,
    `Binary version: ${KUBERNETES_VERSION}`,
    `Emulation version: ${MAJOR}.${MINOR}`,
    "Paths: /flagz /healthz /livez /metrics /readyz /statusz /version",
  ].join("\n");
}
