/** Completes the lists of the server. */
import { isJsonObject } from "../../kube/json.ts";
import type { KubeList, KubeObject } from "../../kube/object.ts";
import { apiVersionOf, type ResourceInfo } from "../../kube/resource.ts";
import { brokenAnswer } from "./answers.ts";

/**
 * A list whose items have their kind and apiVersion: in lists of built-in kinds the server leaves
 * them out.
 *
 * @throws StatusError 500 when `answer` is not a list
 */
export function completeList<T extends KubeObject>(
  answer: unknown,
  resource: ResourceInfo,
): KubeList<T> {
  const list = answer as Partial<KubeList<T>> | null;
  if (typeof list !== "object" || !list?.metadata) {
    throw brokenAnswer(`the list of ${resource.plural} is not a list`);
  }
  // Go's encoder writes an empty list of a custom kind as null.
  const items = (list.items as T[] | null | undefined) ?? [];
  if (!Array.isArray(items))
    throw brokenAnswer(`the items of the list of ${resource.plural} are not a list`);
  const apiVersion = apiVersionOf(resource);
  for (const item of items) {
    // The caller decides about items that are not objects.
    if (!isJsonObject(item)) continue;
    item.apiVersion ||= apiVersion;
    item.kind ||= resource.kind;
  }
  return {
    apiVersion: list.apiVersion ?? apiVersion,
    kind: list.kind ?? `${resource.kind}List`,
    metadata: list.metadata,
    items,
  };
}
