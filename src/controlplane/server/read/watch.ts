/**
 * Watches: the changes since a version, then new ones, as one client may see them.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#efficient-detection-of-changes
 */
import { sameJson } from "../../../kube/json.ts";
import type { JsonObject, SentObject } from "../../../kube/object.ts";
import { apiVersionOf } from "../../../kube/resource.ts";
import { type Status, StatusError } from "../../../kube/status.ts";
import { zeroObject } from "../../builtin/zero-object.ts";
import type { ServedResource } from "../../kinds.ts";
import type { Change } from "../../store/change.ts";
import { storeKey } from "../../store/store.ts";
import type { Cluster } from "../cluster/cluster.ts";
import { expired, plainError } from "../../failures.ts";
import { type ObjectFilter, isSelected, waitForVersion } from "./list.ts";
import { collectionOf } from "../../resource-name.ts";
import { prepareReads, readAs } from "../cluster/versions.ts";
import { tableOf } from "../../../table.ts";

export interface WatchQuery extends ObjectFilter {
  readonly namespace: string;
  readonly resourceVersion: string;
  readonly sendInitialEvents: boolean;
  readonly bookmarks: boolean;
  readonly timeoutSeconds?: number | undefined;
}

/** One line of a watch. */
export interface WatchEvent {
  readonly type: "ADDED" | "MODIFIED" | "DELETED" | "BOOKMARK" | "ERROR";
  readonly object: SentObject | Status;
}

/** Receives events; `end` is called once, last, unless the watch was stopped from outside. */
export interface WatchSink {
  event(event: WatchEvent): void;
  end(): void;
}

const DEFAULT_TIMEOUT_MS = 30 * 60_000;
const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

export class Watch {
  readonly #cluster: Cluster;
  readonly #resource: ServedResource;
  readonly #query: WatchQuery;
  readonly #sink: WatchSink;
  readonly #collection: string;
  readonly #releases: (() => void)[] = [];
  /** How many sends are waiting, one after the other. */
  #waiting = 0;
  #line: Promise<void> = Promise.resolve();
  #ended = false;
  #reached = 0;
  #bookmarked = 0;

  constructor(cluster: Cluster, resource: ServedResource, query: WatchQuery, sink: WatchSink) {
    this.#cluster = cluster;
    this.#resource = resource;
    this.#query = query;
    this.#sink = sink;
    this.#collection = collectionOf(resource);
  }

  /** Sends events until it is stopped, its time is over, or the resource is gone. */
  start(): void {
    // The client is gone already.
    if (this.#ended) return;
    this.#limitTime();
    this.#endWithResource();
    void this.#begin().catch((thrown: unknown) => this.#fail(thrown));
  }

  /** Stops the watch from outside: the client is gone. */
  stop(): void {
    this.#finish();
  }

  async #begin(): Promise<void> {
    const { store } = this.#cluster;
    const { resourceVersion, sendInitialEvents } = this.#query;
    const from = Number(resourceVersion || "0");
    if (sendInitialEvents) {
      await waitForVersion(this.#cluster, this.#resource, from);
      if (this.#ended) return;
      this.#sendExisting();
      this.#follow();
      if (this.#query.bookmarks) this.#bookmark({ [INITIAL_EVENTS_END]: "true" });
      return;
    }
    if (from === 0) {
      this.#reached = store.version;
      this.#follow();
      return;
    }
    this.#reached = from;
    if (from < store.oldestVersion(this.#collection)) {
      throw expired(
        this.#collection === "events"
          ? "The resourceVersion for the provided watch is too old."
          : `too old resource version: ${from} (${store.oldestVersion(this.#collection)})`,
      );
    }
    for (const change of store.changesSince(this.#collection, from)) this.#send(change);
    this.#follow();
  }

  #sendExisting(): void {
    const { store } = this.#cluster;
    this.#reached = store.version;
    const existing = store.list(this.#collection, this.#query.namespace);
    this.#inOrder(existing, () => {
      for (const object of existing) {
        const visible = readAs(this.#cluster, this.#resource, object);
        if (this.#matches(visible)) this.#tell({ type: "ADDED", object: visible });
      }
    });
  }

  /** Sends something once the objects in it can be read; later events are sent later. */
  #inOrder(objects: readonly SentObject[], send: () => void): void {
    const prepare = (): Promise<void> | undefined =>
      prepareReads(this.#cluster, this.#resource, objects);
    const prepared = this.#waiting === 0 ? prepare() : undefined;
    if (this.#waiting === 0 && !prepared) {
      try {
        send();
      } catch (thrown) {
        this.#fail(thrown);
      }
      return;
    }
    this.#waiting++;
    this.#line = this.#line
      .then(() => prepared ?? prepare())
      .then(() => {
        if (!this.#ended) send();
      })
      .catch((thrown: unknown) => this.#fail(thrown))
      .finally(() => this.#waiting--);
  }

  #follow(): void {
    // The first events may have ended it.
    if (this.#ended) return;
    this.#releases.push(
      this.#cluster.store.subscribe((change) => {
        if (change.collection === this.#collection) this.#send(change);
      }),
    );
    if (!this.#query.bookmarks) return;
    this.#releases.push(this.#cluster.bookmarkTicks.subscribe(() => this.#bookmark()));
  }

  /** Sends a change as the selectors let the client see it. */
  #send(change: Change): void {
    if (this.#ended || change.version <= this.#reached) return;
    this.#reached = change.version;
    const { namespace } = this.#query;
    if (namespace !== "" && !change.key.startsWith(storeKey(namespace, ""))) return;
    const objects = change.old ? [change.object, change.old] : [change.object];
    this.#inOrder(objects, () => this.#show(change));
  }

  #show(change: Change): void {
    const visible = readAs(this.#cluster, this.#resource, change.object);
    const before = change.old && readAs(this.#cluster, this.#resource, change.old);
    const was = before && this.#matches(before) ? before : undefined;
    if (change.type !== "DELETED" && this.#matches(visible)) {
      this.#tell({ type: was ? "MODIFIED" : "ADDED", object: visible });
    } else if (was) {
      // An object that leaves a selector is sent as it was, at the version of its leaving.
      const last = change.type === "DELETED" ? visible : withVersion(was, change.version);
      this.#tell({ type: "DELETED", object: last });
    }
  }

  #matches(object: SentObject): boolean {
    return isSelected(this.#resource, this.#query, object);
  }

  #bookmark(annotations?: Record<string, string>): void {
    const version = Math.max(this.#cluster.store.version, this.#reached);
    const object = annotations
      ? bookmarkObject(this.#resource, version, annotations)
      : plainBookmark(this.#resource, version);
    this.#bookmarked = version;
    this.#inOrder([], () => this.#tell({ type: "BOOKMARK", object }));
  }

  #limitTime(): void {
    const { clock } = this.#cluster;
    const { timeoutSeconds: seconds = 0 } = this.#query;
    // Without a limit in the request it ends at a random time, so that not all watches come back at
    // once.
    const limitMs = seconds > 0 ? seconds * 1000 : DEFAULT_TIMEOUT_MS * (1 + clock.random());
    const timer = clock.after(
      limitMs,
      () => {
        if (this.#query.bookmarks && this.#cluster.store.version > this.#bookmarked) {
          this.#bookmark();
        }
        this.#end();
      },
      { unref: true },
    );
    this.#releases.push(() => timer.cancel());
  }

  /** A watch of a custom resource ends when its definition changes. */
  #endWithResource(): void {
    if (this.#resource.builtIn) return;
    const { registry } = this.#cluster;
    const { group, version, plural, definedBy } = this.#resource;
    this.#releases.push(
      registry.onChange(() => {
        const now = registry.find(group, version, plural);
        if (!now || (now !== this.#resource && !sameJson(now.definedBy, definedBy))) this.#end();
      }),
    );
  }

  /**
   * Sends an event; one that cannot be shown in the client's form ends the watch silently, and must
   * not fail the writer.
   */
  #tell(event: WatchEvent): void {
    if (this.#ended) return;
    try {
      this.#sink.event(event);
    } catch {
      this.#end();
    }
  }

  #fail(thrown: unknown): void {
    if (this.#ended) return;
    const error = thrown instanceof StatusError ? thrown : plainError(String(thrown));
    this.#tell({ type: "ERROR", object: error.status });
    this.#end();
  }

  #end(): void {
    if (this.#ended) return;
    this.#finish();
    this.#sink.end();
  }

  #finish(): void {
    this.#ended = true;
    for (const release of this.#releases.splice(0)) release();
  }
}

function withVersion(object: SentObject, version: number): SentObject {
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } };
}

/** The fields that an empty object gains in its conversion from the server's internal form. */
const CONVERTED_SPEC = tableOf<JsonObject>({
  Deployment: { replicas: 0 },
  ReplicaSet: { replicas: 0 },
  StatefulSet: { replicas: 0 },
});
const CONVERTED_ANNOTATIONS = tableOf<Record<string, string>>({
  DaemonSet: { "deprecated.daemonset.template.generation": "0" },
});

/** The object of a BOOKMARK: only a version, and Go's output of an empty object. */
function bookmarkObject(
  resource: ServedResource,
  version: number,
  annotations?: Record<string, string>,
): SentObject {
  const { kind, builtIn } = resource;
  const all = { ...(builtIn ? CONVERTED_ANNOTATIONS.get(kind) : {}), ...annotations };
  return {
    ...(builtIn ? zeroOf(resource) : {}),
    kind,
    apiVersion: apiVersionOf(resource),
    metadata: {
      resourceVersion: String(version),
      ...(Object.keys(all).length > 0 ? { annotations: all } : {}),
    },
  };
}

// Memos, not state: the results for a resource, and a version, never change.
const zeros = new WeakMap<ServedResource, JsonObject>();
const latest = new WeakMap<ServedResource, SentObject>();

/** The bookmark of all watches of a resource at `version`: the same object for each of them. */
function plainBookmark(resource: ServedResource, version: number): SentObject {
  let bookmark = latest.get(resource);
  if (bookmark?.metadata.resourceVersion !== String(version)) {
    bookmark = bookmarkObject(resource, version);
    latest.set(resource, bookmark);
  }
  return bookmark;
}

function zeroOf(resource: ServedResource): JsonObject {
  const known = zeros.get(resource);
  if (known) return known;
  const zero = zeroObject(resource);
  const spec = CONVERTED_SPEC.get(resource.kind);
  if (spec) zero["spec"] = { ...(zero["spec"] as JsonObject), ...spec };
  zeros.set(resource, zero);
  return zero;
}
