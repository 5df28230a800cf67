/** Paths that are not a resource's: health, version, and the documents that describe the API. */
import { quote } from "../../../kube/field-errors.ts";
import { answerDiscovery } from "../../discovery/answer.ts";
import { KUBERNETES_VERSION } from "../../../kube/kubernetes-version.ts";
import type { OpenApi } from "../../openapi/openapi.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { methodNotAllowed } from "../../failures.ts";
import { jsonAnswer, pageNotFound } from "./render.ts";
import { type Answer, type ApiRequest, headerOf } from "./request.ts";
import { tokenDiscovery } from "./token-keys.ts";

/** The Kubernetes release that the control plane reports. */
export const GIT_VERSION = `v${KUBERNETES_VERSION}`;

const [MAJOR = "", MINOR = ""] = KUBERNETES_VERSION.split(".");

const VERSION = {
  major: MAJOR,
  minor: MINOR,
  emulationMajor: MAJOR,
  emulationMinor: MINOR,
  minCompatibilityMajor: MAJOR,
  minCompatibilityMinor: String(Number(MINOR) - 1),
  gitVersion: GIT_VERSION,
  gitCommit: "",
  gitTreeState: "clean",
  buildDate: "2026-01-01T00:00:00Z",
  goVersion: "",
  compiler: "tsop",
  platform: `${process.platform}/${process.arch === "x64" ? "amd64" : process.arch}`,
};

const HEALTH = new Set(["/healthz", "/livez", "/readyz"]);

/** Answers a request for a path that is not a resource's. */
export function otherPath(cluster: Cluster, openApi: OpenApi, request: ApiRequest): Answer {
  if (HEALTH.has(request.path)) {
    return {
      status: 200,
      headers: {
        "cache-control": "no-cache, private",
        "content-type": "text/plain; charset=utf-8",
        "x-content-type-options": "nosniff",
      },
      body: request.query.has("verbose") ? healthReport(request) : "ok",
    };
  }
  if (/^\/version\/?$/.test(request.path)) {
    if (request.method !== "GET") throw methodNotAllowed();
    return {
      ...jsonAnswer(200, VERSION),
      // The only document that is always written for people.
      body: JSON.stringify(VERSION, undefined, 2),
    };
  }
  if (/^\/openapi\/(v2$|v3(\/|$))/.test(request.path))
    return openApiDocument(cluster, openApi, request);
  return tokenDiscovery(cluster, request) ?? describe(cluster, request) ?? pageNotFound();
}

// In the order of the real server, as far as these checks exist here.
const CHECKS = ["ping", "log", "etcd", "poststarthook/rbac/bootstrap-roles"];

/** The report of health checks, and of those that the request excluded. */
function healthReport({ path, query }: ApiRequest): string {
  const excluded = new Set(query.getAll("exclude"));
  const lines = CHECKS.map((check) =>
    excluded.delete(check) ? `[+]${check} excluded: ok` : `[+]${check} ok`,
  );
  if (excluded.size > 0) {
    const unknown = [...excluded].map((check) => quote(check)).join(", ");
    lines.push(`warn: some health checks cannot be excluded: no matches for ${unknown}`);
  }
  return [...lines, `${path.slice(1)} check passed`, ""].join("\n");
}

/** A document of OpenAPI, or the index of these. */
function openApiDocument(cluster: Cluster, openApi: OpenApi, request: ApiRequest): Answer {
  const answer = openApi.answer(
    {
      path: request.path,
      accept: headerOf(request, "accept"),
      ifNoneMatch: headerOf(request, "if-none-match"),
      hash: request.query.get("hash") ?? undefined,
      nowMs: cluster.clock.now(),
    },
    cluster.registry.all(),
  );
  return { ...answer, headers: { "cache-control": "no-cache, private", ...answer.headers } };
}

/** A document of discovery. */
function describe({ registry }: Cluster, request: ApiRequest): Answer | undefined {
  const accept = headerOf(request, "accept");
  const ifNoneMatch = headerOf(request, "if-none-match");
  const found = answerDiscovery(
    {
      method: request.method,
      path: request.path.replace(/\/$/, ""),
      ...(accept === "" ? {} : { accept }),
      ...(ifNoneMatch === "" ? {} : { ifNoneMatch }),
    },
    registry.all(),
    registry.announced(),
    headerOf(request, "host"),
  );
  if (!found) return undefined;
  return { ...found, headers: { "cache-control": "no-cache, private", ...found.headers } };
}
