/**
 * Requests of any path of an API server: what the typed calls do not reach.
 *
 * @module
 */
import { TsopError } from "../../errors.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { Query, RestRequest } from "./rest-client.ts";

/** How the client writes where a request does not say. */
interface RawDefaults {
  readonly dryRun?: boolean | undefined;
  readonly fieldValidation?: string | undefined;
}

/** A request of any path. */
export interface RawRequest {
  /** `GET` when absent. */
  readonly method?: RestRequest["method"];
  /** From the root of the API server, escaped, without a query: `/apis/metrics.k8s.io/v1beta1/nodes`. */
  readonly path: string;
  readonly query?: Query;
  /** A text is sent as it is, everything else as JSON. */
  readonly body?: string | object;
  /** Of the body; JSON when absent. */
  readonly contentType?: string;
  /** JSON when absent. */
  readonly accept?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The server checks and answers, and stores nothing; refused for a path that has no such request. */
  readonly dryRun?: boolean;
  readonly signal?: AbortSignal;
}

/**
 * The request as it is sent.
 *
 * @throws TsopError `bad-raw-path`; `dry-run-impossible` where the server would carry out what is to be tried only
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

/** The options of a deletion stand in its body; the query counts only where there is none. */
function triedDeletion(request: RestRequest): RestRequest {
  const { body, query, method, path } = request;
  if (body === undefined) return { ...request, query: { ...query, dryRun: "All" } };
  if (!isJsonObject(body)) throw noDryRun(method, path);
  return { ...request, body: { ...body, dryRun: ["All"] } };
}

// What is proxied to nodes, pods and services, or run there, is carried out at once.
const CARRIED_OUT = /\/(proxy|exec|attach|portforward)(\/|$)/;

/** Whether the path is one of stored objects, for which there are dry runs. */
function isOfObjects(path: string): boolean {
  return /^\/(api|apis)\//.test(path) && !CARRIED_OUT.test(path);
}

function assertPath(path: string): void {
  const segments = path.split("/").map((segment) => segment.replaceAll(/%2e/gi, "."));
  const climbs = segments.some((segment) => segment === "." || segment === "..");
  if (path.startsWith("/") && !/[?#]/.test(path) && !climbs) return;
  throw new TsopError(
    "bad-raw-path",
    `${JSON.stringify(path)} is not the path of a request: it has to begin with a slash, and to have no query and no "..".`,
    "Give the query in `query`, and escape names with encodeURIComponent.",
  );
}

function noDryRun(method: string, path: string): TsopError {
  return new TsopError(
    "dry-run-impossible",
    `${method} ${path} was not sent: it is to be a dry run, and the API server would carry it out.`,
    "Send it with a client that is not a dry run, or leave it out of dry runs.",
  );
}
