/**
 * A small API server on a virtual clock, in this process and without sockets: what thousands of seeded runs need.
 * It knows objects, versions, finalizers, watches and 410; everything else is the control plane's, which the contract tests run.
 */
import type { VirtualClock } from "../../../src/clock.ts";
import { applyJsonPatch, applyMergePatch } from "../../../src/kube/patch.ts";
import { StatusError } from "../../../src/kube/status.ts";
import type { JsonObject, KubeObject, SentObject, ObjectMeta } from "../../../src/kube/object.ts";
import {
  ConnectionError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "../../../src/runtime/transport/transport.ts";
import { asRead } from "../../support/as-read.ts";

interface Change {
  readonly version: number;
  readonly path: string;
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: KubeObject;
}

interface Watch {
  readonly path: string;
  readonly queue: Uint8Array[];
  wake: () => void;
  broken: boolean;
  closed: boolean;
  /** The version up to which it has all changes. */
  position: number;
}

const KINDS: Readonly<Record<string, string>> = {
  configmaps: "ConfigMap",
  customresourcedefinitions: "CustomResourceDefinition",
  houses: "House",
  leases: "Lease",
  mutatingwebhookconfigurations: "MutatingWebhookConfiguration",
  namespaces: "Namespace",
  secrets: "Secret",
  validatingwebhookconfigurations: "ValidatingWebhookConfiguration",
  widgets: "Widget",
};
// What discovery says of each group: the same, for the tests have these kinds in no more than one.
const RESOURCES = {
  kind: "APIResourceList",
  resources: Object.entries(KINDS).map(([name, kind]) => ({ name, kind, namespaced: true })),
};
const SUBRESOURCES = new Set(["status", "scale"]);

const FIRST_VERSION = 100;

export class MemoryApi implements Transport {
  readonly server = "https://memory:6443";
  /** `METHOD path`, of each request that came through. */
  readonly requests: string[] = [];
  /** The options of each deletion that came through. */
  readonly deletions: object[] = [];
  /** How long a change takes to reach the watches. */
  watchDelayMs = 0;
  /** Each answer takes this long. */
  latencyMs = 0;
  /** Nothing answers, as in an outage. */
  down = false;
  readonly #clock: VirtualClock;
  readonly #objects = new Map<string, KubeObject>();
  readonly #history: Change[] = [];
  #watches = new Set<Watch>();
  #version = FIRST_VERSION;
  #compactedAt = FIRST_VERSION;
  #uids = 0;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  get openWatches(): number {
    return this.#watches.size;
  }

  get version(): number {
    return this.#version;
  }

  /** The objects under a collection's path, by their own path. */
  objects(collection: string): KubeObject[] {
    return [...this.#objects]
      .filter(([path]) => isIn(path, collection))
      .map(([, object]) => object);
  }

  /** Stores an object as another client would. */
  put(path: string, object: SentObject): KubeObject {
    const known = this.#objects.get(path);
    const uid = known?.metadata.uid ?? `uid-${++this.#uids}`;
    const version = ++this.#version;
    const stored: KubeObject = asRead({
      ...object,
      metadata: { ...object.metadata, uid, resourceVersion: String(version) },
    });
    this.#objects.set(path, stored);
    this.#publish({
      version,
      path,
      type: known ? "MODIFIED" : "ADDED",
      object: stored,
    });
    return stored;
  }

  /** Deletes as another client would. */
  remove(path: string): KubeObject | undefined {
    const known = this.#objects.get(path);
    if (!known) return undefined;
    this.#objects.delete(path);
    const version = ++this.#version;
    const object = { ...known, metadata: { ...known.metadata, resourceVersion: String(version) } };
    this.#publish({ version, path, type: "DELETED", object });
    return known;
  }

  /** Breaks all connections. */
  cut(): void {
    for (const watch of this.#watches) {
      watch.broken = true;
      watch.wake();
    }
  }

  /** Ends all watches as a server does whose timeout is over. */
  closeWatches(): void {
    for (const watch of this.#watches) {
      watch.closed = true;
      watch.wake();
    }
  }

  /** Forgets all history. */
  compact(): void {
    this.#compactedAt = this.#version;
  }

  async request(request: TransportRequest): Promise<TransportResponse> {
    request.signal?.throwIfAborted();
    if (this.latencyMs > 0) await this.#clock.sleep(this.latencyMs, request.signal);
    const url = new URL(request.path, this.server);
    this.requests.push(`${request.method} ${url.pathname}`);
    if (this.down) throw new ConnectionError("refused", this.server, "it is down");
    if (url.searchParams.get("watch") === "true") return this.#watch(url, request.signal);
    const [status, body] = this.#answer(request, url);
    return answer(status, body);
  }

  close(): void {
    this.cut();
  }

  #answer(request: TransportRequest, { pathname }: URL): [number, object] {
    const body = request.body === undefined ? {} : (JSON.parse(request.body) as JsonObject);
    const { metadata = {} } = body as Partial<SentObject>;
    const last = pathname.slice(pathname.lastIndexOf("/") + 1);
    const path = SUBRESOURCES.has(last) ? pathname.slice(0, -last.length - 1) : pathname;
    const known = this.#objects.get(path);
    switch (request.method) {
      case "GET":
        if (/^\/(api|apis\/[^/]+)\/[^/]+$/.test(pathname)) return [200, RESOURCES];
        if (known) return [200, known];
        return isCollection(pathname) ? [200, this.#list(pathname)] : notFound(pathname);
      case "POST": {
        if (last.endsWith("reviews")) return [201, { ...body, status: { allowed: true } }];
        const made = `${pathname}/${metadata.name ?? ""}`;
        if (this.#objects.has(made)) return refusal(409, "AlreadyExists");
        return [201, this.put(made, body as unknown as SentObject)];
      }
      case "PUT":
        if (!known) return notFound(path);
        if (metadata.resourceVersion !== known.metadata.resourceVersion) {
          return refusal(409, "Conflict");
        }
        return this.#store(path, known, body as unknown as SentObject);
      case "PATCH":
        if (known && Array.isArray(body)) return this.#patchJson(path, known, body);
        if (
          known &&
          ![undefined, known.metadata.resourceVersion].includes(metadata.resourceVersion)
        ) {
          return refusal(409, "Conflict");
        }
        if (!known && !request.headers?.["Content-Type"]?.includes("apply")) return notFound(path);
        return this.#store(
          path,
          known,
          applyMergePatch({ ...known }, body) as unknown as SentObject,
        );
      default: {
        const { preconditions = {} } = body as { preconditions?: ObjectMeta };
        this.deletions.push(body);
        for (const field of ["uid", "resourceVersion"] as const) {
          const wanted = preconditions[field];
          if (known && wanted !== undefined && wanted !== known.metadata[field]) {
            return refusal(409, "Conflict");
          }
        }
        if (known?.metadata.finalizers?.length) return [200, this.#mark(path, known)];
        const removed = this.remove(path);
        if (!removed) return notFound(path);
        const details = { name: last, uid: removed.metadata.uid };
        return [200, { kind: "Status", apiVersion: "v1", status: "Success", details }];
      }
    }
  }

  /** A change by a request: the last finalizer takes an object with it that is being deleted. */
  #store(path: string, known: KubeObject | undefined, object: SentObject): [number, object] {
    const { finalizers = [] } = object.metadata;
    if (known?.metadata.deletionTimestamp === undefined) return [200, this.put(path, object)];
    const { finalizers: before = [] } = known.metadata;
    if (finalizers.some((one) => !before.includes(one))) return refusal(422, "Invalid");
    if (finalizers.length > 0) return [200, this.put(path, object)];
    this.remove(path);
    return [200, object];
  }

  #mark(path: string, known: KubeObject): KubeObject {
    if (known.metadata.deletionTimestamp !== undefined) return known;
    const deletionTimestamp = new Date(this.#clock.now()).toISOString();
    const metadata = { ...known.metadata, deletionTimestamp, deletionGracePeriodSeconds: 0 };
    return this.put(path, { ...known, metadata });
  }

  #patchJson(path: string, known: KubeObject, operations: unknown): [number, object] {
    try {
      return [200, this.put(path, applyJsonPatch(known, operations) as SentObject)];
    } catch (error) {
      if (error instanceof StatusError) return [error.code, error.status];
      throw error;
    }
  }

  #list(collection: string): object {
    return {
      kind: "List",
      apiVersion: "v1",
      metadata: { resourceVersion: String(this.#version) },
      items: this.objects(collection),
    };
  }

  #watch({ pathname, searchParams }: URL, signal?: AbortSignal): TransportResponse {
    const from = Number(searchParams.get("resourceVersion") ?? 0);
    const initial = searchParams.get("sendInitialEvents") === "true";
    if (!initial && from < this.#compactedAt) return answer(...refusal(410, "Expired"));
    const queue: Uint8Array[] = [];
    const watch: Watch = {
      path: pathname,
      queue,
      wake: () => undefined,
      broken: false,
      closed: false,
      position: initial ? this.#version : from,
    };
    if (initial) {
      for (const object of this.objects(pathname)) queue.push(line("ADDED", object));
      queue.push(line("BOOKMARK", this.#endOfInitial(pathname)));
    } else this.#deliver(watch, this.#version);
    this.#watches.add(watch);
    const end = (): void => {
      this.#watches.delete(watch);
    };
    return { status: 200, headers: {}, body: this.#body(watch, end, signal), cancel: end };
  }

  async *#body(watch: Watch, end: () => void, signal?: AbortSignal): AsyncGenerator<Uint8Array> {
    const wake = (): void => {
      watch.wake();
    };
    signal?.addEventListener("abort", wake);
    try {
      for (;;) {
        for (let part = watch.queue.shift(); part; part = watch.queue.shift()) {
          if (watch.broken) throw new ConnectionError("reset", this.server, "cut");
          yield part;
        }
        signal?.throwIfAborted();
        if (watch.broken) throw new ConnectionError("reset", this.server, "cut");
        if (watch.closed) return;
        await new Promise<void>((resolve) => {
          watch.wake = resolve;
        });
      }
    } finally {
      signal?.removeEventListener("abort", wake);
      end();
    }
  }

  #publish(change: Change): void {
    this.#history.push(change);
    const send = (): void => {
      for (const watch of this.#watches) this.#deliver(watch, change.version);
    };
    if (this.watchDelayMs > 0) this.#clock.after(this.watchDelayMs, send);
    else send();
  }

  /** All that the watch does not have yet, in order: a short delay does not overtake a long one. */
  #deliver(watch: Watch, upTo: number): void {
    // Each version is one change, so a change's place is its version's.
    const changes = this.#history.slice(watch.position - FIRST_VERSION, upTo - FIRST_VERSION);
    for (const { path, type, object } of changes) {
      if (isIn(path, watch.path)) watch.queue.push(line(type, object));
    }
    watch.position = Math.max(watch.position, upTo);
    watch.wake();
  }

  #endOfInitial(path: string): object {
    const plural = path.slice(path.lastIndexOf("/") + 1);
    const [, group, version = "v1"] = /^\/apis\/([^/]+)\/([^/]+)/.exec(path) ?? [];
    return {
      apiVersion: group === undefined ? version : `${group}/${version}`,
      kind: KINDS[plural] ?? plural,
      metadata: {
        resourceVersion: String(this.#version),
        annotations: { "k8s.io/initial-events-end": "true" },
      },
    };
  }
}

/** Whether the object's path is in the collection: of its namespace, or of all. */
function isIn(path: string, collection: string): boolean {
  const parent = path.slice(0, path.lastIndexOf("/"));
  return parent === collection || parent.replace(/\/namespaces\/[^/]+/, "") === collection;
}

function isCollection(path: string): boolean {
  const last = path.split("/").at(-1) ?? "";
  return last.endsWith("s") && !/\/[a-z]+s\/[a-z]+s$/.test(path);
}

function line(type: string, object: object): Uint8Array {
  return Buffer.from(`${JSON.stringify({ type, object })}\n`);
}

function answer(status: number, body: object): TransportResponse {
  return {
    status,
    headers: {},
    body: (async function* () {
      yield await Promise.resolve(Buffer.from(JSON.stringify(body)));
    })(),
    cancel: () => undefined,
  };
}

function refusal(code: number, reason: string): [number, object] {
  const kind = { kind: "Status", apiVersion: "v1", metadata: {}, status: "Failure" };
  return [code, { ...kind, reason, message: reason, code }];
}

function notFound(path: string): [number, object] {
  const [code, body] = refusal(404, "NotFound");
  return [code, { ...body, details: { name: path.slice(path.lastIndexOf("/") + 1) } }];
}
