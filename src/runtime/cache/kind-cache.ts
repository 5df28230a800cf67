/**
 * What the cache keeps of one kind: which objects, and what of each.
 *
 * @see https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/cache#ByObject
 * @module
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
import { assertSelection, selectionOf } from "../client/selection.ts";

/** What becomes of a read of a kind, or in a namespace, that is not watched: the server is asked, or the read fails. */
export type UnwatchedReads = "live" | "fail";

/** What the cache keeps of a kind; everything may be left out. */
export interface KindCacheOptions<T extends KubeObject> {
  /** Only these namespaces; those of the whole cache when absent. */
  readonly namespaces?: readonly string[];
  /** Only objects with these labels, or that a selector fits: `"tier in (web, api),!legacy"`. */
  readonly labels?: Readonly<Record<string, string>> | string;
  /** Only objects that a field selector of the API server fits: `"spec.nodeName=one"`. */
  readonly fields?: string;
  /**
   * What is kept of an object, which it may change. What is read from the cache then cannot be
   * written back as a whole. One that throws is told, and its object kept whole.
   */
  readonly transform?: (object: T) => T;
  /** What becomes of a read where the kind or the namespace is not watched; as for the whole cache when absent. */
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
 * Says what the cache keeps of a kind, for `createManager({ cache: { kinds: [...] } })`.
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
 * @throws TsopError `kind-in-no-namespace` for namespaces of a kind that is in none; SelectorError
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
    // It is called with objects of this token.
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
        `The cache is told twice what to keep of ${groupResourceOf(kind.resource)}.`,
        "Make it one cacheOf(...): there is one cache of a kind in a process.",
      );
    }
    byId.set(id, kind);
  }
  return byId;
}
