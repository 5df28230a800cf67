/**
 * The faults J and K once more as an operator meets them: through what the package exports, with its defaults.
 * `peers.test.ts` looks at the informer itself.
 */
import { describe, expect, it } from "vitest";
import {
  controllerFor,
  createManager,
  TsopError,
  type KubeObject,
  type ManagerOptions,
} from "../../../src/index.ts";
import { ScriptedTransport, silentLogger, VirtualClock, type Reply } from "../../../src/testing.ts";
import type { Transport, TransportRequest } from "../../../src/runtime/transport/transport.ts";
import { bookmark, event, list, status, widget, WIDGETS } from "../support/widgets.ts";

/** Speaks by script of widgets, and knows nothing else. */
class WidgetServer implements Transport {
  readonly server: string;
  readonly script: ScriptedTransport;
  /** How many requests from now on have no credentials. */
  locked = 0;

  constructor(script: ScriptedTransport) {
    this.script = script;
    this.server = script.server;
  }

  async request(request: TransportRequest) {
    if (!request.path.includes("/widgets")) {
      const nothing = new ScriptedTransport(new VirtualClock(), [
        { status: 404, body: status(404, "NotFound") },
      ]);
      return nothing.request(request);
    }
    if (this.locked > 0) {
      this.locked--;
      throw new TsopError("exec-credentials", "the login program failed", "Log in again.");
    }
    return this.script.request(request);
  }

  close(): void {
    this.script.close();
  }
}

/** The first state, as a server streams it to whoever starts. */
const streamed = (version: number, ...objects: readonly KubeObject[]) => [
  ...objects.map((object) => event("ADDED", object)),
  bookmark(version, true),
];

/** An operator that writes down what it finds: `a@5`, or `a gone`. */
async function operator(
  replies: readonly Reply[],
  { fail, ...options }: ManagerOptions & { readonly fail?: (name: string) => boolean } = {},
) {
  const clock = new VirtualClock();
  const server = new WidgetServer(new ScriptedTransport(clock, replies));
  const manager = createManager({ clock, transport: server, log: silentLogger, ...options });
  const found: string[] = [];
  controllerFor(manager)
    .for(WIDGETS)
    .complete({
      async reconcile({ key }) {
        const object = await manager.client.find(WIDGETS, key);
        const version = object?.metadata.resourceVersion;
        found.push(version === undefined ? `${key.name} gone` : `${key.name}@${version}`);
        if (fail?.(key.name)) throw new Error("the reconciler's own");
      },
    });
  const stop = new AbortController();
  const running = manager.start(stop.signal);
  await clock.advance(10);
  return {
    clock,
    server,
    manager,
    found,
    health: () => manager.cache.health().find(({ resource }) => resource.startsWith("widgets")),
    end: async () => {
      stop.abort();
      await clock.advance(60_000);
      await running;
      expect(clock.pending).toBe(0);
    },
  };
}

const away: Reply = { status: 500, body: status(500, "InternalError") };

describe("an operator, by default,", () => {
  it("J1: reconciles after a first answer that failed, and is not ready before", async () => {
    const { clock, found, health, end } = await operator([
      away,
      away,
      { stream: streamed(10, widget("a", 5)), then: "hang" },
    ]);
    expect(health()).toMatchObject({ synced: false });
    await clock.advance(30_000);
    expect([found, health()?.synced]).toEqual([["a@5"], true]);
    await end();
  });

  it.each<[string, Reply]>([
    ["answered with 500", away],
    ["cut before its answer", { reset: true }],
    ["without a connection", { fails: "refused" }],
  ])("J2: goes on after a watch that is %s", async (_, reply) => {
    const { clock, found, end } = await operator([
      { stream: [...streamed(10, widget("a", 5)), { pauseMs: 2000 }] },
      reply,
      { stream: [...streamed(12, widget("a", 5), widget("b", 12))], then: "hang" },
      { stream: [event("ADDED", widget("b", 12))], then: "hang" },
    ]);
    await clock.advance(60_000);
    expect(found.filter((line) => line.startsWith("b"))).toEqual(["b@12"]);
    await end();
  });

  it("J3: asks nothing more once it was stopped, and calls that no failure", async () => {
    const { clock, server, end } = await operator([{ stream: streamed(10), then: "hang" }]);
    await end();
    const asked = server.script.seen.length;
    await clock.advance(3_600_000);
    expect(server.script.seen.length).toBe(asked);
  });

  it("J4, K4: outlives reconcilers that throw, works on the other keys, and tries again", async () => {
    let failures = 0;
    const { clock, found, end } = await operator(
      [{ stream: streamed(10, widget("a", 5), widget("b", 6)), then: "hang" }],
      { fail: (name) => name === "a" && ++failures < 4 },
    );
    await clock.advance(5000);
    expect(found.filter((line) => line === "a@5")).toHaveLength(4);
    expect(found).toContain("b@6");
    await end();
  });

  it("J5: loses nothing to a line that is no JSON", async () => {
    const { clock, found, end } = await operator([
      {
        stream: [
          ...streamed(10),
          { pauseMs: 100 },
          { raw: '{"type":"ADDED","object":{"metadata":{"name":"lost"\n' },
          event("ADDED", widget("b", 12)),
        ],
        then: "hang",
      },
      { stream: streamed(12, widget("lost", 11), widget("b", 12)), then: "hang" },
    ]);
    await clock.advance(10_000);
    expect(found.toSorted()).toEqual(["b@12", "lost@11"]);
    await end();
  });

  it("J6: leaves a stream that says ERROR, though it stays open", async () => {
    const { clock, found, end } = await operator([
      {
        stream: [...streamed(10), event("ERROR", status(500, "InternalError"))],
        then: "hang",
      },
      { stream: streamed(11, widget("b", 11)), then: "hang" },
    ]);
    await clock.advance(10_000);
    expect(found).toEqual(["b@11"]);
    await end();
  });

  it("J7: never goes back in time, and reconciles nothing for what is old", async () => {
    const { clock, manager, found, end } = await operator([
      {
        stream: [
          ...streamed(100, widget("a", 100)),
          { pauseMs: 100 },
          event("MODIFIED", widget("a", 50)),
        ],
        then: "hang",
      },
    ]);
    await clock.advance(1000);
    expect(found).toEqual(["a@100"]);
    const known = await manager.client.find(WIDGETS, { namespace: "d", name: "a" });
    expect(known?.metadata.resourceVersion).toBe("100");
    await end();
  });

  it("J9, K7: notices a connection that says nothing any more, also where there are no objects", async () => {
    const { clock, server, found, end } = await operator([
      { stream: [...streamed(10), { pauseMs: 60_000 }, bookmark(11)], then: "hang" },
      { stream: [event("ADDED", widget("b", 12))], then: "hang" },
    ]);
    await clock.advance(60_000 + 75_000);
    expect(server.script.seen.at(-1)?.query).toMatchObject({ resourceVersion: "11" });
    expect(found).toEqual(["b@12"]);
    await end();
  });

  it("J10: outlives credentials that fail at a reconnect, and says so meanwhile", async () => {
    const { clock, server, found, health, end } = await operator([
      { stream: [...streamed(10), { pauseMs: 1000 }], then: "close" },
      { stream: streamed(12, widget("b", 12)), then: "hang" },
    ]);
    // The watch, then streams and lists by turns.
    server.locked = 9;
    await clock.advance(10_000);
    expect(health()?.problem).toContain("the login program failed");
    await clock.advance(120_000);
    expect([found, health()?.problem]).toEqual([["b@12"], undefined]);
    await end();
  });

  it("J11: reconciles what was deleted while it was away", async () => {
    const { clock, found, end } = await operator([
      { stream: streamed(10, widget("a", 5), widget("b", 6)), then: "reset" },
      { status: 410, body: status(410, "Expired") },
      { stream: streamed(20, widget("a", 5)), then: "hang" },
    ]);
    await clock.advance(60_000);
    expect(found.filter((line) => line.startsWith("b"))).toEqual(["b@6", "b gone"]);
    await end();
  });

  it("K1: takes nothing for deleted that came after a list was made", async () => {
    const { clock, found, end } = await operator([
      { stream: [...streamed(10), { pauseMs: 1000 }, event("ADDED", widget("x", 11))] },
      { status: 410, body: status(410, "Expired") },
      { status: 400, body: status(400, "BadRequest", "sendInitialEvents is forbidden") },
      // As a lagging replica gives it.
      list(10),
    ]);
    await clock.advance(60_000);
    expect(found).toEqual(["x@11"]);
    await end();
  });

  it("K2: is told once more of a deletion that a list did not know of yet", async () => {
    const { clock, server, found, end } = await operator([
      {
        stream: [
          ...streamed(10, widget("x", 9)),
          { pauseMs: 1000 },
          event("DELETED", widget("x", 11)),
        ],
      },
      { status: 410, body: status(410, "Expired") },
      { status: 400, body: status(400, "BadRequest", "sendInitialEvents is forbidden") },
      list(10, widget("x", 9)),
      { stream: [event("DELETED", widget("x", 11))], then: "hang" },
    ]);
    await clock.advance(60_000);
    expect(server.script.seen.at(-1)?.query).toMatchObject({ resourceVersion: "10" });
    expect([found[0], found.at(-1)]).toEqual(["x@9", "x gone"]);
    await end();
  });

  it("K5: asks a server that closes each watch at once no more than a few times", async () => {
    const closed = Array.from({ length: 300 }, (): Reply => ({}));
    const { clock, server, end } = await operator([{ stream: streamed(10) }, ...closed]);
    await clock.advance(5000);
    expect(server.script.seen.length).toBeLessThan(10);
    await end();
  });
});
