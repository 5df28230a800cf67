/**
 * Walking into objects along paths in which lists count as "each item".
 *
 * @module
 */
import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";

/**
 * Calls `visit` with the object that holds the last field of `path`, for every item of the lists
 * on the way: `spec/template/spec/containers/image` visits each container.
 *
 * @param create - whether missing objects on the way are made
 */
export function visitField(
  node: unknown,
  path: readonly string[],
  visit: (holder: JsonObject, field: string) => void,
  create = false,
): void {
  if (Array.isArray(node)) {
    for (const item of node) visitField(item, path, visit, create);
    return;
  }
  const [field, ...rest] = path;
  if (!isJsonObject(node) || field === undefined) return;
  if (rest.length === 0) {
    visit(node, field);
    return;
  }
  if (create) node[field] ??= {};
  visitField(node[field], rest, visit, create);
}
