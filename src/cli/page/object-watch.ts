/** The objects of a project and their events, followed by watches. */
import type { Clock } from "../../clock.ts";
import { Event } from "../../generated/k8s/core-v1.ts";
import { silentLogger } from "../../log.ts";
import type { KubeObject } from "../../kube/object.ts";
import { groupResourceOf, type ResourceInfo } from "../../kube/resource.ts";
import { InformerCache } from "../../runtime/cache/cache.ts";
import { LiveClient, writeDefaults } from "../../runtime/client/live-client.ts";
import { RestClient } from "../../runtime/rest/rest-client.ts";
import type { Transport } from "../../runtime/transport/transport.ts";
import { OwnedObjects } from "./owned-objects.ts";
import type { PageEvent } from "./protocol.ts";
import type { GrantedRight } from "./rights-table.ts";
import { watchedKinds, type GroupKind } from "./watched-kinds.ts";

export interface WatchScope {
  /** The project's kinds. */
  readonly roots: readonly GroupKind[];
  readonly granted: readonly Pick<GrantedRight, "group" | "resource">[];
}

/** Watches one cluster until it is told to stop. */
export class ObjectWatch {
  readonly objects = new OwnedObjects();
  readonly #clock: Clock;
  readonly #transport: Transport;
  readonly #rest: RestClient;
  readonly #cache: InformerCache;
  readonly #changed: () => void;
  readonly #stop = new AbortController();
  readonly #watched = new Set<string>();
  readonly #events = new Map<string, Event>();
  #freshEvents = new Set<string>();
  readonly #running: Promise<void>;
  readonly #firstLists: Promise<unknown>[] = [];

  /** @param changed - told when something is another than before; often */
  constructor(transport: Transport, clock: Clock, changed: () => void) {
    this.#clock = clock;
    this.#transport = transport;
    this.#changed = changed;
    this.#rest = new RestClient(transport, clock);
    this.#cache = new InformerCache(this.#rest, clock, silentLogger);
    this.#running = this.#cache.start(this.#stop.signal);
    this.#follow(
      Event,
      (event: Event) => {
        this.#events.set(event.metadata.uid, event);
        this.#freshEvents.add(event.metadata.uid);
      },
      (event: Event) => this.#events.delete(event.metadata.uid),
    );
  }

  /**
   * Watches the kinds of the scope beside those that are watched already.
   *
   * @throws StatusError, ConnectionError when the API server does not say what it serves
   */
  async extend({ roots, granted }: WatchScope): Promise<void> {
    const client = new LiveClient(this.#rest, writeDefaults("tsop", {}));
    const kinds = await watchedKinds(client, roots, granted);
    if (this.#stop.signal.aborted) return;
    for (const info of kinds) {
      const resource = groupResourceOf(info);
      if (this.#watched.has(resource)) continue;
      this.#watched.add(resource);
      const isRoot = roots.some(({ group, kind }) => group === info.group && kind === info.kind);
      this.#follow(
        info,
        (object) => {
          this.objects.note(object, resource, isRoot, this.#clock.now());
        },
        (object) => {
          this.objects.remove(object.metadata.uid);
        },
      );
    }
  }

  /** The events about objects that were told, which came or changed since they were asked for; of all where `all`. */
  events(all: boolean): PageEvent[] {
    const uids = new Set(this.objects.all().map(({ uid }) => uid));
    const asked = all ? [...this.#events.keys()] : this.#freshEvents;
    const told: PageEvent[] = [];
    const waiting = new Set<string>();
    for (const id of asked) {
      const event = this.#events.get(id);
      if (!event) continue;
      // An event may come before its object.
      if (uids.has(event.involvedObject.uid ?? "")) told.push(pageEvent(event));
      else waiting.add(id);
    }
    if (!all) this.#freshEvents = waiting;
    return told;
  }

  async synced(): Promise<void> {
    await Promise.all(this.#firstLists);
  }

  /** The problems of the watches, in words. */
  problems(): string[] {
    return this.#cache.health().flatMap(({ problem }) => problem ?? []);
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#transport.close();
  }

  #follow<T extends KubeObject>(
    resource: ResourceInfo,
    note: (object: T) => void,
    remove: (object: T) => void,
  ): void {
    const telling = (work: (object: T) => void) => (object: T) => {
      work(object);
      this.#changed();
    };
    const noted = telling(note);
    const { synced } = this.#cache.informersFor<T>(resource).addHandler({
      handlerFor: () => ({
        onAdd: noted,
        onUpdate: (_old, object) => {
          noted(object);
        },
        onDelete: telling(remove),
      }),
    });
    // One that ends without a list is told as a problem.
    this.#firstLists.push(Promise.resolve(synced).catch(() => undefined));
  }
}

function pageEvent(event: Event): PageEvent {
  const { metadata, type, reason, message, series, involvedObject, source } = event;
  const last = series?.lastObservedTime ?? event.lastTimestamp ?? event.eventTime;
  return {
    uid: metadata.uid,
    type: type ?? "Normal",
    reason: reason ?? "",
    message: message ?? "",
    count: series?.count ?? event.count ?? 1,
    lastMs: Date.parse(last ?? metadata.creationTimestamp),
    source: (event.reportingComponent || source?.component) ?? "",
    kind: involvedObject.kind ?? "",
    ...(involvedObject.namespace !== undefined && { namespace: involvedObject.namespace }),
    name: involvedObject.name ?? "",
  };
}
