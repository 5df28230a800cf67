/** Reads from informers. */
import { formatKey, type KubeObject, type ObjectKey } from "../../kube/object.ts";
import { matchesLabels, parseLabelSelector } from "../../kube/selectors/selector.ts";
import type { ListOptions } from "../rest/selection.ts";
import { NAMESPACE_INDEX } from "./indexer.ts";
import type { ReconcileTap } from "../rest/reconcile-tap.ts";
import type { SharedInformer } from "./shared-informer.ts";

/** The object of a key in the informers, frozen. @param tap - the tap of the calling reconcile */
export function findCached<T extends KubeObject>(
  informers: readonly SharedInformer<T>[],
  key: ObjectKey,
  tap?: ReconcileTap,
): T | undefined {
  const resource = informers[0]?.resource;
  if (tap && resource) return tap.find(resource, key, () => findCached(informers, key));
  const id = formatKey(key);
  for (const informer of informers) {
    const object = informer.indexer.get(id);
    if (object) return object;
  }
  return undefined;
}

/**
 * The selected objects in the informers, frozen.
 *
 * @param tap - the tap of the calling reconcile
 * @throws TsopError `index-missing`, SelectorError
 */
export function listCached<T extends KubeObject>(
  informers: readonly SharedInformer<T>[],
  options: ListOptions,
  tap?: ReconcileTap,
): T[] {
  const { namespace, labels, index } = options;
  const resource = informers[0]?.resource;
  if (tap && resource) return tap.list(resource, options, () => listCached(informers, options));
  const requirements = typeof labels === "string" ? parseLabelSelector(labels) : undefined;
  return informers
    .flatMap(({ indexer }) => {
      if (index) return indexer.byIndex(index.name, index.value);
      return namespace ? indexer.byIndex(NAMESPACE_INDEX, namespace) : indexer.list();
    })
    .filter(({ metadata }) => !namespace || metadata.namespace === namespace)
    .filter(({ metadata }) => {
      if (requirements) return matchesLabels(requirements, metadata.labels ?? {});
      return Object.entries(labels ?? {}).every(
        ([name, value]) => metadata.labels?.[name] === value,
      );
    });
}
