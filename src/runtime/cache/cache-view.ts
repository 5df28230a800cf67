/**
 * The cache as users see it: what is watched, and how that is doing.
 *
 * @module
 */
import type { KubeObject } from "../../kube/object.ts";
import type { ReadToken } from "../../kube/resource.ts";
import type { IndexFunction } from "./indexer.ts";
import type { ReflectorState } from "./reflector.ts";
import type { InformerOccurrence } from "./watch-session.ts";

/** How an informer is doing. */
export interface InformerHealth {
  /** `deployments.apps`, with the namespace where it is limited to one. */
  readonly resource: string;
  readonly state: ReflectorState;
  readonly synced: boolean;
  readonly objects: number;
  /** How often what happened since the start. */
  readonly counts: Readonly<Record<InformerOccurrence, number>>;
  /** What went wrong last, and what to do; absent when all is well. */
  readonly problem?: string;
}

/** What an informer holds. */
export interface InformerStats {
  /** `deployments.apps`, with the namespace where it is limited to one. */
  readonly resource: string;
  readonly objects: number;
  /** What they take in memory, estimated. */
  readonly sizeBytes: number;
  /** The version up to which it knows everything. */
  readonly resourceVersion: string;
}

/**
 * What an operator watches, and holds in memory: `manager.cache`. Reads of it go through `manager.client`.
 *
 * @example
 * manager.cache.addIndex(Pod, "node", (pod) => [pod.spec?.nodeName ?? ""]);
 * const mine = await manager.client.list(Pod, { index: { name: "node", value: "one" } });
 */
export interface Cache {
  /**
   * Watches these namespaces from now on, or all of them; kinds that are in none, and those with `namespaces` of their
   * own, are watched as before. Handlers hear of what is in a new one, and nothing more of what is in one that is left.
   * `synced` waits for the new ones.
   */
  setNamespaces(namespaces: readonly string[] | undefined): void;
  /**
   * Watches only objects of a kind with these labels from now on, or all of them. Handlers hear of what is selected now
   * and was not before, and of what is no longer selected as deleted.
   *
   * @throws SelectorError
   */
  setLabelSelector(token: ReadToken, selector: string | undefined): void;
  /**
   * Ends the informers of a kind: nothing of it is watched or held any more, and reads of it are as those of any other
   * kind that is not watched.
   *
   * @throws TsopError `cache-in-use` while a controller hears of it
   */
  remove(token: ReadToken): void;
  /** Resolves when every informer that there is now has its first list. */
  synced(): Promise<void>;
  /** Adds an index over a kind. @throws TsopError `index-exists` */
  addIndex<T extends KubeObject>(token: ReadToken<T>, name: string, values: IndexFunction<T>): void;
  /** How each informer is doing. */
  health(): InformerHealth[];
  /** What each informer holds. */
  stats(): InformerStats[];
}
