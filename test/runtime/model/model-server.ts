/**
 * A server of widgets behind the port of a reflector: no JSON, no sockets, so that tens of thousands of schedules take
 * seconds. What an API server may do to a reflector, it does: serve a list from a cache that lags, forget its history,
 * cut a stream or end it, refuse, be slow, not know WatchList.
 */
import type { VirtualClock } from "../../../src/clock.ts";
import type { KubeList, KubeObject } from "../../../src/kube/object.ts";
import { failure } from "../../../src/kube/status.ts";
import type { ListerWatcher, ListWatchOptions } from "../../../src/runtime/cache/lister-watcher.ts";
import type { WatchEvent, WatchStream } from "../../../src/runtime/rest/watch-events.ts";
import { ConnectionError } from "../../../src/runtime/transport/transport.ts";
import { WIDGETS } from "../support/widgets.ts";
import { asRead } from "../../support/as-read.ts";

interface Change {
  readonly version: number;
  readonly event: WatchEvent;
  /** All objects after it. */
  readonly objects: readonly KubeObject[];
}

const WIDGET = { apiVersion: "example.com/v1", kind: "Widget" };
const END_OF_INITIAL = { "k8s.io/initial-events-end": "true" };

export class ModelServer implements ListerWatcher {
  readonly resource = WIDGETS;
  /** No more faults from here on. */
  healthy = false;
  readonly #clock: VirtualClock;
  readonly #draw: (below: number) => number;
  readonly #objects = new Map<string, KubeObject>();
  readonly #history: Change[] = [{ version: 10, event: bookmark(10), objects: [] }];
  readonly #wakes = new Set<() => void>();
  readonly #servesWatchList: boolean;
  #version = 10;
  #compactedAt = 10;
  #uids = 0;
  #cuts = 0;

  constructor(clock: VirtualClock, draw: (below: number) => number) {
    this.#clock = clock;
    this.#draw = draw;
    this.#servesWatchList = draw(4) > 0;
  }

  /** The objects' versions by name. */
  versions(): Map<string, string> {
    return new Map(
      [...this.#objects].map(([name, { metadata }]) => [name, metadata.resourceVersion]),
    );
  }

  put(name: string): void {
    const known = this.#objects.get(name);
    const uid = known?.metadata.uid ?? `uid-${++this.#uids}`;
    const version = this.#version + 1;
    const object = this.#object(name, uid, version);
    this.#objects.set(name, object);
    this.#publish({ type: known ? "MODIFIED" : "ADDED", object });
  }

  remove(name: string): void {
    const known = this.#objects.get(name);
    if (!known) return;
    this.#objects.delete(name);
    const object = this.#object(name, known.metadata.uid, this.#version + 1);
    this.#publish({ type: "DELETED", object });
  }

  /** Breaks all streams. */
  cut(): void {
    this.#cuts++;
    this.#wake();
  }

  /** Forgets its history: watches from before get 410. */
  compact(): void {
    this.#compactedAt = this.#version;
  }

  async list(
    { resourceVersion }: ListWatchOptions,
    signal: AbortSignal,
    receive: (object: KubeObject) => void,
  ): Promise<KubeList<KubeObject>> {
    await this.#way(signal);
    // From a cache that lags behind, but not behind what was asked for; none at all means the newest.
    const newest = resourceVersion === undefined || resourceVersion === "";
    const possible = this.#history.filter(({ version }) => version >= Number(resourceVersion));
    const back = this.healthy || newest ? 0 : this.#draw(possible.length);
    const { version, objects } = possible.at(-1 - back) ?? this.#newest();
    await this.#slow(signal);
    const metadata = { resourceVersion: String(version) };
    for (const object of objects) receive(object);
    return { ...WIDGET, kind: "WidgetList", metadata, items: [...objects] };
  }

  async watch(options: ListWatchOptions, signal: AbortSignal): Promise<WatchStream> {
    await this.#way(signal);
    const { resourceVersion = "", sendInitialEvents = false } = options;
    if (sendInitialEvents && !this.#servesWatchList) {
      throw failure(422, "Invalid", "sendInitialEvents is forbidden");
    }
    const from = resourceVersion === "" || resourceVersion === "0" ? undefined : resourceVersion;
    if (!sendInitialEvents && from !== undefined) this.#checkHistory(Number(from));
    return this.#stream(sendInitialEvents, from, signal);
  }

  async *#stream(
    initial: boolean,
    from: string | undefined,
    signal: AbortSignal,
  ): AsyncGenerator<readonly WatchEvent[]> {
    const cuts = this.#cuts;
    let position = Number(from);
    if (initial || from === undefined) {
      position = this.#version;
      const objects = [...this.#objects.values()];
      const part =
        !this.healthy && this.#draw(6) === 0 ? this.#draw(objects.length + 1) : undefined;
      yield objects.slice(0, part).map((object) => ({ type: "ADDED", object }));
      if (part !== undefined) return;
      if (initial) yield [bookmark(position, END_OF_INITIAL)];
    } else if (!this.healthy && this.#draw(6) === 0) {
      // Another server behind the same address, which does not know how far this watch was.
      position = Math.max(this.#compactedAt, position - this.#draw(4));
    }
    for (;;) {
      signal.throwIfAborted();
      if (this.#cuts > cuts) return;
      this.#checkHistory(position);
      const due = this.#history.filter(({ version }) => version > position);
      if (due.length === 0) {
        await this.#woken(signal);
        continue;
      }
      if (!this.healthy) {
        await this.#slow(signal);
        if (this.#draw(25) === 0) throw failure(500, "InternalError", "the stream broke");
      }
      const some = this.healthy ? due : due.slice(0, 1 + this.#draw(due.length));
      position = some.at(-1)?.version ?? position;
      yield some.map(({ event }) => event);
      if (this.#draw(4) === 0) yield [bookmark(position)];
    }
  }

  #object(name: string, uid: string, version: number): KubeObject {
    const metadata = { name, namespace: "d", uid, resourceVersion: String(version) };
    return asRead({ ...WIDGET, metadata });
  }

  #newest(): Change {
    return this.#history[this.#history.length - 1]!;
  }

  #publish(event: WatchEvent): void {
    const objects = [...this.#objects.values()];
    this.#history.push({ version: ++this.#version, event, objects });
    this.#wake();
  }

  #checkHistory(position: number): void {
    if (position < this.#compactedAt) throw failure(410, "Expired", "too old resource version");
  }

  #wake(): void {
    for (const wake of [...this.#wakes]) wake();
  }

  #woken(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#wakes.delete(wake);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      this.#wakes.add(wake);
      signal.addEventListener("abort", wake);
    });
  }

  /** To the server, where anything may happen. */
  async #way(signal: AbortSignal): Promise<void> {
    await this.#slow(signal);
    if (this.healthy) return;
    const fault = this.#draw(20);
    if (fault === 0) throw new ConnectionError("refused", "model", "refused");
    if (fault === 1) throw new ConnectionError("reset", "model", "reset");
    if (fault === 2) throw failure(500, "InternalError", "boom");
    if (fault === 3) throw failure(429, "TooManyRequests", "slow down");
    if (fault === 4) throw failure(410, "Expired", "too old resource version");
  }

  async #slow(signal: AbortSignal): Promise<void> {
    if (this.healthy || this.#draw(3) > 0) return;
    await this.#clock.sleep(this.#draw(800), signal);
  }
}

function bookmark(version: number, annotations?: Record<string, string>): WatchEvent {
  const metadata = { resourceVersion: String(version), ...(annotations ? { annotations } : {}) };
  return { type: "BOOKMARK", object: asRead({ ...WIDGET, metadata }) };
}
