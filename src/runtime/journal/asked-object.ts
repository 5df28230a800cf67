/** The object of a request, by its path. */
import type { RestRequest } from "../rest/rest-client.ts";

/** The object that a path names. */
export interface AskedObject {
  /** The resource: `deployments.apps`. */
  readonly resource: string;
  readonly namespace: string | undefined;
  /** The name; absent for all objects of the kind, and for one that is created. */
  readonly name: string | undefined;
  readonly subresource: string | undefined;
}

/** Subresources of namespaces themselves. */
const OF_A_NAMESPACE = new Set(["status", "finalize"]);

/** The object of `/apis/apps/v1/namespaces/d/deployments/web/status`; `undefined` for other paths. */
export function askedObject(path: string): AskedObject | undefined {
  const [, root, ...rest] = path.split("/").map(decoded);
  const head = root === "api" ? 1 : root === "apis" ? 2 : 0;
  const group = root === "apis" ? (rest[0] ?? "") : "";
  let parts = rest.slice(head);
  let namespace: string | undefined;
  if (parts[0] === "namespaces" && parts[2] !== undefined && !OF_A_NAMESPACE.has(parts[2])) {
    namespace = parts[1];
    parts = parts.slice(2);
  }
  const [plural, name, subresource] = parts;
  if (head === 0 || plural === undefined || plural === "") return undefined;
  const resource = group === "" ? plural : `${plural}.${group}`;
  return { resource, namespace, name, subresource };
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const APPLY = "application/apply-patch+yaml";
const VERBS = { GET: "get", POST: "create", PUT: "update", PATCH: "patch", DELETE: "delete" };

/** The verb of a request, in the words of `kubectl`. */
export function verbOf(
  { method, contentType, upgrades }: RestRequest,
  { name }: AskedObject,
): string {
  if (upgrades) return "connect";
  if (method === "PATCH" && contentType === APPLY) return "apply";
  if (name !== undefined) return VERBS[method];
  return method === "GET" ? "list" : method === "DELETE" ? "deletecollection" : VERBS[method];
}

const SECRET_RESOURCES = new Set([
  "secrets",
  "tokenreviews.authentication.k8s.io",
  "selfsubjectreviews.authentication.k8s.io",
]);

/** Whether the request or its answer is confidential: a Secret, or a token. */
export function isConfidential({ resource, subresource }: AskedObject): boolean {
  return SECRET_RESOURCES.has(resource) || subresource === "token";
}
