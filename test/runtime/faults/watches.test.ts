/** T1 to T14, T17 and T20 to T22: lists and watches that fail, end, lie or never come. */
import { describe, expect, it } from "vitest";
import type { Reply } from "../../../src/runtime/transport/scripted-transport.ts";
import {
  bookmark,
  event,
  list,
  listen,
  page,
  refusal,
  status,
  watchWidgets,
  widget,
} from "../support/widgets.ts";

const AFTER_BACKOFF_MS = 2000;
const away: Reply = { status: 500, body: "no" };

describe("lists and watches under faults", () => {
  it("T1: three failed lists, each tried again later than the one before, then it is in sync", async () => {
    const { clock, transport, informer, stored, end } = watchWidgets([
      away,
      away,
      away,
      list(10, widget("a", 5)),
    ]);
    await clock.advance(1);
    expect([informer.state, informer.hasSynced]).toEqual(["backoff", false]);
    await clock.advance(15_000);
    const waits = transport.seen.slice(1, 4).map(({ sincePreviousMs }) => sincePreviousMs ?? 0);
    for (const [step, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(800 * 2 ** step);
      expect(wait).toBeLessThan(1600 * 2 ** step);
    }
    expect([informer.state, informer.hasSynced, stored()]).toEqual(["synced", true, ["a@5"]]);
    await end();
  });

  it.each<[string, Reply, string]>([
    ["500", away, "LIST 10"],
    ["502 in HTML", { status: 502, body: "<html>Bad Gateway</html>" }, "LIST 10"],
    ["a broken certificate", { fails: "tls" }, "LIST 10"],
    ["a refused connection", { fails: "refused" }, "WATCH 10"],
    ["429", refusal(429, "TooManyRequests"), "WATCH 10"],
  ])("T2: a watch that is answered with %s is not the last one", async (_, reply, next) => {
    const { clock, informer, requests, end } = watchWidgets([
      list(10, widget("a", 5)),
      reply,
      ...(next.startsWith("LIST") ? [list(10, widget("a", 5))] : []),
    ]);
    await clock.advance(AFTER_BACKOFF_MS);
    expect(requests().slice(0, 3)).toEqual(["LIST 0", "WATCH 10", next]);
    expect(requests().at(-1)).toBe("WATCH 10");
    expect(informer.state).toBe("synced");
    await end();
  });

  it("T3: a cut in the middle of a watch loses nothing and repeats nothing", async () => {
    const { clock, requests, told, end } = watchWidgets([
      list(10, widget("a", 5)),
      { stream: [{ pauseMs: 5000 }, event("ADDED", widget("b", 11))], then: "reset" },
      { stream: [event("MODIFIED", widget("b", 12))], then: "hang" },
    ]);
    await clock.advance(6000);
    expect(requests()).toEqual(["LIST 0", "WATCH 10", "WATCH 11"]);
    expect(told).toEqual(["add a@5", "add b@11", "update b@11 b@12"]);
    await end();
  });

  it("T4: a server that falls silent is noticed within 70 s, and counted; the next watch goes on", async () => {
    const { clock, requests, informer, end } = watchWidgets([
      list(10),
      { stream: [{ pauseMs: 60_000 }, bookmark(20)], then: "hang" },
    ]);
    await clock.advance(60_000 + 70_000);
    expect(requests()).toEqual(["LIST 0", "WATCH 10", "WATCH 20"]);
    expect(informer.counts["silent-watch"]).toBe(1);
    await end();
  });

  it("T5: a server that sends no bookmarks is believed until the time of the watch is over", async () => {
    const { clock, transport, requests, end } = watchWidgets([list(10)]);
    await clock.advance(299_000);
    expect(requests()).toEqual(["LIST 0", "WATCH 10"]);
    const asked = Number(transport.seen[1]?.query["timeoutSeconds"]);
    await clock.advance((asked - 299 + 6) * 1000);
    expect(requests()).toEqual(["LIST 0", "WATCH 10", "WATCH 10"]);
    await end();
  });

  it("T6: 410 in a watch leads to a list of what is as new, then of what is newest, and tombstones", async () => {
    const expired = { type: "ERROR", object: status(410, "Expired") };
    const { clock, requests, told, end } = watchWidgets([
      list(10, widget("a", 5), widget("b", 6)),
      { stream: [{ pauseMs: 2000 }, expired] },
      refusal(410, "Expired"),
      list(30, widget("a", 5)),
    ]);
    await clock.advance(2000 + AFTER_BACKOFF_MS);
    expect(requests()).toEqual(["LIST 0", "WATCH 10", "LIST 10", "LIST -", "WATCH 30"]);
    expect(told.slice(2)).toEqual(["tombstone b@6", "update a@5 a@5"]);
    await end();
  });

  it("T7: 410 at the start of a watch, or on a page of a list, leads to one whole list", async () => {
    const { clock, requests, told, informer, end } = watchWidgets([
      page(10, "next", widget("a", 5)),
      refusal(410, "Expired"),
      list(12, widget("a", 5), widget("b", 6), widget("c", 11)),
      refusal(410, "Expired"),
      list(20, widget("a", 5), widget("b", 6), widget("c", 11)),
    ]);
    await clock.advance(1);
    expect(requests()).toEqual(["LIST 0", "LIST next", "LIST 0", "WATCH 12"]);
    expect(told).toEqual(["add a@5", "add b@6", "add c@11"]);
    await clock.advance(AFTER_BACKOFF_MS);
    expect(requests().slice(4)).toEqual(["LIST 12", "WATCH 20"]);
    expect(informer.counts.list).toBe(2);
    await end();
  });

  it("T8: a replica that lags behind is not asked for the past; the store never goes back", async () => {
    const lagging = {
      ...refusal(504, "Timeout", "Too large resource version: 20, current: 8"),
    };
    const { clock, requests, stored, told, end } = watchWidgets([
      list(20, widget("a", 15)),
      away,
      lagging,
      list(21, widget("a", 15)),
      { stream: [event("MODIFIED", widget("a", 7))], then: "hang" },
    ]);
    await clock.advance(AFTER_BACKOFF_MS);
    expect(requests()).toEqual(["LIST 0", "WATCH 20", "LIST 20", "LIST -", "WATCH 21"]);
    expect([stored(), told.at(-1)]).toEqual([["a@15"], "update a@15 a@15"]);
    await end();
  });

  it.each<[string, Reply, number]>([
    ["not known", refusal(400, "BadRequest"), 1],
    ["forbidden by the server's gates", refusal(422, "Invalid"), 1],
    ["without an end", { stream: [event("ADDED", widget("x", 3))], then: "hang" }, 70_000],
  ])(
    "T9: a list by watch that is %s becomes a plain list; parts are never seen",
    async (...row) => {
      const [, reply, afterMs] = row;
      const { clock, requests, told, end } = watchWidgets([reply, list(10, widget("a", 5))], {
        watchList: true,
      });
      await clock.advance(afterMs - 1);
      if (afterMs > 1) expect(told).toEqual([]);
      await clock.advance(1);
      expect(requests()).toEqual(["WATCH+ -", "LIST 0", "WATCH 10"]);
      expect(told).toEqual(["add a@5"]);
      await end();
    },
  );

  it("T9: a list by watch that is cut before its end begins anew", async () => {
    const { clock, requests, told, end } = watchWidgets(
      [
        { stream: [{ pauseMs: 2000 }, event("ADDED", widget("x", 3))], then: "reset" },
        { stream: [event("ADDED", widget("a", 5)), bookmark(10, true)], then: "hang" },
      ],
      { watchList: true },
    );
    await clock.advance(2000 + AFTER_BACKOFF_MS);
    expect(requests()).toEqual(["WATCH+ -", "WATCH+ -"]);
    expect(told).toEqual(["add a@5"]);
    await end();
  });

  it("T10: what changes while the list streams is in its last state, and what is deleted is not there", async () => {
    const { clock, told, stored, end } = watchWidgets(
      [
        {
          stream: [
            event("ADDED", widget("a", 5)),
            event("ADDED", widget("b", 6)),
            event("MODIFIED", widget("a", 11)),
            event("DELETED", widget("b", 12)),
            event("ADDED", widget("c", 7)),
            bookmark(12, true),
            event("MODIFIED", widget("c", 13)),
          ],
          then: "hang",
        },
      ],
      { watchList: true },
    );
    await clock.advance(1);
    expect(stored()).toEqual(["a@11", "c@13"]);
    expect(told.toSorted()).toEqual(["add a@11", "add c@7", "update c@7 c@13"]);
    await end();
  });

  it("T11: an event that is older than what is known is dropped and counted", async () => {
    const { clock, told, stored, informer, end } = watchWidgets([
      list(100, widget("a", 100)),
      { stream: [event("MODIFIED", widget("a", 50))], then: "hang" },
    ]);
    await clock.advance(1);
    expect([stored(), told]).toEqual([["a@100"], ["add a@100"]]);
    expect(informer.counts["stale-event"]).toBe(1);
    await end();
  });

  it("T12: what is no event is no silent loss: the list is asked for again", async () => {
    const { clock, requests, stored, end } = watchWidgets([
      list(10),
      {
        stream: [event("ADDED", widget("a", 11)), { raw: '{"type":"ADDED","obj\n' }],
        then: "hang",
      },
      list(13, widget("a", 11), widget("b", 12)),
    ]);
    await clock.advance(AFTER_BACKOFF_MS);
    expect(requests()).toEqual(["LIST 0", "WATCH 10", "LIST 11", "WATCH 13"]);
    expect(stored()).toEqual(["a@11", "b@12"]);
    await end();
  });

  it("T12: half an event at the end of a stream is asked for again", async () => {
    const half = JSON.stringify(event("ADDED", widget("b", 12))).slice(0, 40);
    const { clock, requests, told, end } = watchWidgets([
      list(10),
      { stream: [{ pauseMs: 2000 }, event("ADDED", widget("a", 11)), { raw: half }] },
      { stream: [event("ADDED", widget("b", 12))], then: "hang" },
    ]);
    await clock.advance(3000);
    expect(requests()).toEqual(["LIST 0", "WATCH 10", "WATCH 11"]);
    expect(told).toEqual(["add a@11", "add b@12"]);
    await end();
  });

  it("T12: a line of 20 MB comes through, and so do characters that are cut in two", async () => {
    const large = { ...widget("large", 11), spec: { page: "x".repeat(20_000_000) } };
    const umlauts = { ...widget("umlauts", 12), spec: { page: "ä€🎉" } };
    const bytes = Buffer.from(`${JSON.stringify(event("ADDED", umlauts))}\n`);
    const { clock, informer, end } = watchWidgets([
      list(10),
      {
        stream: [event("ADDED", large), ...[...bytes].map((byte) => ({ raw: Buffer.of(byte) }))],
        then: "hang",
      },
    ]);
    await clock.advance(1);
    const pageOf = (name: string): string =>
      (informer.indexer.get(`d/${name}`) as unknown as { spec: { page: string } }).spec.page;
    expect(pageOf("large").length).toBe(20_000_000);
    expect(pageOf("umlauts")).toBe("ä€🎉");
    await end();
  });

  it("T13: an ERROR of 429 lets the server rest as long as it wants; one of 500 leads to a list", async () => {
    const busy = status(429, "TooManyRequests", "busy", { retryAfterSeconds: 20 });
    const { clock, requests, end } = watchWidgets([
      list(10),
      { stream: [{ pauseMs: 2000 }, event("ERROR", busy)] },
      { stream: [{ pauseMs: 2000 }, event("ERROR", status(500, "InternalError"))] },
      list(11),
    ]);
    await clock.advance(2000 + 19_000);
    expect(requests()).toEqual(["LIST 0", "WATCH 10"]);
    await clock.advance(1000 + 2000 + 4000);
    expect(requests()).toEqual(["LIST 0", "WATCH 10", "WATCH 10", "LIST 10", "WATCH 11"]);
    await end();
  });

  it("T14: a server that closes each watch at once is asked no more often than the back-off says", async () => {
    const rounds = Array.from({ length: 200 }, (): Reply[] => [list(10), {}]).flat();
    const { clock, transport, informer, end } = watchWidgets(rounds);
    await clock.advance(60_000);
    expect(transport.seen.length).toBeLessThan(16);
    expect(informer.counts["short-watch"]).toBe(informer.counts.list);
    await end();
  });

  it("T17: deleted and made again while nobody looked: a tombstone of the old, then the new", async () => {
    const { clock, told, end } = watchWidgets([
      list(10, widget("a", 5, "old")),
      away,
      list(20, widget("a", 15, "new")),
    ]);
    await clock.advance(AFTER_BACKOFF_MS);
    expect(told).toEqual(["add a@5", "tombstone a@5", "add a@15"]);
    await end();
  });

  it("T18: a handler that throws, now or later, is told of what follows, and so are the others", async () => {
    const { clock, informer, told, end } = watchWidgets([
      list(10, widget("a", 5), widget("b", 6), widget("c", 7)),
    ]);
    const heard: string[] = [];
    informer.addHandler({
      onAdd: ({ metadata: { name } }) => {
        heard.push(name);
        if (name === "a") throw new Error("at once");
        if (name === "b") return clock.sleep(10).then(() => Promise.reject(new Error("later")));
        return undefined;
      },
    });
    await clock.advance(100);
    expect(heard).toEqual(["a", "b", "c"]);
    expect(told.length).toBe(3);
    await end();
  });

  it("T19: a handler of 30 s costs the others nothing, and hears of each object's last state", async () => {
    const events = Array.from({ length: 10_000 }, (_, index) =>
      event("MODIFIED", widget(`w${index % 20}`, 100 + index)),
    );
    const all = Array.from({ length: 20 }, (_, index) => widget(`w${index}`, 5));
    const { clock, informer, told, end } = watchWidgets([
      list(10, ...all),
      { stream: [{ pauseMs: 10 }, ...events], then: "hang" },
    ]);
    const slow = new Map<string, string>();
    let calls = 0;
    const record = async ({
      metadata,
    }: {
      metadata: { name?: string; resourceVersion?: string };
    }) => {
      calls++;
      await clock.sleep(30_000);
      slow.set(metadata.name!, metadata.resourceVersion!);
    };
    informer.addHandler({ onAdd: record, onUpdate: (_, object) => record(object) });
    await clock.advance(1000);
    expect(told.length).toBe(20 + 10_000);
    await clock.advance(45 * 30_000);
    expect(calls).toBeLessThanOrEqual(40);
    for (const { metadata } of informer.indexer.list()) {
      expect(slow.get(metadata.name)).toBe(metadata.resourceVersion);
    }
    await end();
  });

  it.each<[string, readonly Reply[], number]>([
    ["a list", [{ stream: [{ pauseMs: 60_000 }] }], 10],
    ["a list by pages", [page(10, "next"), { stream: [{ pauseMs: 60_000 }] }], 10],
    ["the back-off", [away], 100],
    ["a watch", [list(10)], 100],
  ])("T20: stopped in %s it ends at once, without an error and without a timer", async (...row) => {
    const [, replies, afterMs] = row;
    const { clock, errors, end } = watchWidgets(replies);
    await clock.advance(afterMs);
    const before = errors.length;
    await end();
    await clock.advance(600_000);
    expect(errors.length).toBe(before);
  });

  it("T20: stopped while a handler works, it tells it nothing more", async () => {
    const { clock, informer, end } = watchWidgets([list(10, widget("a", 5), widget("b", 6))]);
    let calls = 0;
    informer.addHandler({
      onAdd: async () => {
        calls++;
        await clock.sleep(1000);
      },
    });
    await clock.advance(10);
    const ended = end().catch((error: unknown) => error);
    await clock.advance(5000);
    await ended;
    expect(calls).toBe(1);
  });

  it("T21: it starts once, may be stopped twice, and takes no handler afterwards", async () => {
    const { clock, informer, stop, running } = watchWidgets([list(10)]);
    await clock.advance(1);
    await expect(informer.start(stop.signal)).rejects.toMatchObject({ code: "informer-started" });
    stop.abort();
    stop.abort();
    await running;
    expect(() => informer.addHandler({})).toThrow(
      expect.objectContaining({ code: "informer-stopped" }),
    );
  });

  it("T22: who comes late hears of everything first, then of what is new, and is in sync in between", async () => {
    const { clock, informer, end } = watchWidgets([
      list(10, widget("a", 5), widget("b", 6)),
      { stream: [{ pauseMs: 1000 }, event("ADDED", widget("c", 11))], then: "hang" },
    ]);
    await clock.advance(10);
    const heard: string[] = [];
    const registration = informer.addHandler({
      onAdd: async ({ metadata }, initial) => {
        await clock.sleep(100);
        heard.push(`${metadata.name} ${initial}`);
      },
    });
    expect(registration.hasSynced).toBe(false);
    void registration.synced.then(() => heard.push("in sync"));
    const other = listen(informer);
    await clock.advance(2000);
    expect(heard).toEqual(["a true", "b true", "in sync", "c false"]);
    expect(other).toEqual(["add a@5", "add b@6", "add c@11"]);
    await end();
  });
});
