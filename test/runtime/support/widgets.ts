/** An informer of widgets on a server by script, and what such a server says. */
import { VirtualClock } from "../../../src/clock.ts";
import { messageOf } from "../../../src/errors.ts";
import { silentLogger } from "../../../src/log.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import { restListerWatcher } from "../../../src/runtime/cache/lister-watcher.ts";
import { SharedInformer } from "../../../src/runtime/cache/shared-informer.ts";
import { RestClient } from "../../../src/runtime/rest/rest-client.ts";
import {
  ScriptedTransport,
  type Reply,
} from "../../../src/runtime/transport/scripted-transport.ts";
import { asRead } from "../../support/as-read.ts";

export const WIDGETS = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
};

const API_VERSION = "example.com/v1";

/** `name` at a version; its uid is its name unless told otherwise. */
export function widget(name: string, resourceVersion: string | number, uid = name): KubeObject {
  return asRead({
    apiVersion: API_VERSION,
    kind: "Widget",
    metadata: { name, namespace: "d", uid, resourceVersion: String(resourceVersion) },
  });
}

export function list(resourceVersion: number, ...items: readonly KubeObject[]): Reply {
  return { body: listBody({ resourceVersion: String(resourceVersion) }, items) };
}

/** A page of a list that goes on. */
export function page(
  resourceVersion: number,
  next: string,
  ...items: readonly KubeObject[]
): Reply {
  return { body: listBody({ resourceVersion: String(resourceVersion), continue: next }, items) };
}

function listBody(metadata: object, items: readonly KubeObject[]): object {
  return { apiVersion: API_VERSION, kind: "WidgetList", metadata, items };
}

interface WireEvent {
  readonly type: string;
  readonly object: object;
}

export function event(type: string, object: object): WireEvent {
  return { type, object };
}

export function bookmark(resourceVersion: number, initialEnd = false): WireEvent {
  const annotations = { "k8s.io/initial-events-end": "true" };
  const metadata = {
    resourceVersion: String(resourceVersion),
    ...(initialEnd ? { annotations } : {}),
  };
  return event("BOOKMARK", { apiVersion: API_VERSION, kind: "Widget", metadata });
}

/** A failure as the server words it. */
export function status(code: number, reason: string, message = reason, details?: object): object {
  const head = { apiVersion: "v1", kind: "Status", metadata: {}, status: "Failure" };
  return { ...head, message, reason, code, ...(details ? { details } : {}) };
}

export function refusal(code: number, reason: string, message = reason): Reply {
  return { status: code, body: status(code, reason, message) };
}

/** `add a@5`, in the order in which a handler hears of it. */
export function listen(informer: SharedInformer): string[] {
  const told: string[] = [];
  const show = ({ metadata: { name, resourceVersion } }: KubeObject): string =>
    `${name}@${resourceVersion}`;
  informer.addHandler({
    onAdd: (object) => void told.push(`add ${show(object)}`),
    onUpdate: (old, object) => void told.push(`update ${show(old)} ${show(object)}`),
    onDelete: (object, tombstone) =>
      void told.push(`${tombstone ? "tombstone" : "delete"} ${show(object)}`),
  });
  return told;
}

interface WatchedWidgets {
  readonly clock: VirtualClock;
  readonly transport: ScriptedTransport;
  readonly informer: SharedInformer;
  readonly told: readonly string[];
  readonly errors: readonly string[];
  readonly requests: () => string[];
  readonly stored: () => string[];
  readonly stop: AbortController;
  readonly running: Promise<void>;
  readonly end: () => Promise<void>;
}

/** An informer at work; `requests` are `LIST rv` and `WATCH rv`, `WATCH+` with initial events. */
export function watchWidgets(
  replies: readonly Reply[],
  options: { readonly watchList?: boolean; readonly seed?: number } = {},
): WatchedWidgets {
  const clock = new VirtualClock({ seed: options.seed ?? 1 });
  const transport = new ScriptedTransport(clock, replies);
  const errors: string[] = [];
  const informer = new SharedInformer({
    listerWatcher: restListerWatcher(new RestClient(transport, clock), WIDGETS),
    clock,
    log: silentLogger,
    watchList: options.watchList ?? false,
    onError: (error) => errors.push(messageOf(error)),
  });
  const told = listen(informer);
  const stop = new AbortController();
  const running = informer.start(stop.signal);
  return {
    clock,
    transport,
    informer,
    told,
    errors,
    stop,
    running,
    requests: (): string[] =>
      transport.seen.map(({ query }) => {
        const verb = query["watch"] !== "true" ? "LIST" : "WATCH";
        const initial = query["sendInitialEvents"] === "true" ? "+" : "";
        return `${verb}${initial} ${query["continue"] ?? query["resourceVersion"] ?? "-"}`;
      }),
    stored: (): string[] =>
      informer.indexer
        .list()
        .map(({ metadata: { name, resourceVersion } }) => `${name}@${resourceVersion}`)
        .sort(),
    end: async () => {
      stop.abort();
      await running;
      if (clock.pending > 0) throw new Error(`${clock.pending} timers are left over`);
    },
  };
}
