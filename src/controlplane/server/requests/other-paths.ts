/** Paths that are not a resource's: health, version, and the documents that describe the API. */
import { answerDiscovery } from "../../discovery/answer.ts";
import { KUBERNETES_VERSION } from "../../../kube/kubernetes-version.ts";
import type { OpenApi } from "../../openapi/openapi.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { ISSUER } from "../../auth/tokens.ts";
import { failure } from "../../../kube/status.ts";
import { methodNotAllowed } from "../../failures.ts";
import { NO_CACHE, jsonAnswer, pageNotFound } from "./render.ts";
import { healthAnswer } from "./health.ts";
import { type Answer, type ApiRequest, headerOf } from "./request.ts";
import { systemPage } from "./system-pages.ts";

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

/** Answers a request for a path that is not a resource's. */
export function otherPath(cluster: Cluster, openApi: OpenApi, request: ApiRequest): Answer {
  const page = healthAnswer(request) ?? systemPage(cluster, request);
  if (page) return page;
  if (/^\/version\/?$/.test(request.path)) {
    if (request.method !== "GET") throw methodNotAllowed();
    return {
      ...jsonAnswer(200, VERSION),
      // The only document that is always written for people.
      body: JSON.stringify(VERSION, undefined, 2),
    };
  }
  if (/^\/openapi\/(v2$|v3(\/|$))/.test(request.path)) {
    return openApiDocument(cluster, openApi, request);
  }
  return tokenDiscovery(cluster, request) ?? discovery(cluster, request) ?? pageNotFound();
}

const KEY_SET = "application/jwk-set+json";
const PUBLIC = { "cache-control": "public, max-age=3600" };

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
  return { ...answer, headers: { ...NO_CACHE, ...answer.headers } };
}

/** A document of discovery; `undefined` for any other path. */
function discovery({ registry, aggregator }: Cluster, request: ApiRequest): Answer | undefined {
  const found = answerDiscovery(
    {
      method: request.method,
      path: request.path.replace(/\/$/, ""),
      accept: headerOf(request, "accept") || undefined,
      ifNoneMatch: headerOf(request, "if-none-match") || undefined,
    },
    [...registry.all(), ...aggregator.resources],
    [...registry.announced(), ...aggregator.versions],
    headerOf(request, "host"),
  );
  return found && { ...found, headers: { ...NO_CACHE, ...found.headers } };
}

/**
 * OpenID discovery and the public keys, with which others verify tokens of service accounts;
 * `undefined` for any other path.
 *
 * @see
 * https://kubernetes.io/docs/tasks/configure-pod-container/configure-service-account/#service-account-issuer-discovery
 */
function tokenDiscovery({ tokens }: Cluster, request: ApiRequest): Answer | undefined {
  if (request.path === "/.well-known/openid-configuration") {
    const document = {
      issuer: ISSUER,
      jwks_uri: `https://${headerOf(request, "host")}/openid/v1/jwks`,
      response_types_supported: ["id_token"],
      subject_types_supported: ["public"],
      id_token_signing_alg_values_supported: ["ES256"],
    };
    return jsonAnswer(200, document, PUBLIC);
  }
  if (request.path !== "/openid/v1/jwks") return undefined;
  const accept = headerOf(request, "accept");
  if (accept !== "" && !accept.includes(KEY_SET) && !accept.includes("*/*")) {
    throw failure(
      406,
      "NotAcceptable",
      `406: Not Acceptable\n\nAvailable representations: ${KEY_SET}`,
      {},
    );
  }
  return jsonAnswer(200, tokens.keySet(), { ...PUBLIC, "content-type": KEY_SET });
}
