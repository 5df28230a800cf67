/** The rights that requests need, as kube-apiserver asks its authorizers for them. */
import type { ForeignRef, Observed } from "./observed.ts";

/** A right: `get secrets`, `patch deployments.apps/scale`. */
export type Right = string;

/** The name of a right. */
export function rightOf(verb: string, group: string, resource: string): Right {
  const [plural = "", subresource] = resource.split("/");
  const below = subresource === undefined ? "" : `/${subresource}`;
  return `${verb} ${plural}${group === "" ? "" : `.${group}`}${below}`;
}

const VERBS: Readonly<Record<string, string>> = {
  GET: "get",
  POST: "create",
  PUT: "update",
  PATCH: "patch",
  DELETE: "delete",
};
/** The subresources in which something runs: a GET needs the right to create, too. */
const RUNS = new Set(["exec", "attach", "portforward"]);

/** The rights that a request needs; none for paths that every user may ask for. */
export function rightsFor({ method, path, query, status }: Observed): readonly Right[] {
  const segments = path.split("/").filter((segment) => segment !== "");
  const group = segments[0] === "api" ? "" : segments[1];
  const rest = segments.slice(segments[0] === "api" ? 2 : 3);
  if (group === undefined || (segments[0] !== "api" && segments[0] !== "apis")) return [];
  const isNamespaced = rest[0] === "namespaces" && rest.length > 2 && !isOfNamespace(rest);
  const [resource, name, subresource] = isNamespaced ? rest.slice(2) : rest;
  if (resource === undefined || /^selfsubject/.test(resource)) return [];
  const full = subresource === undefined ? resource : `${resource}/${subresource}`;
  const right = (verb: string): Right => rightOf(verb, group, full);
  const verb = VERBS[method] ?? method.toLowerCase();
  if (name === undefined) {
    if (verb === "get") return [right(query.get("watch") ? "watch" : "list")];
    return [right(verb === "delete" ? "deletecollection" : verb)];
  }
  if (subresource !== undefined && RUNS.has(subresource)) return [right("get"), right("create")];
  // A PUT or a server-side apply of a new object creates it.
  return verb !== "create" && status === 201 ? [right(verb), right("create")] : [right(verb)];
}

const isOfNamespace = (rest: readonly string[]): boolean =>
  rest.length === 3 && (rest[2] === "status" || rest[2] === "finalize");

/**
 * The right to the finalizers of an owner whose deletion a written object blocks, where the admission plugin
 * OwnerReferencesPermissionEnforcement is on.
 */
export const rightForOwner = ({ group, plural }: ForeignRef): Right =>
  rightOf("update", group, `${plural}/finalizers`);
