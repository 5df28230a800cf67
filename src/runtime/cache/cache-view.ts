/** The cache as users see it: the kinds it watches, and the health of each informer. */
import type { KubeObject } from "../../kube/object.ts";
import type { ReadToken } from "../../kube/resource.ts";
import type { IndexFunction } from "./indexer.ts";
import type { ReflectorState } from "./reflector-state.ts";
import type { InformerOccurrence } from "./watch-session.ts";

/** The health of an informer. */
export interface InformerHealth {
  /** `deployments.apps`, with the namespace where it is limited to one. */
  readonly resource: string;
  readonly state: ReflectorState;
  readonly synced: boolean;
  readonly objects: number;
  /** How often each occurrence happened since the start. */
  readonly counts: Readonly<Record<InformerOccurrence, number>>;
  /** The last failure, and the next step; absent when all is well. */
  readonly problem?: string;
}

/** The contents of an informer, and their size. */
export interface InformerStats {
  /** `deployments.apps`, with the namespace where it is limited to one. */
  readonly resource: string;
  readonly objects: number;
  /** The memory that the objects take, estimated, in bytes. */
  readonly sizeBytes: number;
  /** The `resourceVersion` up to which the informer is complete. */
  readonly resourceVersion: string;
}

/**
 * The objects that an operator watches and holds in memory: `manager.cache`. Reads of it go through
 * `manager.client`.
 *
 * @example
 * manager.cache.addIndex(Pod, "node", (pod) => [pod.spec?.nodeName ?? ""]);
 * const mine = await manager.client.list(Pod, { index: { name: "node", value: "one" } });
 */
export interface Cache {
  /**
   * Watches these namespaces from now on, or all of them when `undefined`. Kinds without a
   * namespace, and kinds with `namespaces` of their own, are watched as before. Handlers get the
   * objects of a new namespace as added, and no more events of one that is dropped. `synced` waits
   * for the new ones.
   */
  setNamespaces(namespaces: readonly string[] | undefined): void;
  /**
   * Watches only objects of a kind with these labels from now on, or all of them when `undefined`.
   * Handlers get objects that the selector now includes as added, and those that it no longer
   * includes as deleted.
   *
   * @throws SelectorError
   */
  setLabelSelector(token: ReadToken, selector: string | undefined): void;
  /**
   * Ends the informers of a kind: it is no longer watched or held in memory, and reads of it are
   * like those of any other kind that is not watched.
   *
   * @throws TsopError `cache-in-use` while a controller watches it
   */
  remove(token: ReadToken): void;
  /** Resolves when every informer that there is now has its first list. */
  synced(): Promise<void>;
  /** Adds an index over a kind. @throws TsopError `index-exists` */
  addIndex<T extends KubeObject>(token: ReadToken<T>, name: string, values: IndexFunction<T>): void;
  /** The health of each informer. */
  health(): InformerHealth[];
  /** The contents and size of each informer. */
  stats(): InformerStats[];
}
