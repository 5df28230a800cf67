/** Requests of any path of an API server, for paths that the typed calls do not cover. */
import { TsopError } from "../../errors.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { Query, RestRequest } from "./rest-client.ts";

interface RawDefaults {
  readonly dryRun?: boolean | undefined;
  readonly fieldValidation?: string | undefined;
}

/** A request of any path. */
export interface RawRequest {
  /** The method; `GET` when absent. */
  readonly method?: RestRequest["method"];
  /**
   * The path from the root of the API server, escaped, without a query:
   * `/apis/metrics.k8s.io/v1beta1/nodes`.
   */
  readonly path: string;
  readonly query?: Query;
  /** The body: a text is sent as it is, everything else as JSON. */
  readonly body?: string | object;
  /** The Content-Type of the body; JSON when absent. */
  readonly contentType?: string;
  /** The Accept header; JSON when absent. */
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Makes the server check and answer, and store nothing; refused for a path without dry runs. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * The request as it is sent.
 *
 * @throws TsopError `bad-raw-path`; `dry-run-impossible` where the server has no dry run of the
 *   request
 */
export function rawRequest(request: RawRequest, defaults: RawDefaults): RestRequest {
  const { method = "GET", path, dryRun = false, ...rest } = request;
  assertPath(path);
  const plain: RestRequest = { ...rest, method, path, raw: true };
  if (method === "GET" || !isOfObjects(path)) {
    if (method !== "GET" && (dryRun || defaults.dryRun)) throw noDryRun(method, path);
    return plain;
  }
  const tried = dryRun || defaults.dryRun;
  if (method === "DELETE") return tried ? triedDeletion(plain) : plain;
  const { fieldValidation } = defaults;
  const query = { fieldValidation, ...plain.query, ...(tried ? { dryRun: "All" } : {}) };
  return { ...plain, query };
}

/** The options of a deletion are in its body; the query counts only where there is none. */
function triedDeletion(request: RestRequest): RestRequest {
  const { body, query, method, path } = request;
  if (body === undefined) return { ...request, query: { ...query, dryRun: "All" } };
  if (!isJsonObject(body)) throw noDryRun(method, path);
  return { ...request, body: { ...body, dryRun: ["All"] } };
}

// Requests that are proxied to nodes, pods and services, or run there, always take effect.
const CARRIED_OUT = /\/(proxy|exec|attach|portforward)(\/|$)/;

/** Whether the path is one of stored objects, which support dry runs. */
function isOfObjects(path: string): boolean {
  return /^\/(api|apis)\//.test(path) && !CARRIED_OUT.test(path);
}

function assertPath(path: string): void {
  const segments = path.split("/").map((segment) => segment.replaceAll(/%2e/gi, "."));
  const climbs = segments.some((segment) => segment === "." || segment === "..");
  if (path.startsWith("/") && !/[?#]/.test(path) && !climbs) return;
  throw new TsopError(
    "bad-raw-path",
    `${JSON.stringify(path)} is not a request path: it must start with a slash and must not contain a query or "..".`,
    "Give the query in `query`, and escape names with encodeURIComponent.",
  );
}

function noDryRun(method: string, path: string): TsopError {
  return new TsopError(
    "dry-run-impossible",
    `${method} ${path} was not sent: the client is in dry-run mode, but the API server would execute this request.`,
    "Send it with a client without dryRun, or leave it out in dry runs.",
  );
}
