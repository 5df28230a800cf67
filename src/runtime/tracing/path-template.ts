/** The path of a request without the names in it, so that traces can be grouped by it. */

/** The path with placeholders: `/apis/apps/v1/namespaces/{namespace}/deployments/{name}/status`. */
export function templateOf(path: string): string {
  const [, root = "", ...rest] = (path.split("?")[0] ?? "").split("/");
  const head = root === "api" ? 1 : root === "apis" ? 2 : undefined;
  if (head === undefined) return rest.length === 0 ? `/${root}` : `/${root}/{path}`;
  const version = rest.slice(0, head);
  return `/${[root, ...version, ...resourceTemplate(rest.slice(head))].join("/")}`;
}

/** Objects lie below namespaces, and namespaces have subresources of their own. */
const OF_A_NAMESPACE: ReadonlySet<string> = new Set(["status", "finalize"]);

function resourceTemplate(parts: readonly string[]): string[] {
  const [resource, name, third] = parts;
  if (resource === undefined) return [];
  if (name === undefined) return [resource];
  if (resource === "namespaces" && third !== undefined && !OF_A_NAMESPACE.has(third)) {
    return ["namespaces", "{namespace}", ...resourceTemplate(parts.slice(2))];
  }
  const subresource = third === undefined ? [] : [third];
  return [resource, "{name}", ...subresource, ...(parts.length > 3 ? ["{path}"] : [])];
}
