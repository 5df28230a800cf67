/**
 * The informers of one kind: one for all namespaces, or one for each that is watched, which may change while they run.
 */
import { manyListeners } from "../../clock.ts";
import type { KubeObject } from "../../kube/object.ts";
import type { ResourceInfo } from "../../kube/resource.ts";
import type { ResourceEventHandler } from "./handler-queue.ts";
import type { IndexFunction } from "./indexer.ts";
import type { Registration } from "./informer-options.ts";
import type { SharedInformer } from "./shared-informer.ts";

/** A handler of a kind's changes, in all watched namespaces. */
export interface KindHandler<T extends KubeObject> {
  readonly handlerFor: (informer: SharedInformer<T>) => ResourceEventHandler<T>;
  /**
   * Called when a namespace is no longer watched; its objects still exist, but no more events of
   * them arrive.
   */
  readonly onLeave?: (namespace: string) => void;
}

interface Member<T extends KubeObject> {
  readonly informer: SharedInformer<T>;
  readonly stop: AbortController;
  readonly registrations: Map<KindHandler<T>, Registration>;
}

/** Informers by namespace; the empty key is the informer of all namespaces. */
export class KindInformers<T extends KubeObject = KubeObject> {
  readonly resource: ResourceInfo;
  readonly #informers = new Map<string, SharedInformer<T>>();
  readonly #members = new Map<string, Member<T>>();
  readonly #make: (namespace: string) => SharedInformer<T>;
  readonly #handlers = new Set<KindHandler<T>>();
  readonly #indexes = new Map<string, IndexFunction<T>>();
  readonly #running = new Set<Promise<void>>();
  #signal: AbortSignal | undefined;

  constructor(
    resource: ResourceInfo,
    namespaces: readonly string[],
    make: (namespace: string) => SharedInformer<T>,
  ) {
    this.resource = resource;
    this.#make = make;
    this.setNamespaces(namespaces);
  }

  /** The present informers, as a live view. */
  get informers(): ReadonlyMap<string, SharedInformer<T>> {
    return this.#informers;
  }

  /** Whether a handler is registered. */
  get isHeard(): boolean {
    return this.#handlers.size > 0;
  }

  /**
   * Starts the present informers and later ones; each ends with `signal`, or when its namespace is
   * dropped.
   */
  start(signal: AbortSignal): void {
    this.#signal = signal;
    for (const member of this.#members.values()) this.#run(member, signal);
  }

  /** Resolves when the informers that run now have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#running);
  }

  /** Watches these namespaces from now on, and no others. */
  setNamespaces(namespaces: readonly string[]): void {
    const wanted = new Set(namespaces);
    for (const namespace of [...this.#informers.keys()]) {
      if (!wanted.has(namespace)) this.#leave(namespace);
    }
    for (const namespace of wanted) {
      if (!this.#informers.has(namespace)) this.#enter(namespace);
    }
  }

  /** Adds an index to all of them. @throws TsopError `index-exists` */
  addIndex(name: string, values: IndexFunction<T>): void {
    for (const { indexer } of this.#informers.values()) indexer.addIndex(name, values);
    this.#indexes.set(name, values);
  }

  /** Adds a handler to all informers, also later ones. `synced` covers the present ones. */
  addHandler(handler: KindHandler<T>): Pick<Registration, "synced" | "remove"> {
    this.#handlers.add(handler);
    const synced = [...this.#members.values()].map(
      (member) => this.#register(member, handler).synced,
    );
    return {
      synced: Promise.all(synced).then(() => undefined),
      remove: () => {
        this.#handlers.delete(handler);
        for (const member of this.#members.values()) {
          member.registrations.get(handler)?.remove();
          member.registrations.delete(handler);
        }
      },
    };
  }

  #enter(namespace: string): void {
    const informer = this.#make(namespace);
    for (const [name, values] of this.#indexes) informer.indexer.addIndex(name, values);
    const member = {
      informer,
      stop: manyListeners(new AbortController()),
      registrations: new Map(),
    };
    this.#informers.set(namespace, informer);
    this.#members.set(namespace, member);
    for (const handler of this.#handlers) this.#register(member, handler);
    if (this.#signal) this.#run(member, this.#signal);
  }

  #leave(namespace: string): void {
    const member = this.#members.get(namespace);
    this.#informers.delete(namespace);
    this.#members.delete(namespace);
    for (const registration of member?.registrations.values() ?? []) registration.remove();
    member?.stop.abort(new Error("the namespace is no longer watched"));
    for (const { onLeave } of this.#handlers) onLeave?.(namespace);
  }

  #register({ informer, registrations }: Member<T>, handler: KindHandler<T>): Registration {
    const registration = informer.addHandler(handler.handlerFor(informer));
    registrations.set(handler, registration);
    return registration;
  }

  #run({ informer, stop }: Member<T>, signal: AbortSignal): void {
    const follow = (): void => {
      stop.abort(signal.reason);
    };
    if (signal.aborted) follow();
    signal.addEventListener("abort", follow, { once: true, signal: stop.signal });
    const run = informer.start(stop.signal).finally(() => this.#running.delete(run));
    this.#running.add(run);
  }
}
