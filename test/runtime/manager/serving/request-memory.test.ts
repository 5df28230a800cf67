import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../../src/clock.ts";
import { RequestMemory } from "../../../../src/runtime/serving/request-memory.ts";
import {
  processMemory,
  type ProcessMemory,
  serverLimits,
} from "../../../../src/runtime/serving/server-limits.ts";
import { silentLogger } from "../../../../src/log.ts";
import { Refusals } from "../../../../src/runtime/serving/refusals.ts";
import { Exchanges } from "../../../../src/runtime/webhook/requests/exchange.ts";
import type { ServedPath } from "../../../../src/runtime/webhook/requests/served-path.ts";
import { BodyParts } from "../../../../src/runtime/webhook/requests/body-parts.ts";

const MIB = 2 ** 20;

describe("the memory of requests", () => {
  it("keeps a quarter for small requests that have come in", () => {
    const memory = new RequestMemory(8 * MIB, new VirtualClock());
    expect(memory.take(6 * MIB, true)).toBe(true);
    expect(memory.take(1, false)).toBe(false);
    expect(memory.take(MIB, true)).toBe(false);
    const small = 200 * 1024;
    let taken = 0;
    while (memory.take(small, true)) taken++;
    expect(taken).toBe(Math.floor((2 * MIB) / small));
    memory.giveBack(6 * MIB);
    expect(memory.take(MIB, true)).toBe(true);
  });

  it("gives up what waits for its client, the oldest first, and only when others need it", async () => {
    const clock = new VirtualClock();
    const memory = new RequestMemory(8 * MIB, clock);
    const givenUp: number[] = [];
    for (let at = 0; at < 3; at++) {
      memory.take(2 * MIB, false);
      memory.waits({
        giveUp() {
          givenUp.push(at);
          memory.giveBack(2 * MIB);
        },
      });
      await clock.advance(1500);
    }
    // The third waits for a second and a half.
    expect(memory.take(2 * MIB, true)).toBe(true);
    expect(givenUp).toEqual([0]);
    expect(memory.take(4 * MIB, true)).toBe(false);
    expect(givenUp).toEqual([0, 1]);
    await clock.advance(2000);
    expect(memory.take(4 * MIB, true)).toBe(true);
    expect(givenUp).toEqual([0, 1, 2]);
    expect(memory.takenBytes).toBe(6 * MIB);
  });
});

describe("an answer that its client does not take", () => {
  it("gives its memory back at once when others need it, and not again when its connection is closed", async () => {
    const clock = new VirtualClock();
    const memory = new RequestMemory(8 * MIB, clock);
    const refusals = new Refusals(clock, silentLogger);
    const exchanges = new Exchanges({ clock, tracing: undefined, memory, refusals });
    const answer = { status: 200, body: "x".repeat(2 * MIB) };
    const path = {
      metrics: { began: () => () => undefined },
      growth: 1,
      defaultTimeoutMs: 10_000,
      askedBy: () => ({}),
      answer: () => answer,
    } as unknown as ServedPath;
    const headers = { "content-type": "application/json" };
    const asked = { pathname: "/", query: "", method: "POST", headers };
    const exchange = exchanges.begin(path, asked);
    const reply = exchange.reply(Buffer.from(JSON.stringify(["x".repeat(200_000)])));
    let ended = 0;
    const sent = exchange.sending(reply as typeof answer, () => ended++);
    const taken = memory.takenBytes;
    expect(taken).toBeGreaterThan(100_000);
    await clock.advance(5000);
    expect(memory.take(6 * MIB, false)).toBe(true);
    expect(ended).toBe(1);
    expect(memory.takenBytes).toBe(6 * MIB);
    sent?.();
    expect(memory.takenBytes).toBe(6 * MIB);
  });
});

describe("the parts of a body", () => {
  it("are the bytes that came in, however they were divided, in few blocks", () => {
    const memory = new RequestMemory(1024 * MIB, new VirtualClock());
    for (const sizes of [[1], [1, 7, 9000, 3, 70_000], [9000, 1, 1], [1000]]) {
      const parts = new BodyParts(memory);
      const all: Buffer[] = [];
      for (let at = 0; at < 1000; at++) {
        const part = Buffer.alloc(sizes[at % sizes.length] ?? 1, at);
        all.push(part);
        expect(parts.add(part)).toBe(true);
      }
      const whole = Buffer.concat(all);
      expect(parts.bytes).toBe(whole.length);
      expect(parts.whole().equals(whole)).toBe(true);
      expect(Buffer.concat(parts.parts()).equals(whole)).toBe(true);
      parts.clear();
      expect(memory.takenBytes).toBe(0);
    }
    const parts = new BodyParts(memory);
    for (let at = 0; at < 100_000; at++) parts.add(Buffer.from("a"));
    expect(parts.parts().length).toBeLessThan(20);
  });

  it("are refused as a whole when there is no memory", () => {
    const memory = new RequestMemory(MIB, new VirtualClock());
    const parts = new BodyParts(memory);
    const part = Buffer.alloc(100_000);
    let kept = 0;
    while (parts.add(part)) kept++;
    expect(kept).toBe(7);
    expect(parts.bytes).toBe(700_000);
    parts.clear();
    expect(memory.takenBytes).toBe(0);
  });
});

describe("the limits of servers", () => {
  const pod: ProcessMemory = {
    limit: 384 * MIB,
    used: 85 * MIB,
    heapLimit: 336 * MIB,
    heapUsed: 15 * MIB,
  };

  it("of the scaffolded pod are these", () => {
    expect(serverLimits(pod)).toEqual({
      requestsBytes: Math.floor(59.8 * MIB),
      connections: { webhooks: 446, other: 63 },
    });
  });

  it("follow the smaller one of the container's limit and the heap's", () => {
    const small = serverLimits({ ...pod, limit: 256 * MIB });
    expect(small.requestsBytes).toBe(Math.floor(34.2 * MIB));
    expect(serverLimits({ ...pod, limit: 2 ** 40 }).requestsBytes).toBe(Math.floor(64.2 * MIB));
    expect(serverLimits({ ...pod, limit: 90 * MIB })).toEqual({
      requestsBytes: 8 * MIB,
      connections: { webhooks: 32, other: 32 },
    });
    expect(serverLimits(pod, 600 * MIB).requestsBytes).toBe(240 * MIB);
  });

  it.each([0, -1, Number.NaN, 1000])("refuse an option of %s bytes", (bytes) => {
    expect(() => serverLimits(pod, bytes)).toThrow(
      expect.objectContaining({ code: "server-memory-wrong" }) as Error,
    );
  });

  it("can be computed from this process", () => {
    const memory = processMemory();
    expect(memory.limit).toBeGreaterThan(memory.used);
    expect(memory.heapLimit).toBeGreaterThan(memory.heapUsed);
    expect(Number.isSafeInteger(memory.limit)).toBe(true);
  });
});
