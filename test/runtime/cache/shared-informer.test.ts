import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { silentLogger, type Logger } from "../../../src/log.ts";
import { InformerCache } from "../../../src/runtime/cache/cache.ts";
import { restListerWatcher } from "../../../src/runtime/cache/lister-watcher.ts";
import { SharedInformer } from "../../../src/runtime/cache/shared-informer.ts";
import { RestClient } from "../../../src/runtime/rest/rest-client.ts";
import {
  ScriptedTransport,
  type Reply,
} from "../../../src/runtime/transport/scripted-transport.ts";

const WIDGETS = {
  group: "example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
};

const widget = (name: string, resourceVersion: string, uid = name) => ({
  apiVersion: "example.com/v1",
  kind: "Widget",
  metadata: { name, namespace: "d", uid, resourceVersion },
});

const list = (resourceVersion: string, ...items: object[]): Reply => ({
  body: { apiVersion: "example.com/v1", kind: "WidgetList", metadata: { resourceVersion }, items },
});

const bookmark = (resourceVersion: string) => ({
  type: "BOOKMARK",
  object: { apiVersion: "example.com/v1", kind: "Widget", metadata: { resourceVersion } },
});

function build(replies: readonly Reply[], watchList = false) {
  const clock = new VirtualClock();
  const transport = new ScriptedTransport(clock, replies);
  const informer = new SharedInformer({
    listerWatcher: restListerWatcher(new RestClient(transport, clock), WIDGETS),
    clock,
    log: silentLogger,
    watchList,
  });
  const stop = new AbortController();
  return { clock, transport, informer, stop, running: informer.start(stop.signal) };
}

describe("SharedInformer", () => {
  it("opens another watch when one that had bookmarks goes silent for 70 s", async () => {
    const { clock, transport, informer, stop, running } = build([
      list("10"),
      { stream: [{ pauseMs: 60_000 }, bookmark("20")], then: "hang" },
    ]);
    await clock.advance(60_000 + 69_000);
    expect(transport.seen.length).toBe(2);
    await clock.advance(2000);
    expect(transport.seen[2]?.query).toMatchObject({ watch: "true", resourceVersion: "20" });
    expect(informer.state).toBe("synced");
    stop.abort();
    await running;
    expect(clock.pending).toBe(0);
  });

  it("takes the bookmark behind the initial events for a promise of others", async () => {
    const end = bookmark("10");
    const annotations = { "k8s.io/initial-events-end": "true" };
    const initial = { ...end.object, metadata: { ...end.object.metadata, annotations } };
    const { clock, transport, stop, running } = build(
      [{ stream: [{ ...end, object: initial }], then: "hang" }],
      true,
    );
    await clock.advance(69_000);
    expect(transport.seen.length).toBe(1);
    await clock.advance(2000);
    expect(transport.seen[1]?.query).toMatchObject({ watch: "true", resourceVersion: "10" });
    stop.abort();
    await running;
    expect(clock.pending).toBe(0);
  });

  it("gives up a watch after 70 s that never said anything, once an earlier one had bookmarks", async () => {
    const { clock, transport, stop, running } = build([
      list("10"),
      { stream: [{ pauseMs: 60_000 }, bookmark("20")] },
      { stream: [], then: "hang" },
    ]);
    await clock.advance(62_000);
    expect(transport.seen.length).toBe(3);
    await clock.advance(71_000);
    expect(transport.seen.length).toBe(4);
    stop.abort();
    await running;
  });

  it("does not outlast the timeout that it asked for, where there are no bookmarks", async () => {
    const { clock, transport, stop, running } = build([list("10")]);
    await clock.advance(300_000);
    expect(transport.seen.length).toBe(2);
    await clock.advance(306_000);
    expect(transport.seen.length).toBe(3);
    stop.abort();
    await running;
  });

  it("asks less than once in four seconds while the server is away, and recovers", async () => {
    const away = Array.from({ length: 40 }, (): Reply => ({ status: 500, body: "no" }));
    const { clock, transport, informer, stop, running } = build([...away, list("10")]);
    await clock.advance(600_000);
    expect(transport.seen.length).toBeLessThan(600 / 4);
    expect(informer.state).not.toBe("synced");
    expect(informer.lastError).toBeDefined();
    await clock.advance(1_800_000);
    expect(informer.state).toBe("synced");
    expect(informer.lastError).toBeUndefined();
    stop.abort();
    await running;
  });

  it("tells a late handler of everything, and of a replaced object as two", async () => {
    const { clock, informer, stop, running } = build([
      list("10", widget("a", "5"), widget("b", "6")),
      { status: 410, body: "gone" },
      list("30", widget("a", "20", "another")),
    ]);
    await clock.advance(1);
    const told: string[] = [];
    const registration = informer.addHandler({
      onAdd: ({ metadata }, initial) => void told.push(`add ${metadata.uid} ${initial}`),
      onDelete: ({ metadata }, tombstone) => void told.push(`delete ${metadata.uid} ${tombstone}`),
    });
    expect(registration.hasSynced).toBe(true);
    expect(told.splice(0)).toEqual(["add a true", "add b true"]);
    await clock.advance(3000);
    expect(told).toEqual(["delete b true", "delete a true", "add another false"]);
    stop.abort();
    await running;
    expect(() => informer.addHandler({})).toThrow("has stopped");
  });

  it("keeps the failures and the slowness of a handler from the others", async () => {
    const { clock, informer, stop, running } = build([
      list("10", widget("a", "5"), widget("b", "6"), widget("c", "7")),
    ]);
    const slow: string[] = [];
    const failing: string[] = [];
    const quick: string[] = [];
    informer.addHandler({
      onAdd: async ({ metadata }) => {
        await clock.sleep(1000);
        slow.push(metadata.name);
      },
    });
    informer.addHandler({
      onAdd: ({ metadata }) => {
        failing.push(metadata.name);
        throw new Error("no");
      },
    });
    informer.addHandler({ onAdd: ({ metadata }) => void quick.push(metadata.name) });
    await clock.advance(1500);
    expect([slow, failing, quick]).toEqual([["a"], ["a", "b", "c"], ["a", "b", "c"]]);
    await clock.advance(2000);
    expect(slow).toEqual(["a", "b", "c"]);
    stop.abort();
    await running;
  });

  it("loses nothing to an answer that is no list", async () => {
    const refused = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      code: 500,
    };
    const { clock, informer, stop, running } = build([
      list("10", widget("a", "5")),
      { status: 410, body: { ...refused, reason: "Expired", code: 410 } },
      { body: refused },
      { stream: [{ type: "ADDED", object: widget("b", "12") }], then: "hang" },
    ]);
    await clock.advance(10_000);
    expect(informer.indexer.list().map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
    stop.abort();
    await running;
  });

  it("tells of each outage once, and of its end", async () => {
    const down: Reply = { status: 500, body: "down" };
    const up: Reply[] = [
      list("10"),
      { stream: [{ pauseMs: 2000 }, bookmark("20")], then: "close" },
    ];
    const clock = new VirtualClock();
    const transport = new ScriptedTransport(clock, [down, down, ...up, down, down, down, ...up]);
    const lines: string[] = [];
    const write = (level: string) => (fields: object | string, text?: string) => {
      if (level !== "debug")
        lines.push(`${level}: ${typeof fields === "string" ? fields : String(text)}`);
    };
    const log: Logger = {
      debug: write("debug"),
      info: write("info"),
      warn: write("warn"),
      error: write("error"),
      child: () => log,
    };
    const cache = new InformerCache(new RestClient(transport, clock), clock, log, {
      watchList: false,
    });
    cache.informersFor(WIDGETS);
    const stop = new AbortController();
    const running = cache.start(stop.signal);
    await clock.advance(60_000);
    const failed = expect.stringMatching(/^error: cannot watch widgets\.example\.com: .*down/);
    const back = "info: watching widgets.example.com again";
    expect(lines).toEqual([failed, back, failed, back]);
    stop.abort();
    await running;
  });
});
