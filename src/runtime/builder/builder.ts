/** Builds a controller: its own kind, the kinds that it owns, others that it watches. */
import type { KubeObject, ObjectKey } from "../../kube/object.ts";
import {
  groupResourceOf,
  resourceOf,
  type ReadToken,
  type ResourceInfo,
} from "../../kube/resource.ts";
import { informersOf, type InformerCache } from "../cache/cache.ts";
import { findCached } from "../cache/cached-reads.ts";
import type { EventDetails } from "../events/recorder.ts";
import type { Cluster } from "../manager/cluster.ts";
import { insideOf, type UnfinishedController } from "../manager/inside.ts";
import type { Manager } from "../manager/manager.ts";
import type { ControllerMetrics } from "../metrics/metrics.ts";
import { Controller } from "../controller/controller.ts";
import type { ControllerOptions } from "../controller/controller-parts.ts";
import {
  CONTROLLER_INDEX,
  controllerUids,
  Dependents,
  type DependentsOptions,
} from "../controller/dependents.ts";
import {
  enqueueObject,
  enqueueOwner,
  handlerOf,
  type EventHandler,
  type WatchOptions,
  type WatchReaction,
} from "../controller/sources/handlers.ts";
import { assertHooks, finalizerOf, misbuilt, type MainKind } from "./hooks.ts";
import { Lifecycle } from "../controller/lifecycle.ts";
import { withoutLosing, type Predicate } from "../controller/sources/predicates.ts";
import type { Reconciler } from "../controller/reconciler.ts";
import { kindSource, type Source } from "../controller/sources/sources.ts";

/** The options for a kind of owned objects. */
export interface OwnsOptions<T extends KubeObject> extends WatchOptions<T> {
  /** Enqueues every owner of the kind, not only the controller. */
  readonly everyOwner?: boolean;
}

/** The cluster in which a kind is watched. */
export interface WatchPlace {
  /** Another cluster than the manager's: the result of `createCluster(...)`. */
  readonly cluster?: Cluster;
}

/** A watched kind, once the global filters are known. */
type PlannedSource = (plan: SourcePlan) => Source;

/** The settings that all sources of a controller share. */
interface SourcePlan {
  readonly filters: readonly Predicate[];
  readonly finalizer: string | undefined;
}

// The default time for a cleanup before it counts as overdue, in milliseconds.
const CLEANUP_MS = 600_000;

/**
 * A controller under construction, for the kind of `K` once `for()` was called.
 *
 * @example
 * controllerFor(manager)
 *   .for(Web)
 *   .owns(Deployment)
 *   .withOptions({ maxConcurrentReconciles: 4 })
 *   .complete(new WebReconciler(manager.client));
 */
export class ControllerBuilder<K extends KubeObject = KubeObject> {
  readonly #manager: Manager;
  readonly #sources: PlannedSource[] = [];
  readonly #filters: Predicate[] = [];
  readonly #dependents = new Set<string>();
  #main: MainKind | undefined;
  #name: string | undefined;
  #options: ControllerOptions = {};
  #needsCleanup = false;
  readonly #unfinished: UnfinishedController;

  constructor(manager: Manager) {
    this.#manager = manager;
    const begun = (): string => this.#begun;
    this.#unfinished = {
      get begun() {
        return begun();
      },
    };
    insideOf(manager).unfinished.add(this.#unfinished);
  }

  /**
   * Sets the reconciled kind: the reconciler is called with the key of each of its objects that
   * changes.
   *
   * @throws TsopError `controller-misbuilt` the second time
   */
  for<T extends KubeObject>(
    token: ReadToken<T>,
    options: WatchOptions<T> = {},
  ): ControllerBuilder<T> {
    const resource = resourceOf(token);
    if (this.#main) {
      throw misbuilt(
        `for() was called twice: for ${this.#main.resource.kind} and ${resource.kind}`,
        "Make one controller for each kind, or use watches() for the second.",
      );
    }
    const isOwn = typeof token === "function" && !resource.external;
    this.#main = { token, resource, isOwn };
    const { predicates = [] } = options;
    this.#makeKnown(token, options);
    this.#sources.push(({ filters, finalizer }) =>
      kindSource({ cache: this.#informers, clock: this.#manager.clock }, token, enqueueObject, [
        withoutLosing([...filters, ...predicates], finalizer),
      ]),
    );
    return this.#about<T>();
  }

  /**
   * Watches a kind whose objects the reconciler creates: a change of one enqueues its owner.
   *
   * @throws TsopError `controller-misbuilt` before `for()`
   */
  owns<T extends KubeObject>(token: ReadToken<T>, options: OwnsOptions<T> = {}): this {
    if (!this.#main) {
      throw misbuilt(
        `owns(${resourceOf(token).kind}) was called before for()`,
        "Call for() first: it names the kind of the owner.",
      );
    }
    return this.#watch(token, enqueueOwner(this.#main.resource, options.everyOwner), options);
  }

  /**
   * Declares the dependents of the objects, for the reconciler to create and delete; each of the
   * kinds is owned and watched.
   *
   * @example
   * const builder = controllerFor(manager).for(MyWeb);
   * const dependents = builder.dependents({ kinds: [ConfigMap], desired: (web) => [...] });
   * builder.complete(new MyWebReconciler(manager.client, dependents));
   *
   * @throws TsopError `controller-misbuilt` before `for()`; when a kind is among other dependents of this controller
   */
  dependents<const Kinds extends readonly ReadToken[]>(
    options: DependentsOptions<K, Kinds>,
  ): Dependents<K, Kinds> {
    const indexes = { [CONTROLLER_INDEX]: controllerUids };
    const { client, clock, log } = this.#manager;
    const cache = this.#informers;
    for (const token of options.kinds) {
      const { kind } = resourceOf(token);
      const name = groupResourceOf(resourceOf(token));
      if (this.#dependents.has(name)) {
        throw misbuilt(
          `two dependents() of one controller have the kind ${kind}`,
          "Merge them, because each would delete the objects of the other.",
        );
      }
      this.#dependents.add(name);
      this.owns(token, { indexes });
    }
    this.#needsCleanup ||= (options.externals?.length ?? 0) > 0 || options.deletion !== undefined;
    if (this.#main) {
      const owner = this.#main.resource;
      const mark = (): string => `${this.#manager.name}/${this.#name ?? owner.kind.toLowerCase()}`;
      return new Dependents({ client, cache, clock, log, owner, mark }, options);
    }
    throw misbuilt(
      "dependents() was called before for()",
      "Call for() first: it names the kind of the owner.",
    );
  }

  /**
   * Watches another kind: `map` returns the keys that a change of an object concerns; `handler`
   * gets the whole event.
   *
   * @example
   * builder.watches(Secret, { map: ({ metadata }) => [{ namespace: metadata.namespace, name: "web" }] });
   */
  watches<T extends KubeObject>(
    token: ReadToken<T>,
    options: WatchReaction<T> & WatchOptions<T> & WatchPlace,
  ): this {
    return this.#watch(token, handlerOf(options), options);
  }

  /** Adds a source of keys. The filters of `withEventFilter` do not see them. */
  watchesSource(source: Source): this {
    this.#sources.push(() => source);
    return this;
  }

  /** Sets the name in logs and metrics; the kind in lower case when absent. */
  named(name: string): this {
    this.#name = name;
    return this;
  }

  /** Filters the events of all kinds. */
  withEventFilter(predicate: Predicate): this {
    this.#filters.push(predicate);
    return this;
  }

  /** Sets the options of the controller; of an option that is given twice, the later one counts. */
  withOptions(options: ControllerOptions): this {
    this.#options = { ...this.#options, ...options };
    return this;
  }

  /**
   * Builds the controller and adds it to the manager, which starts it.
   *
   * @throws TsopError `controller-misbuilt` when it watches nothing or has no name, or its cleanup has no valid finalizer;
   *   `controller-exists`
   */
  complete(reconciler: Reconciler<K>): Controller {
    const main = this.#main;
    const name = this.#name ?? main?.resource.kind.toLowerCase();
    if (this.#sources.length === 0) {
      throw misbuilt("it watches nothing", "Call for(), watches() or watchesSource().");
    }
    if (name === undefined) throw misbuilt("it has no name", "Call for(), or named().");
    assertHooks(reconciler, main);
    if (this.#needsCleanup && !reconciler.cleanup) {
      throw misbuilt(
        "its dependents are removed by cleanup(), which its reconciler does not have",
        "Give it one that calls dependents.cleanup(owner, context).",
      );
    }
    const finalizer = main && finalizerOf(reconciler, main, { name, ...this.#options });
    const { clock, log } = this.#manager;
    const { metrics, scopes, shards, observer, unfinished } = insideOf(this.#manager);
    const counted = metrics.controller(name, this.#options.maxConcurrentReconciles ?? 1);
    const lifecycle = main && this.#lifecycle(reconciler, { main, name, finalizer, counted });
    const controller = new Controller({
      name,
      reconciler: lifecycle ?? reconciler,
      sources: this.#sources.map((planned) => planned({ filters: this.#filters, finalizer })),
      sourceOf: (token, watch) => {
        this.#makeKnown(token, watch);
        const { predicates = [] } = watch;
        const filters = [...this.#filters, ...predicates];
        return kindSource({ cache: this.#informers, clock }, token, handlerOf(watch), filters);
      },
      clock,
      log,
      scopes,
      observer,
      metrics: counted,
      options: this.#options,
      ...(shards ? { gate: shards } : {}),
      ...(main
        ? {
            kind: main.resource.kind,
            resource: groupResourceOf(main.resource),
            tell: this.#teller(name, main.resource),
          }
        : {}),
      ...(lifecycle && reconciler.onError ? { onError: lifecycle.failed.bind(lifecycle) } : {}),
    });
    this.#manager.add(controller);
    unfinished.delete(this.#unfinished);
    return controller;
  }

  /** The lifecycle around the reconciler: finalizer, pause and error hook. */
  #lifecycle(
    reconciler: Reconciler<K>,
    parts: {
      readonly main: MainKind;
      readonly name: string;
      readonly finalizer: string | undefined;
      readonly counted: ControllerMetrics;
    },
  ): Lifecycle<K> {
    const { main, name, finalizer, counted } = parts;
    const { client } = this.#manager;
    const recorder = this.#manager.recorder(name);
    return new Lifecycle({
      client,
      cache: this.#informers,
      // The token of `for`, whose objects are `K`s.
      token: main.token as ReadToken<K>,
      reconciler,
      finalizer,
      cleanupTimeoutMs: this.#options.cleanupTimeoutMs ?? CLEANUP_MS,
      ownsStatus: main.isOwn,
      tell: (object, details) => {
        recorder.event(object, details);
      },
      overdue: () => {
        counted.cleanupOverdue();
      },
      panicked: () => {
        counted.panicked();
      },
    });
  }

  get #informers(): InformerCache {
    return informersOf(this.#manager.cache);
  }

  /** The controller under construction, in its author's words. */
  get #begun(): string {
    if (this.#name !== undefined) return `named("${this.#name}")`;
    return this.#main ? `for(${this.#main.resource.kind})` : "without a kind and a name";
  }

  /** The same builder, typed by this kind. */
  #about<T extends KubeObject>(): ControllerBuilder<T> {
    return this as object as ControllerBuilder<T>;
  }

  #teller(name: string, kind: ResourceInfo): (key: ObjectKey, details: EventDetails) => void {
    const cache = this.#informers;
    const recorder = this.#manager.recorder(name);
    return (key, details) => {
      const object = findCached(cache.findInformers(kind, key.namespace) ?? [], key);
      if (object) recorder.event(object, details);
    };
  }

  #watch<T extends KubeObject>(
    token: ReadToken<T>,
    handler: EventHandler<T>,
    options: WatchOptions<T> & WatchPlace,
  ): this {
    const { predicates = [], cluster } = options;
    this.#makeKnown(token, options);
    const { clock } = this.#manager;
    const cache = informersOf((cluster ?? this.#manager).cache);
    this.#sources.push(({ filters }) =>
      kindSource({ cache, clock }, token, handler, [...filters, ...predicates]),
    );
    return this;
  }

  /** Registers a kind with the cache, so that reads of it come from there from the start. */
  #makeKnown<T extends KubeObject>(
    token: ReadToken<T>,
    { indexes = {}, cluster }: WatchOptions<T> & WatchPlace,
  ): void {
    const cache = informersOf((cluster ?? this.#manager).cache);
    cache.informersFor(token);
    for (const [name, values] of Object.entries(indexes)) cache.addIndex(token, name, values);
  }
}

/**
 * Begins a controller: `controllerFor(manager).for(MyWeb).owns(Deployment).complete(reconciler)`.
 *
 * @example
 * controllerFor(manager)
 *   .for(Web, { predicates: [predicates.generationChanged()] })
 *   .owns(ConfigMap)
 *   .complete(new WebReconciler(manager.client));
 */
export function controllerFor(manager: Manager): ControllerBuilder {
  return new ControllerBuilder(manager);
}
