/**
 * The dependents of an object: created in the order of a graph, deleted when no longer wanted. Not
 * an engine of its own: a reconciler calls it, and the watched kinds are owned kinds.
 */
import type { Clock } from "../../clock.ts";
import { TsopError } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import { statusOf } from "../../kube/progress/kstatus.ts";
import { keyOf, type KubeObject, type ObjectKey } from "../../kube/object.ts";
import { controllerOf } from "../../kube/owner.ts";
import { isPaused } from "../../kube/paused.ts";
import {
  groupResourceOf,
  resourceOf,
  type ReadToken,
  type ResourceInfo,
} from "../../kube/resource.ts";
import { bindMethods } from "../bind-methods.ts";
import type { InformerCache } from "../cache/cache.ts";
import { findCached } from "../cache/cached-reads.ts";
import type { IndexFunction } from "../cache/indexer.ts";
import type { Client } from "../client/client.ts";
import { ToldBefore } from "../told-before.ts";
import type { Dependent, External, ObjectDependent } from "./dependent.ts";
import {
  assertOwner,
  deleteAsSeen,
  type Deletable,
  inNamespace,
  isImmutableChange,
  isSameKind,
  nameOfKey,
} from "./dependent-objects.ts";
import type { ReconcileContext, Result } from "./reconciler.ts";
import {
  backwards,
  misused,
  walk,
  wantedGraph,
  type Outcome,
  type Wanted,
} from "./wanted-graph.ts";

/**
 * The annotation that names the creator of an object, a controller: no other one deletes it.
 *
 * @example
 * const madeBy = configMap.metadata.annotations?.[DEPENDENTS_ANNOTATION];
 */
export const DEPENDENTS_ANNOTATION = "tsop.dev/dependents";

/** The objects of a kind, or of one of several. */
type ObjectOf<Kind extends ReadToken> =
  Kind extends ReadToken<infer T extends KubeObject> ? T : never;

/** The options of dependents. */
export interface DependentsOptions<
  O extends KubeObject,
  Kinds extends readonly ReadToken[] = readonly ReadToken[],
> {
  /** All kinds that `desired` ever returns: they are watched, and searched for unwanted objects. */
  readonly kinds: Kinds;
  /** All external resources that `desired` ever returns. They require a `cleanup`. */
  readonly externals?: readonly External<O>[];
  /** The dependents that the owner wants now. Names must not be random. */
  readonly desired: (owner: O) => readonly Dependent[] | Promise<readonly Dependent[]>;
  /**
   * `"reverse"`: `cleanup` deletes the objects one by one, in reverse order; the reconciler must
   * have one. When absent the garbage collector deletes them, in no order.
   */
  readonly deletion?: "reverse";
}

/** The index of objects by the uid of their controller. */
export const CONTROLLER_INDEX = "tsop.dev/controller-uid";

/** The uid under which an object is in `CONTROLLER_INDEX`. */
export const controllerUids: IndexFunction<KubeObject> = (object) => {
  const uid = controllerOf(object)?.uid;
  return uid === undefined ? [] : [uid];
};

/** The progress of the dependents. */
export interface DependentsState<T extends KubeObject = KubeObject> {
  /** Whether all dependents exist and are ready. */
  readonly ready: boolean;
  /** The dependents that are not ready, in order: `Deployment d/web`. Their successors wait. */
  readonly waitingFor: readonly string[];
  /** The applied objects, as the server stored them, in order; a paused one as it is. */
  readonly objects: readonly T[];
  /** The objects that were deleted because they are no longer wanted. */
  readonly pruned: readonly string[];
}

/** The parts that dependents need; a controller's builder has them. */
export interface DependentsParts {
  readonly client: Client;
  /** The cache of all kinds of the dependents, with `CONTROLLER_INDEX`. */
  readonly cache: InformerCache;
  readonly clock: Clock;
  readonly log: Logger;
  /** The kind of the owners. */
  readonly owner: ResourceInfo;
  /** The value of `DEPENDENTS_ANNOTATION`. */
  readonly mark: () => string;
}

// The time after which an object that is being deleted is checked again, should its event be lost.
const LOOK_AGAIN_MS = 5000;

interface Made {
  readonly object?: KubeObject;
}

/**
 * Creates and deletes the dependents of a kind's objects. A controller's builder makes it, so that
 * the kinds are watched: `controllerFor(manager).for(Web).dependents({ kinds, desired })`.
 *
 * @example
 * const dependents = controllerFor(manager).for(Web).dependents({ kinds: [ConfigMap], desired: (web) => [configOf(web)] });
 * const { ready, waitingFor } = await dependents.reconcile(web, context.signal);
 */
export class Dependents<
  O extends KubeObject = KubeObject,
  Kinds extends readonly ReadToken[] = readonly ReadToken[],
> {
  readonly #parts: DependentsParts;
  readonly #options: DependentsOptions<O, Kinds>;
  readonly #told = new ToldBefore();

  constructor(parts: DependentsParts, options: DependentsOptions<O, Kinds>) {
    this.#parts = parts;
    this.#options = options;
    bindMethods(this, Dependents);
  }

  /**
   * Creates the dependents that `owner` wants, as far as their predecessors are ready, and deletes
   * those that it no longer wants. For an owner that is being deleted nothing is created: that is
   * for `cleanup`.
   *
   * @throws TsopError `dependents-misused` before anything is written: an owner of another kind, a
   *   dependent of a kind that is not among `kinds`, one that is named twice, or whose order is not
   *   that of a graph; `dependents-not-watched` while the cache does not have all of them;
   *   `already-owned`; StatusError, ConnectionError; the errors of externals
   */
  async reconcile(
    owner: O,
    signal?: AbortSignal,
  ): Promise<DependentsState<ObjectOf<Kinds[number]>>> {
    assertOwner(owner, this.#parts.owner);
    if (owner.metadata.deletionTimestamp !== undefined) {
      return { ready: false, waitingFor: ["the deletion of its owner"], objects: [], pruned: [] };
    }
    const graph = await this.#graphOf(owner);
    const outcomes = await walk(
      graph,
      ({ after }) => after,
      (node) => this.#make(owner, node, signal),
    );
    const made = outcomes.flatMap((one) => (one.is === "done" ? [one] : []));
    const waiting = unready(graph, outcomes);
    const pruned = await this.#prune(owner, graph, signal);
    const unwanted = await this.#removeUnwanted(owner, graph, signal);
    const waitingFor = [...waiting, ...unwanted];
    return {
      ready: waitingFor.length === 0,
      waitingFor,
      // All are of `kinds`, as checked before.
      objects: made.flatMap(({ result: { object } }) =>
        object ? [object as ObjectOf<Kinds[number]>] : [],
      ),
      pruned,
    };
  }

  /**
   * Removes what the garbage collector does not: external resources, and with `deletion: "reverse"`
   * the objects, in reverse order. The reconciler's `cleanup` returns its result, which asks for
   * another call until all is gone.
   *
   * @example
   * cleanup(web: Web, context: CleanupContext) {
   *   return dependents.cleanup(web, context);
   * }
   *
   * @throws TsopError, StatusError as `reconcile`; the errors of externals
   */
  async cleanup(
    owner: O,
    { signal, log }: Pick<ReconcileContext, "signal" | "log">,
  ): Promise<Result | undefined> {
    assertOwner(owner, this.#parts.owner);
    const graph = await this.#graphOf(owner);
    const there = await this.#mine(owner, graph);
    const unwanted = await this.#removeUnwanted(owner, graph, signal);
    const old = [...there.values()].filter(({ node }) => !node);
    for (const one of old) await deleteAsSeen(this.#parts.client, one, "Foreground", signal);
    const outcomes = await walk(graph, backwards(graph), async (node) => {
      const { dependent } = node;
      if (dependent.is === "external") {
        return { ready: await dependent.external.remove(owner, { signal }), result: undefined };
      }
      const found = there.get(node.name);
      if (found) await deleteAsSeen(this.#parts.client, found, "Foreground", signal);
      return { ready: !found, result: undefined };
    });
    const waitingFor = unready(graph, outcomes);
    const isGone = outcomes.every((one) => one.is === "done" && one.ready);
    if (isGone && unwanted.length === 0 && old.length === 0) return undefined;
    log.info({ waitingFor }, "dependents are being removed");
    return { requeueAfterMs: LOOK_AGAIN_MS };
  }

  async #make(
    owner: O,
    { dependent, name }: Wanted,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly ready: boolean; readonly result: Made }> {
    if (dependent.is === "external") {
      return { ready: await dependent.external.ensure(owner, { signal }), result: {} };
    }
    const { token, intent } = dependent;
    const known = this.#known(owner, dependent);
    // A paused object is left to the people who paused it.
    if (known && isPaused(known)) return this.#madeOf(dependent, known);
    const isOurs = known && controllerOf(known)?.uid === owner.metadata.uid;
    // An object that is being deleted is waited for: changes of it would be lost.
    if (isOurs && known.metadata.deletionTimestamp !== undefined) {
      return { ready: false, result: { object: known } };
    }
    const { annotations } = intent.metadata;
    const mark = { [DEPENDENTS_ANNOTATION]: this.#parts.mark() };
    const metadata = { ...intent.metadata, annotations: { ...annotations, ...mark } };
    try {
      const marked = { ...intent, metadata };
      const options = { owner, ...(signal ? { signal } : {}) };
      return this.#madeOf(dependent, await this.#parts.client.apply(token, marked, options));
    } catch (error) {
      const isRecreated = dependent.onImmutable === "recreate" && isImmutableChange(error);
      if (!isRecreated || !known || !isOurs) throw error;
      // With all its dependents, so that nothing of the old object runs beside the new one.
      await deleteAsSeen(this.#parts.client, { token, object: known, name }, "Foreground", signal);
      return { ready: false, result: {} };
    }
  }

  #madeOf(
    { isReady }: ObjectDependent,
    object: KubeObject,
  ): { readonly ready: boolean; readonly result: Made } {
    const isThere = object.metadata.deletionTimestamp === undefined;
    const ready = isReady
      ? isReady(object)
      : statusOf(object, this.#parts.clock.now()).status === "Current";
    return { ready: isThere && ready, result: { object } };
  }

  /** @throws TsopError `dependents-misused`, `dependents-not-watched` */
  async #graphOf(owner: O): Promise<Wanted[]> {
    const of = `${owner.kind} ${owner.metadata.name}`;
    const { kinds, externals = [] } = this.#options;
    const dependentNameOf = (dependent: Dependent): string => {
      if (dependent.is === "external") {
        const { external } = dependent;
        if (externals.includes(external)) return external.name;
        throw misused(
          `${external.name} is wanted by the ${of}, but is not among the externals`,
          "Add it to `externals` of dependents(): only the resources listed there are removed when they are no longer wanted.",
        );
      }
      const { token } = dependent;
      const name = nameOfKey(token, this.#keyOf(owner, dependent));
      if (kinds.some((kind) => isSameKind(kind, token))) return name;
      throw misused(
        `${name} is wanted by the ${of}, but ${resourceOf(token).kind} is not among the kinds`,
        "Add the kind to `kinds` of dependents(): only objects of these kinds are watched, and deleted when they are no longer wanted.",
      );
    };
    const graph = wantedGraph(await this.#options.desired(owner), dependentNameOf, of);
    this.#assertWatched(owner, graph);
    return graph;
  }

  /** Before all kinds are cached nothing is deleted, and applied objects might get lost. */
  #assertWatched(owner: O, graph: readonly Wanted[]): void {
    const { kinds } = this.#options;
    const { namespace } = owner.metadata;
    const places = [
      ...kinds.map((token) => ({ token, in: inNamespace(token, namespace).namespace })),
      ...graph.flatMap(({ dependent }) => {
        if (dependent.is === "external") return [];
        const { token } = dependent;
        const place = this.#keyOf(owner, dependent).namespace;
        return [{ token: kinds.find((kind) => isSameKind(kind, token)) ?? token, in: place }];
      }),
    ];
    for (const { token, in: place } of places) {
      const informers = this.#parts.cache.findInformers(token, place);
      if (informers?.every(({ indexer }) => indexer.hasIndex(CONTROLLER_INDEX))) continue;
      const names = groupResourceOf(resourceOf(token));
      throw new TsopError(
        "dependents-not-watched",
        `The ${names} that the ${owner.kind} ${owner.metadata.name} controls are not known: ${this.#parts.cache.whyNot(token, place)}.`,
        "Reconcile dependents in the reconciler of their controller, while the manager runs and watches their namespace.",
      );
    }
  }

  /** The last kind first: a dependent is deleted before its predecessors. */
  async #prune(owner: O, graph: readonly Wanted[], signal?: AbortSignal): Promise<string[]> {
    const wanted = new Set(graph.map(({ name }) => name));
    const pruned: string[] = [];
    for (const token of this.#options.kinds.toReversed()) {
      for (const object of await this.#controlled(owner, token)) {
        const name = nameOfKey(token, keyOf(object));
        if (wanted.has(name) || object.metadata.deletionTimestamp !== undefined) continue;
        if (isPaused(object) || !this.#isMarked(object, name)) continue;
        await deleteAsSeen(this.#parts.client, { token, object, name }, "Background", signal);
        pruned.push(name);
      }
    }
    return pruned;
  }

  /** Removes external resources that are no longer wanted; returns those that are not gone yet. */
  async #removeUnwanted(
    owner: O,
    graph: readonly Wanted[],
    signal: AbortSignal | undefined,
  ): Promise<string[]> {
    const { externals = [] } = this.#options;
    const wanted = new Set(graph.map(({ name }) => name));
    const left: string[] = [];
    for (const external of externals) {
      if (wanted.has(external.name)) continue;
      if (!(await external.remove(owner, { signal }))) left.push(`the removal of ${external.name}`);
    }
    return left;
  }

  /** The objects that `cleanup` is to delete, by name; with their node of the graph, if any. */
  async #mine(owner: O, graph: readonly Wanted[]): Promise<Map<string, Deletable>> {
    const there = new Map<string, Deletable>();
    if (this.#options.deletion !== "reverse") return there;
    const nodes = new Map(graph.map((node) => [node.name, node]));
    for (const token of this.#options.kinds) {
      for (const object of await this.#controlled(owner, token)) {
        const name = nameOfKey(token, keyOf(object));
        const node = nodes.get(name);
        if (!node && !this.#isMarked(object, name)) continue;
        there.set(name, { token, object, name, ...(node ? { node } : {}) });
      }
    }
    return there;
  }

  async #controlled(owner: O, token: ReadToken): Promise<KubeObject[]> {
    const { namespace, uid } = owner.metadata;
    // An owner reference of a cluster-scoped object cannot name a namespaced owner.
    if (namespace && !resourceOf(token).namespaced) return [];
    const index = { name: CONTROLLER_INDEX, value: uid };
    const objects = await this.#parts.client.list(token, { namespace, index });
    return objects.filter((object) => controllerOf(object)?.uid === uid);
  }

  /** Whether these dependents created it: another controller may own objects of the same owner. */
  #isMarked({ metadata }: KubeObject, name: string): boolean {
    const mark = metadata.annotations?.[DEPENDENTS_ANNOTATION];
    if (mark === undefined && this.#told.isFirst(name)) {
      const why = `${name} is not deleted: it has no annotation ${DEPENDENTS_ANNOTATION}, so dependents did not create it`;
      this.#parts.log.info({ name }, why);
    }
    return mark === this.#parts.mark();
  }

  #known(owner: O, dependent: ObjectDependent): KubeObject | undefined {
    const key = this.#keyOf(owner, dependent);
    const { token } = dependent;
    const kind = this.#options.kinds.find((one) => isSameKind(one, token)) ?? token;
    const { cache } = this.#parts;
    return findCached(cache.findInformers(kind, key.namespace) ?? [], key, cache.tap);
  }

  #keyOf(owner: O, { token, intent }: ObjectDependent): ObjectKey {
    const { name, namespace = owner.metadata.namespace } = intent.metadata;
    return { name, ...inNamespace(token, namespace) };
  }
}

/** The names of the dependents that were handled and are not ready. @throws the first failure */
function unready(graph: readonly Wanted[], outcomes: readonly Outcome<unknown>[]): string[] {
  const failed = outcomes.find((one) => one.is === "failed");
  if (failed) throw failed.error;
  return graph.flatMap(({ name }, index) => {
    const outcome = outcomes[index];
    return outcome?.is === "done" && !outcome.ready ? [name] : [];
  });
}
