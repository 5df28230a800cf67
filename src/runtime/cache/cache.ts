/** The informers of a process, one for each watched kind, and reads from them. */
import { untilAborted, type Clock } from "../../clock.ts";
import { messageOf, TsopError } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import { copyJson } from "../../kube/json.ts";
import { WATCH_VERBS } from "../../kube/needed-rights.ts";
import { formatKey, keyOf, type KubeObject, type ObjectKey } from "../../kube/object.ts";
import {
  apiVersionOf,
  groupResourceOf,
  resourceOf,
  type ResourceInfo,
  type ReadToken,
} from "../../kube/resource.ts";
import { matchesLabels, parseLabelSelector } from "../../kube/selectors/selector.ts";
import { metadataPart } from "../rest/metadata-only.ts";
import type { RestClient } from "../rest/rest-client.ts";
import type { ManagedFieldsListener } from "../rest/json/managed-fields.ts";
import { rightsAdvice } from "../rest/rights-advice.ts";
import type { ReconcileTap } from "../rest/reconcile-tap.ts";
import { bindMethods } from "../bind-methods.ts";
import { deferred } from "../deferred.ts";
import { AnsweredWrites } from "./answered-writes.ts";
import type { Cache, InformerHealth, InformerStats } from "./cache-view.ts";
import { ConnectBudget } from "./connect-budget.ts";
import type { IndexFunction } from "./indexer.ts";
import { kindCaches, type KindCache, type UnwatchedReads } from "./kind-cache.ts";
import { KindInformers } from "./kind-informers.ts";
import { restListerWatcher } from "./lister-watcher.ts";
import { isPartial } from "../rest/partial-objects.ts";
import { SharedInformer } from "./shared-informer.ts";
import { Transform } from "./transform.ts";
import { present } from "../../present.ts";

/** The options of a cache: namespaces, kinds and how they are watched. */
export interface CacheOptions {
  /** The only namespaces to watch; all of them when absent. */
  readonly namespaces?: readonly string[];
  /** The options of single kinds: `[cacheOf(Secret, { labels: { app: "web" } })]`. */
  readonly kinds?: readonly KindCache[];
  /** How reads of a kind or namespace that is not watched are answered; `live` when absent. */
  readonly reads?: UnwatchedReads;
  /** How often handlers get all objects again, in milliseconds; never when absent. */
  readonly resyncMs?: number;
  /** False: lists with LIST, as servers before Kubernetes 1.32 want it; true when absent. */
  readonly watchList?: boolean;
}

/** The informers behind the `Cache` that users see. */
export function informersOf(cache: Cache): InformerCache {
  if (cache instanceof InformerCache) return cache;
  throw new TsopError(
    "controller-misbuilt",
    "Cannot build the controller: its cache was not created by createManager() or createCluster() of this tsop.",
    "Pass the manager or the cluster itself. If node_modules has two copies of tsop (npm ls tsop), keep one.",
  );
}

export class InformerCache implements Cache {
  readonly #rest: RestClient;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #options: CacheOptions;
  readonly #tapOf: () => ReconcileTap | undefined;
  readonly #kinds = new Map<string, KindInformers>();
  // The informers found for a token; made anew when a kind is added.
  #found = new WeakMap<ReadToken, KindInformers>();
  readonly #labelSelectors: Map<string, string>;
  readonly #kindCaches: ReadonlyMap<string, KindCache>;
  readonly #transforms = new Map<string, Transform>();
  readonly #budget: ConnectBudget;
  /** The answers to the writes of the clients that read from this cache. */
  readonly answers = new AnsweredWrites();
  readonly #started = deferred<AbortSignal>();
  #namespaces: readonly string[] | undefined;
  #signal: AbortSignal | undefined;

  /** @param tapOf - the tap of the calling reconcile, where reconciles are recorded or replayed */
  constructor(
    rest: RestClient,
    clock: Clock,
    log: Logger,
    options: CacheOptions = {},
    tapOf: () => ReconcileTap | undefined = () => undefined,
  ) {
    this.#tapOf = tapOf;
    this.#rest = rest;
    this.#clock = clock;
    this.#log = log;
    this.#options = options;
    this.#budget = new ConnectBudget(clock);
    this.#namespaces = options.namespaces;
    this.#kindCaches = kindCaches(options.kinds ?? [], idOf);
    this.#labelSelectors = new Map();
    for (const [id, { resource, labelSelector, transform }] of this.#kindCaches) {
      if (labelSelector !== undefined) {
        this.#labelSelectors.set(groupResourceOf(resource), labelSelector);
      }
      const kindLog = log.child({ resource: groupResourceOf(resource) });
      if (transform) this.#transforms.set(id, new Transform(transform, kindLog));
    }
    bindMethods(this, InformerCache);
  }

  /** The tap between the calling reconcile and the cache. */
  get tap(): ReconcileTap | undefined {
    return this.#tapOf();
  }

  /** Starts all informers, and those that are asked for later; resolves when they have ended. */
  async start(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    for (const kind of this.#kinds.values()) kind.start(signal);
    this.#started.resolve(signal);
    await untilAborted(signal);
    await Promise.all([...this.#kinds.values()].map((kind) => kind.ended()));
  }

  setNamespaces(namespaces: readonly string[] | undefined): void {
    this.#namespaces = namespaces;
    for (const kind of this.#kinds.values()) kind.setNamespaces(this.#namespacesOf(kind.resource));
  }

  setLabelSelector(token: ReadToken, selector: string | undefined): void {
    const name = groupResourceOf(resourceOf(token));
    if (selector === undefined) this.#labelSelectors.delete(name);
    else {
      parseLabelSelector(selector);
      this.#labelSelectors.set(name, selector);
    }
    for (const { resource, informers } of this.#kinds.values()) {
      if (groupResourceOf(resource) !== name) continue;
      for (const informer of informers.values()) informer.relist();
    }
  }

  remove(token: ReadToken): void {
    const resource = resourceOf(token);
    const kind = this.#kinds.get(idOf(resource));
    if (!kind) return;
    if (kind.isHeard) {
      throw new TsopError(
        "cache-in-use",
        `The informers of ${groupResourceOf(resource)} cannot be removed: they still have event handlers.`,
        "Remove the watch first: call remove() of the watch that controller.watch(...) returned.",
      );
    }
    this.#kinds.delete(idOf(resource));
    this.#found = new WeakMap();
    kind.setNamespaces([]);
  }

  /** How reads of the kind are answered where it is not watched. */
  readsOf(token: ReadToken): UnwatchedReads {
    const own = this.#kindCaches.get(idOf(resourceOf(token)))?.reads;
    return own ?? this.#options.reads ?? "live";
  }

  async synced(): Promise<void> {
    await this.#started.promise;
    await Promise.all(this.informers().map((informer) => informer.synced));
  }

  /** The informers of a kind, made when they are first asked for. */
  informersFor<T extends KubeObject>(token: ReadToken<T>): KindInformers<T> {
    const resource = resourceOf(token);
    let kind = this.#findKind(resource);
    if (!kind) {
      kind = this.#create(resource);
      this.#kinds.set(idOf(resource), kind);
      this.#found = new WeakMap();
      if (this.#signal) kind.start(this.#signal);
    }
    // The key of the map is the token of the kind, so the informers hold `T`s.
    return kind as unknown as KindInformers<T>;
  }

  /** The running informers that hold the kind in that namespace, if there are any. */
  findInformers<T extends KubeObject>(
    token: ReadToken<T>,
    namespace?: string,
  ): readonly SharedInformer<T>[] | undefined {
    if (!this.#signal) return undefined;
    const known = this.#found.get(token) ?? this.#findKind(resourceOf(token));
    if (!known) return undefined;
    this.#found.set(token, known);
    const kind = known as unknown as KindInformers<T>;
    if (!namespace) return [...kind.informers.values()];
    const informer = kind.informers.get("") ?? kind.informers.get(namespace);
    return informer && [informer];
  }

  /** The reason why no informers hold the kind in that namespace, for an error message. */
  whyNot(token: ReadToken, namespace?: string): string {
    const resource = resourceOf(token);
    if (!this.#signal) return "the manager has not started, so nothing is cached yet";
    if (!this.#findKind(resource)) return `no controller watches ${resource.kind}`;
    return `namespace ${namespace ?? ""} is not watched`;
  }

  /** Stores the answer to a write of this process: reads see it before the watch brings it. */
  noteWritten(object: KubeObject): void {
    const { namespace = "", labels = {}, managedFields } = object.metadata;
    this.answers.see(object, object, () => managedFields);
    for (const { resource, informers } of this.#kinds.values()) {
      if (resource.kind !== object.kind || apiVersionOf(resource) !== object.apiVersion) continue;
      const selector = this.#labelSelectors.get(groupResourceOf(resource));
      if (selector !== undefined && !matchesLabels(parseLabelSelector(selector), labels)) return;
      const kept = resource.metadataOnly ? metadataPart(object) : object;
      const informer = informers.get("") ?? informers.get(namespace);
      const { fieldSelector } = this.#kindCaches.get(idOf(resource)) ?? {};
      // A field selector can be evaluated by the server only; an object that is already here was
      // selected by it.
      const isUnknown = informer?.indexer.get(formatKey(keyOf(object))) === undefined;
      if (fieldSelector !== undefined && isUnknown) return;
      const transform = this.#transforms.get(idOf(resource));
      informer?.noteWritten(transform ? transform.keep(copyJson(kept)) : kept);
    }
  }

  /** The object as it is in the cache, if its kind is watched there. */
  findObject<T extends KubeObject>(object: T): T | undefined {
    const key = keyOf(object);
    for (const { resource, informers } of this.#kinds.values()) {
      if (resource.kind !== object.kind || apiVersionOf(resource) !== object.apiVersion) continue;
      if (resource.metadataOnly) continue;
      const informer = informers.get("") ?? informers.get(key.namespace ?? "");
      // The kind is the same, and so is the type.
      const read = (): T | undefined => informer?.indexer.get(formatKey(key)) as T | undefined;
      return this.tap ? this.tap.find(resource, key, read) : read();
    }
    return undefined;
  }

  /** The whole object of a name, such as `deployments.apps` `default/web`, if its kind is watched there. */
  findByName(groupResource: string, key: ObjectKey): KubeObject | undefined {
    for (const { resource, informers } of this.#kinds.values()) {
      if (resource.metadataOnly || groupResourceOf(resource) !== groupResource) continue;
      const informer = informers.get("") ?? informers.get(key.namespace ?? "");
      const object = informer?.indexer.get(formatKey(key));
      if (object && !isPartial(object)) return object;
    }
    return undefined;
  }

  /** The kind of an object, if it is watched there. */
  resourceOfKind({ kind, apiVersion }: KubeObject): ResourceInfo | undefined {
    for (const { resource } of this.#kinds.values()) {
      if (resource.kind === kind && apiVersionOf(resource) === apiVersion) return resource;
    }
    return undefined;
  }

  /** Removes an object that this process deleted. */
  noteDeleted(resource: ResourceInfo, key: ObjectKey, uid: string): void {
    for (const metadataOnly of [false, true]) {
      const informers = this.#kinds.get(idOf(resource, metadataOnly))?.informers;
      (informers?.get("") ?? informers?.get(key.namespace ?? ""))?.noteDeleted(key, uid);
    }
  }

  addIndex<T extends KubeObject>(
    token: ReadToken<T>,
    name: string,
    values: IndexFunction<T>,
  ): void {
    this.informersFor(token).addIndex(name, values);
  }

  /** The kinds and namespaces that the informers read, to check the permissions. */
  planned(): {
    readonly resource: ResourceInfo;
    readonly namespace?: string;
    verbs: readonly string[];
  }[] {
    return [...this.#kinds.values()].flatMap(({ resource, informers }) =>
      [...informers.keys()].map((namespace) => ({
        resource,
        ...(namespace === "" ? {} : { namespace }),
        verbs: WATCH_VERBS,
      })),
    );
  }

  /** All informers that there are now. */
  informers(): SharedInformer[] {
    return [...this.#kinds.values()].flatMap(({ informers }) => [...informers.values()]);
  }

  health(): InformerHealth[] {
    return [...this.#kinds.values()].flatMap(({ resource, informers }) =>
      [...informers].map(([namespace, informer]) => ({
        resource: informerNameOf(resource, namespace),
        state: informer.state,
        synced: informer.hasSynced,
        objects: informer.indexer.size,
        counts: informer.counts,
        ...(informer.lastError === undefined
          ? {}
          : { problem: problemOf(informer.lastError, resource) }),
      })),
    );
  }

  stats(): InformerStats[] {
    return [...this.#kinds.values()].flatMap(({ resource, informers }) =>
      [...informers].map(([namespace, { indexer, lastSyncResourceVersion }]) => ({
        resource: informerNameOf(resource, namespace),
        objects: indexer.size,
        sizeBytes: indexer.sizeBytes,
        resourceVersion: lastSyncResourceVersion,
      })),
    );
  }

  /** An informer of whole objects also serves reads of metadata only. */
  #findKind(resource: ResourceInfo): KindInformers | undefined {
    const whole = this.#kinds.get(idOf(resource, false));
    return whole ?? (resource.metadataOnly ? this.#kinds.get(idOf(resource)) : undefined);
  }

  #create(resource: ResourceInfo): KindInformers {
    return new KindInformers(resource, this.#namespacesOf(resource), (namespace) =>
      this.#informer(resource, namespace),
    );
  }

  #namespacesOf(resource: ResourceInfo): readonly string[] {
    if (!resource.namespaced) return [""];
    return this.#kindCaches.get(idOf(resource))?.namespaces ?? this.#namespaces ?? [""];
  }

  /** Metadata alone does not show whether an object is as answered. */
  #seenOf(resource: ResourceInfo): ManagedFieldsListener | undefined {
    if (resource.metadataOnly) return undefined;
    const kind = { apiVersion: apiVersionOf(resource), kind: resource.kind };
    return (object, managedFields) => {
      this.answers.see(kind, object, managedFields);
    };
  }

  #informer(resource: ResourceInfo, namespace: string): SharedInformer {
    const { resyncMs, watchList } = this.#options;
    const selectors = this.#labelSelectors;
    const log = this.#log.child({ resource: groupResourceOf(resource) });
    let told: string | undefined;
    const { fieldSelector } = this.#kindCaches.get(idOf(resource)) ?? {};
    const transform = this.#transforms.get(idOf(resource));
    const scope = {
      ...(namespace === "" ? {} : { namespace }),
      ...present({ fieldSelector }),
      get labelSelector() {
        return selectors.get(groupResourceOf(resource));
      },
    };
    const whole = restListerWatcher(this.#rest, resource, scope, this.#seenOf(resource));
    const listerWatcher = transform ? transform.of(whole) : whole;
    return new SharedInformer({
      listerWatcher: this.#budget.spread(listerWatcher),
      clock: this.#clock,
      log,
      ...present({ resyncMs, watchList }),
      onError: (error) => {
        const problem = problemOf(error, resource);
        // An outage of an hour is one line at `error`, not a hundred.
        if (problem === told) log.debug({ err: error }, problem);
        else log.error({ err: error }, problem);
        told = problem;
      },
      onRecovery: () => {
        told = undefined;
        log.info(`watching ${groupResourceOf(resource)} again`);
      },
    });
  }
}

/** The problem and its remedy, in one message. */
function problemOf(error: unknown, resource: ResourceInfo): string {
  const advice =
    rightsAdvice(error, resource, WATCH_VERBS) ??
    (error instanceof TsopError ? error.fix : undefined);
  const why = messageOf(error).replace(/\.$/, "");
  const what = `cannot watch ${groupResourceOf(resource)}: ${why}`;
  return advice === undefined ? what : `${what}. ${advice}`;
}

function informerNameOf(resource: ResourceInfo, namespace: string): string {
  return groupResourceOf(resource) + (namespace === "" ? "" : ` in ${namespace}`);
}

function idOf(resource: ResourceInfo, metadataOnly = resource.metadataOnly ?? false): string {
  const id = `${groupResourceOf(resource)}/${resource.version}`;
  return metadataOnly ? `${id} metadata` : id;
}
