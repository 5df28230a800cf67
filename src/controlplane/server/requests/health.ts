/** The health endpoints, and each of their checks. A control plane that answers is healthy in all of them. */
import { quote } from "../../../kube/field-errors.ts";
import { pageNotFound, textAnswer } from "./render.ts";
import type { Answer, ApiRequest } from "./request.ts";

/** The checks of the real server after its own ones, in its order. */
const HOOKS = [
  "poststarthook/start-apiserver-admission-initializer",
  "poststarthook/generic-apiserver-start-informers",
  "poststarthook/max-in-flight-filter",
  "poststarthook/storage-object-count-tracker-hook",
  "poststarthook/start-apiextensions-informers",
  "poststarthook/start-apiextensions-controllers",
  "poststarthook/crd-informer-synced",
  "poststarthook/start-system-namespaces-controller",
  "poststarthook/peer-endpoint-reconciler-controller",
  "poststarthook/start-cluster-authentication-info-controller",
  "poststarthook/start-kube-apiserver-identity-lease-controller",
  "poststarthook/start-kube-apiserver-identity-lease-garbage-collector",
  "poststarthook/storage-readiness",
  "poststarthook/start-legacy-token-tracking-controller",
  "poststarthook/start-service-ip-repair-controllers",
  "poststarthook/rbac/bootstrap-roles",
  "poststarthook/scheduling/bootstrap-system-priority-classes",
  "poststarthook/priority-and-fairness-config-producer",
  "poststarthook/bootstrap-controller",
  "poststarthook/start-kubernetes-service-cidr-controller",
  "poststarthook/start-kube-aggregator-informers",
  "poststarthook/apiservice-status-local-available-controller",
  "poststarthook/apiservice-status-remote-available-controller",
  "poststarthook/apiservice-registration-controller",
  "poststarthook/apiservice-discovery-controller",
  "poststarthook/kube-apiserver-autoregistration",
  "autoregister-completion",
  "poststarthook/apiservice-openapi-controller",
  "poststarthook/apiservice-openapiv3-controller",
];
const LIVENESS = ["ping", "log", "loopback-serving-certificate", "etcd", ...HOOKS];

/** The checks of each endpoint. */
export const CHECKS: ReadonlyMap<string, readonly string[]> = new Map([
  ["/healthz", LIVENESS],
  ["/livez", LIVENESS],
  ["/readyz", ["ping", "log", "etcd", "etcd-readiness", "informer-sync", ...HOOKS, "shutdown"]],
]);

/** The answer of an endpoint, or of one of its checks; `undefined` for any other path. */
export function healthAnswer({ path, query }: ApiRequest): Answer | undefined {
  const [, endpoint = "", check] = /^(\/[a-z]+)(?:\/(.+))?$/.exec(path) ?? [];
  const checks = CHECKS.get(endpoint);
  if (!checks) return undefined;
  if (check !== undefined) return checks.includes(check) ? textAnswer(200, "ok") : pageNotFound();
  if (!query.has("verbose")) return textAnswer(200, "ok");
  return textAnswer(200, report(endpoint, checks, new Set(query.getAll("exclude"))));
}

function report(endpoint: string, checks: readonly string[], excluded: Set<string>): string {
  const lines = checks.map((check) =>
    excluded.delete(check) ? `[+]${check} excluded: ok` : `[+]${check} ok`,
  );
  if (excluded.size > 0) {
    const unknown = [...excluded].map((check) => quote(check)).join(", ");
    lines.push(`warn: some health checks cannot be excluded: no matches for ${unknown}`);
  }
  return [...lines, `${endpoint.slice(1)} check passed`, ""].join("\n");
}
