/** The source of a reflector: lists and watches of one kind. */
import { isJsonObject } from "../../kube/json.ts";
import type { KubeList, KubeObject } from "../../kube/object.ts";
import type { ResourceInfo } from "../../kube/resource.ts";
import { failure } from "../../kube/status.ts";
import { completeList } from "../rest/complete-list.ts";
import type { ManagedFieldsListener } from "../rest/json/managed-fields.ts";
import { acceptOf, nameKind, nameKinds } from "../rest/metadata-only.ts";
import { collectionPath } from "../rest/paths.ts";
import type { Query, RestClient } from "../rest/rest-client.ts";
import type { BookmarkMemory, WatchStream } from "../rest/watch-events.ts";

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
  /**
   * @param receive - gets each object of the list, before the list is complete where possible, and
   *   may share parts of it with others
   * @throws StatusError, ConnectionError
   */
  list(
    options: ListWatchOptions,
    signal: AbortSignal,
    receive: (object: T) => void,
  ): Promise<KubeList<T>>;
  /** @throws StatusError, ConnectionError */
  watch(options: ListWatchOptions, signal: AbortSignal): Promise<WatchStream<T>>;
}

/** The namespace and selectors of a list or watch. Read for each request. */
export interface Scope {
  /** All namespaces when absent. */
  readonly namespace?: string;
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string;
}

/** @param onManagedFields - called for each object that has them, before it is received or part of an event */
export function restListerWatcher<T extends KubeObject>(
  rest: RestClient,
  resource: ResourceInfo,
  scope: Scope = {},
  onManagedFields?: ManagedFieldsListener,
): ListerWatcher<T> {
  const path = collectionPath(resource, scope.namespace);
  const queryOf = (options: ListWatchOptions): Query => ({
    labelSelector: scope.labelSelector,
    fieldSelector: scope.fieldSelector,
    ...options,
    // An empty version means an absent one here, as in Go; the server would take it for a version.
    resourceVersion: options.resourceVersion === "" ? undefined : options.resourceVersion,
  });
  const bookmarks: BookmarkMemory = {};
  const origin = new VersionOrigin(rest);
  return {
    resource,
    async list(options, signal, receive) {
      const accept = acceptOf(resource, true);
      const query = queryOf(options);
      const answer = await rest.request({
        method: "GET",
        path,
        query,
        ...accept,
        signal,
        // client-go takes a `Status` as a list without items and without a version, and the watch
        // from there brings everything.
        takesFailures: true,
        onItem: receive as (item: unknown) => void,
        withoutManagedFields: true,
        onManagedFields,
      });
      origin.check(options);
      const list = completeList<T>(answer, resource);
      for (const item of list.items) if (isJsonObject(item)) nameKind(item, resource);
      return list;
    },
    async watch(options, signal) {
      const query = { ...queryOf(options), watch: true };
      const stream = await rest.watch<T>({
        path,
        query,
        ...acceptOf(resource, false),
        signal,
        withoutManagedFields: true,
        onManagedFields,
        bookmarks,
      });
      try {
        origin.check(options);
      } catch (error) {
        await stream[Symbol.asyncIterator]().return?.();
        throw error;
      }
      return nameKinds(stream, resource);
    },
  };
}

/**
 * The server that the versions of one kind come from. A renewed configuration can name another
 * server, whose versions mean something else.
 */
class VersionOrigin {
  readonly #rest: RestClient;
  #server: string | undefined;

  constructor(rest: RestClient) {
    this.#rest = rest;
  }

  /** @throws StatusError `Expired` if a version of another server was requested */
  check({ resourceVersion = "" }: ListWatchOptions): void {
    const { server } = this.#rest;
    const isOwn = resourceVersion === "" || resourceVersion === "0";
    if (!isOwn && this.#server !== undefined && this.#server !== server) {
      throw failure(
        410,
        "Expired",
        `The configuration now names the server ${server}: the version ${resourceVersion} is of ${this.#server}.`,
      );
    }
    this.#server = server;
  }
}
