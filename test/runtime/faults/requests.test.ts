/** T35, T36 and T46: requests that are refused for now, credentials that change, events in masses. */
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { TsopError } from "../../../src/errors.ts";
import { silentLogger } from "../../../src/log.ts";
import { restListerWatcher } from "../../../src/runtime/cache/lister-watcher.ts";
import { SharedInformer } from "../../../src/runtime/cache/shared-informer.ts";
import { LiveClient } from "../../../src/runtime/client/live-client.ts";
import { RestClient } from "../../../src/runtime/rest/rest-client.ts";
import { EventBroadcaster } from "../../../src/runtime/events/recorder.ts";
import {
  ScriptedTransport,
  type Reply,
} from "../../../src/runtime/transport/scripted-transport.ts";
import type { Transport } from "../../../src/runtime/transport/transport.ts";
import { MemoryApi } from "../support/memory-api.ts";
import { list, refusal, widget, WIDGETS } from "../support/widgets.ts";
import { asRead } from "../../support/as-read.ts";

function build(replies: readonly Reply[]) {
  const clock = new VirtualClock();
  const transport = new ScriptedTransport(clock, replies);
  return { clock, transport, rest: new RestClient(transport, clock) };
}

const busy = (code: number, after: string): Reply => ({
  ...refusal(code, code === 429 ? "TooManyRequests" : "ServiceUnavailable"),
  headers: { "Retry-After": after },
});
const POST = { method: "POST", path: "/api", body: {} } as const;
const GET = { method: "GET", path: "/api" } as const;

describe("requests under faults", () => {
  it.each<[string, Reply, number]>([
    ["429 with seconds", busy(429, "3"), 3000],
    ["503 with seconds", busy(503, "2"), 2000],
    ["429 with a date", busy(429, new Date(Date.UTC(2026, 0, 1, 0, 0, 5)).toUTCString()), 5000],
  ])("T35: %s: sent again when the server wants it, a POST too", async (_, reply, waitMs) => {
    for (const request of [GET, POST]) {
      const { clock, transport, rest } = build([reply, { body: { kind: "Thing" } }]);
      const answer = rest.request(request);
      await clock.advance(waitMs - 1);
      expect(transport.seen.length).toBe(1);
      await clock.advance(1);
      expect(await answer).toEqual({ kind: "Thing" });
    }
  });

  it("T35: without Retry-After a refusal stands, and a server that never gives in is asked eleven times", async () => {
    const { rest } = build([refusal(503, "ServiceUnavailable")]);
    await expect(rest.request(GET)).rejects.toMatchObject({ code: 503 });
    const all = build(Array.from({ length: 20 }, () => busy(429, "1")));
    const refused = expect(all.rest.request(GET)).rejects.toMatchObject({ code: 429 });
    await all.clock.advance(60_000);
    await refused;
    expect(all.transport.seen.length).toBe(11);
  });

  it("T35: a GET whose connection breaks is sent again, a POST never: it may have been carried out", async () => {
    const get = build([{ reset: true }, { body: { kind: "Thing" } }]);
    const answer = get.rest.request(GET);
    await get.clock.advance(1000);
    expect(await answer).toEqual({ kind: "Thing" });
    const post = build([{ reset: true }, { body: { kind: "Thing" } }]);
    await expect(post.rest.request(POST)).rejects.toMatchObject({ failure: "reset" });
    expect(post.transport.seen.length).toBe(1);
  });

  it("T36: a login program that fails at a reconnect stops nothing", async () => {
    const clock = new VirtualClock();
    const script = new ScriptedTransport(clock, [
      list(10, widget("a", 5)),
      { stream: [{ pauseMs: 5000 }] },
      list(12, widget("a", 5), widget("b", 11)),
    ]);
    let failures = 0;
    const failing: Transport = {
      server: script.server,
      request: (request) => {
        if (script.seen.length !== 2 || failures++ > 0) return script.request(request);
        return Promise.reject(new TsopError("exec-credentials", "no login", "Log in again."));
      },
      close: () => undefined,
    };
    const informer = new SharedInformer({
      listerWatcher: restListerWatcher(new RestClient(failing, clock), WIDGETS),
      clock,
      log: silentLogger,
      watchList: false,
    });
    const stop = new AbortController();
    const running = informer.start(stop.signal);
    await clock.advance(10_000);
    expect(failures).toBeGreaterThan(0);
    expect([informer.state, informer.indexer.size]).toEqual(["synced", 2]);
    stop.abort();
    await running;
  });
});

describe("masses of events", () => {
  const web = asRead({
    apiVersion: "example.com/v1",
    kind: "Web",
    metadata: { name: "one", namespace: "d", uid: "u-1" },
  });

  async function storm(messageOf: (index: number) => string) {
    const clock = new VirtualClock();
    const api = new MemoryApi(clock);
    const client = new LiveClient(new RestClient(api, clock), { fieldManager: "test" });
    const events = new EventBroadcaster(client, clock, silentLogger);
    const recorder = events.recorder("web");
    for (let index = 0; index < 10_000; index++) {
      recorder.event(web, { type: "Normal", reason: "Made", message: messageOf(index) });
      if (index % 500 === 0) await clock.advance(10);
    }
    await clock.advance(100);
    await events.flush();
    return { api, clock };
  }

  it("T46: ten thousand times the same is one event and no more than 25 requests", async () => {
    const { api, clock } = await storm(() => "made it");
    const stored = api.objects("/api/v1/events") as unknown as { count: number }[];
    expect(stored.map(({ count }) => count)).toEqual([25]);
    expect(api.requests.length).toBe(25);
    expect(clock.pending).toBe(0);
  });

  it("T46: ten thousand different ones are ten, the tenth of which stands for the rest", async () => {
    const { api } = await storm((index) => `made ${index}`);
    const stored = api.objects("/api/v1/events") as unknown as { message: string; count: number }[];
    expect(stored.length).toBe(10);
    expect(stored.at(-1)?.message).toMatch(/^\(combined from similar events\): made/);
    expect(api.requests.length).toBe(25);
  });

  it("T46: what a namespace that is going refuses is not sent again", async () => {
    const going = refusal(403, "Forbidden", "namespace d is being terminated");
    const { clock, transport, rest } = build([going, { body: { kind: "Event", metadata: {} } }]);
    const client = new LiveClient(rest, { fieldManager: "test" });
    const events = new EventBroadcaster(client, clock, silentLogger);
    events.recorder("web").event(web, { type: "Normal", reason: "Made", message: "made it" });
    await clock.advance(600_000);
    expect(transport.seen.length).toBe(1);
    await events.flush();
  });
});
