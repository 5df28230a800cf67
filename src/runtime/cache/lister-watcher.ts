/**
 * What a reflector reads from: lists and watches of one kind.
 *
 * @module
 */
import type { KubeList, KubeObject } from "../../kube/object.ts";
import { apiVersionOf, type ResourceInfo } from "../../kube/resource.ts";
import { collectionPath } from "../client/paths.ts";
import { brokenAnswer } from "../client/answers.ts";
import type { Query, RestClient, WatchStream } from "../client/rest-client.ts";

/** The parameters of a list or watch, under their wire names. */
export interface ListWatchOptions {
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: "NotOlderThan" | "Exact";
  readonly allowWatchBookmarks?: boolean;
  readonly sendInitialEvents?: boolean;
  readonly timeoutSeconds?: number;
}

/** Lists and watches the objects of one kind. */
export interface ListerWatcher<T extends KubeObject = KubeObject> {
  readonly resource: ResourceInfo;
  /** @throws StatusError, ConnectionError */
  list(options: ListWatchOptions, signal: AbortSignal): Promise<KubeList<T>>;
  /** @throws StatusError, ConnectionError */
  watch(options: ListWatchOptions, signal: AbortSignal): Promise<WatchStream<T>>;
}

/** What to see of a kind. */
export interface Scope {
  /** All namespaces when absent. */
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
}

/** Reads a kind from the API server. */
export function restListerWatcher<T extends KubeObject>(
  rest: RestClient,
  resource: ResourceInfo,
  scope: Scope = {},
): ListerWatcher<T> {
  const path = collectionPath(resource, scope.namespace);
  const queryOf = (options: ListWatchOptions): Query => ({
    labelSelector: scope.labelSelector,
    fieldSelector: scope.fieldSelector,
    ...options,
    // Empty means absent here, as in Go; the server would take it for a version.
    resourceVersion: options.resourceVersion === "" ? undefined : options.resourceVersion,
  });
  return {
    resource,
    async list(options, signal) {
      const answer = await rest.request({ method: "GET", path, query: queryOf(options), signal });
      return completeList<T>(answer, resource);
    },
    watch: (options, signal) =>
      rest.watch<T>({ path, query: { ...queryOf(options), watch: true }, signal }),
  };
}

/**
 * A list whose items say what they are: in lists of built-in kinds the server leaves that out.
 *
 * @throws StatusError 500 when `answer` is no list
 */
export function completeList<T extends KubeObject>(
  answer: unknown,
  resource: ResourceInfo,
): KubeList<T> {
  const list = answer as Partial<KubeList<T>> | null;
  if (typeof list !== "object" || !list?.metadata) {
    throw brokenAnswer(`the list of ${resource.plural} is no list`);
  }
  // Go's encoder writes an empty list of a custom kind as null.
  const items = (list.items as T[] | null | undefined) ?? [];
  const apiVersion = apiVersionOf(resource);
  for (const item of items) {
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
