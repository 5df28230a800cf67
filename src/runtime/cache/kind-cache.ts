/**
 * The options of the cache for one kind: which objects it keeps, and which part of each.
 *
 * @see https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/cache#ByObject
 */
import { TsopError } from "../../errors.ts";
import type { KubeObject } from "../../kube/object.ts";
import {
  groupResourceOf,
  resourceOf,
  type ReadToken,
  type ResourceInfo,
} from "../../kube/resource.ts";
import { parseLabelSelector } from "../../kube/selectors/selector.ts";
import { assertSelection, selectionOf } from "../rest/selection.ts";

/**
 * How a read of a kind or namespace that is not watched is answered: by the server, or with an
 * error.
 */
export type UnwatchedReads = "live" | "fail";

/** The options of the cache for one kind; every field is optional. */
export interface KindCacheOptions<T extends KubeObject> {
  /** The only namespaces to watch; those of the whole cache when absent. */
  readonly namespaces?: readonly string[];
  /** Only objects with these labels, or that match a selector: `"tier in (web, api),!legacy"`. */
  readonly labels?: Readonly<Record<string, string>> | string;
  /** Only objects that match a field selector of the API server: `"spec.nodeName=one"`. */
  readonly fields?: string;
  /**
   * Returns the part of an object that is kept; it may change the object. Objects that are read
   * from the cache then cannot be written back as a whole. An error that it throws is logged, and
   * its object kept whole.
   */
  readonly transform?: (object: T) => T;
  /**
   * How reads of a kind or namespace that is not watched are answered; as for the whole cache when
   * absent.
   */
  readonly reads?: UnwatchedReads;
}

/** The options of one kind: the result of `cacheOf(...)`. */
export interface KindCache {
  readonly resource: ResourceInfo;
  readonly namespaces: readonly string[] | undefined;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  readonly transform: ((object: KubeObject) => KubeObject) | undefined;
  readonly reads: UnwatchedReads | undefined;
}

/**
 * Sets the options of the cache for one kind, for `createManager({ cache: { kinds: [...] } })`.
 *
 * @example
 * cacheOf(Secret, {
 *   labels: { app: "web" },
 *   transform: (secret) => {
 *     delete secret.data;
 *     return secret;
 *   },
 * });
 *
 * @throws TsopError `kind-in-no-namespace` for namespaces of a cluster-scoped kind; SelectorError
 */
export function cacheOf<T extends KubeObject>(
  token: ReadToken<T>,
  options: KindCacheOptions<T>,
): KindCache {
  const resource = resourceOf(token);
  const { namespaces, labels, fields, transform, reads } = options;
  for (const namespace of namespaces ?? []) assertSelection(resource, { namespace });
  assertSelection(resource, labels === undefined ? {} : { labels });
  if (typeof labels === "string") parseLabelSelector(labels);
  const selector = labels === undefined ? undefined : selectionOf({ labels })["labelSelector"];
  return {
    resource,
    namespaces,
    labelSelector: typeof selector === "string" ? selector : undefined,
    fieldSelector: fields,
    // The transform is called with objects of this token only.
    transform: transform && ((object) => transform(object as T)),
    reads,
  };
}

/** The options by kind. @throws TsopError `cache-option-twice` */
export function kindCaches(
  kinds: readonly KindCache[],
  idOf: (resource: ResourceInfo) => string,
): ReadonlyMap<string, KindCache> {
  const byId = new Map<string, KindCache>();
  for (const kind of kinds) {
    const id = idOf(kind.resource);
    if (byId.has(id)) {
      throw new TsopError(
        "cache-option-twice",
        `The cache of ${groupResourceOf(kind.resource)} is configured twice.`,
        "Merge the two into one cacheOf(...): a process has one cache for each kind.",
      );
    }
    byId.set(id, kind);
  }
  return byId;
}
