/** What the elector asks of the server and when, and what it takes for the end of a term. */
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { silentLogger } from "../../../src/log.ts";
import { LiveClient } from "../../../src/runtime/client/live-client.ts";
import { RestClient } from "../../../src/runtime/rest/rest-client.ts";
import type { LeaseSpec } from "../../../src/runtime/leader-election/lease.ts";
import { checkTimes, LeaderElector } from "../../../src/runtime/leader-election/leader-election.ts";
import type { Transport } from "../../../src/runtime/transport/transport.ts";
import { MemoryApi } from "../support/memory-api.ts";

const PATH = "/apis/coordination.k8s.io/v1/namespaces/d/leases/web";
const TIMES = { leaseDurationMs: 15_000, renewDeadlineMs: 10_000, retryPeriodMs: 2000 };
const SETTINGS = {
  ...TIMES,
  stuckAfterMs: 30_000,
  key: { namespace: "d", name: "web" },
  identity: "one",
};

function build(api: MemoryApi, clock: VirtualClock, transport: Transport = api, identity = "one") {
  const term: { endsAtMs: number | undefined } = { endsAtMs: undefined };
  let stillMs = 0;
  const elector = new LeaderElector({
    ...SETTINGS,
    identity,
    client: new LiveClient(new RestClient(transport, clock), { fieldManager: "elector" }),
    clock,
    log: silentLogger,
    term,
    standsStillMs: () => stillMs,
  });
  return {
    elector,
    term,
    standStill: (ms: number) => {
      stillMs = ms;
    },
  };
}

function world() {
  const clock = new VirtualClock();
  const api = new MemoryApi(clock);
  const lease = (): LeaseSpec =>
    (api.objects(PATH.replace("/web", ""))[0] as unknown as { spec: LeaseSpec }).spec;
  const held = (spec: LeaseSpec): void => {
    api.put(PATH, {
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { namespace: "d", name: "web" },
      spec,
    } as never);
  };
  return { clock, api, lease, held };
}

const never = new AbortController().signal;

/** Whether a promise is settled by now. */
function outcomeOf(promise: Promise<unknown>): () => unknown {
  let outcome: unknown;
  promise.then(
    () => (outcome = "done"),
    (error: unknown) => (outcome = error),
  );
  return () => outcome;
}

describe("a leader elector", () => {
  it("counts its term from before the request, however long the answer takes", async () => {
    const { clock, api } = world();
    api.latencyMs = 2000;
    const { elector, term } = build(api, clock);
    const acquired = outcomeOf(elector.acquire(never));
    await clock.advance(4000);
    expect([acquired(), term.endsAtMs]).toEqual(["done", 10_000]);
  });

  it("keeps the lead while each answer takes nearly half of the deadline", async () => {
    const { clock, api } = world();
    const { elector } = build(api, clock);
    await elector.acquire(never);
    api.latencyMs = 4900;
    const stop = new AbortController();
    const ended = outcomeOf(elector.hold(stop.signal));
    await clock.advance(120_000);
    expect(ended()).toBeUndefined();
    stop.abort();
    await clock.advance(10_000);
  });

  it("takes a Lease over once it saw nobody renew it for its length, and counts the change", async () => {
    const { clock, api, lease, held } = world();
    // The holder's clock is an hour ahead.
    const renewTime = new Date(clock.now() + 3_600_000).toISOString();
    held({ holderIdentity: "two", leaseDurationSeconds: 15, leaseTransitions: 4, renewTime });
    const { elector } = build(api, clock);
    const acquired = outcomeOf(elector.acquire(never));
    await clock.advance(10_000);
    held({ holderIdentity: "two", leaseDurationSeconds: 15, leaseTransitions: 4, renewTime: "x" });
    await clock.advance(14_000);
    expect(acquired()).toBeUndefined();
    await clock.advance(10_000);
    expect(acquired()).toBe("done");
    expect(lease()).toMatchObject({ holderIdentity: "one", leaseTransitions: 5 });
  });

  it("goes on with a Lease that has its name already", async () => {
    const { clock, api, lease, held } = world();
    const acquireTime = "2025-12-31T23:00:00.000000Z";
    held({ holderIdentity: "one", leaseDurationSeconds: 15, leaseTransitions: 4, acquireTime });
    const { elector } = build(api, clock);
    await elector.acquire(never);
    expect(lease()).toMatchObject({ leaseTransitions: 4, acquireTime });
  });

  it("asks again after one to 2.2 periods, spread", async () => {
    const { clock, api, held } = world();
    const asked: number[] = [];
    const request = api.request.bind(api);
    api.request = (one) => {
      asked.push(clock.monotonicMs());
      return request(one);
    };
    held({ holderIdentity: "two", leaseDurationSeconds: 3600 });
    const stop = new AbortController();
    const acquired = outcomeOf(build(api, clock).elector.acquire(stop.signal));
    await clock.advance(600_000);
    const waits = asked.slice(1).map((at, index) => at - asked[index]!);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(2000);
    expect(Math.max(...waits)).toBeLessThan(4400);
    expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(1500);
    stop.abort(new Error("enough"));
    await clock.advance(1);
    expect(acquired()).toMatchObject({ message: "enough" });
  });

  it("gives up a request that hangs while there is time for another one", async () => {
    const { clock, api } = world();
    let hangs = false;
    let asked = 0;
    const transport: Transport = {
      server: api.server,
      request: (one) => {
        asked++;
        if (!hangs) return api.request(one);
        return new Promise((_, reject) => {
          one.signal?.addEventListener("abort", () => {
            reject(one.signal?.reason as Error);
          });
        });
      },
      close: () => undefined,
    };
    const { elector, term } = build(api, clock, transport);
    await elector.acquire(never);
    const held = outcomeOf(elector.hold(never));
    await clock.advance(2000);
    hangs = true;
    const before = asked;
    await clock.advance(8000);
    expect(asked - before).toBeGreaterThanOrEqual(1);
    hangs = false;
    await clock.advance(2000);
    expect([held(), term.endsAtMs! > clock.monotonicMs() + 5000]).toEqual([undefined, true]);
  });

  it("leads no more when nobody answers for the length of the deadline", async () => {
    const { clock, api } = world();
    const { elector, term } = build(api, clock);
    await elector.acquire(never);
    api.down = true;
    const held = outcomeOf(elector.hold(never));
    await clock.advance(9999);
    expect(held()).toBeUndefined();
    await clock.advance(2);
    expect(held()).toMatchObject({ code: "leadership-lost" });
    expect(term.endsAtMs).toBe(10_000);
  });

  it("does not take the lead while those who would work stand still", async () => {
    const { clock, api } = world();
    const { elector, standStill } = build(api, clock);
    standStill(5001);
    const acquired = outcomeOf(elector.acquire(never));
    await clock.advance(60_000);
    expect([acquired(), api.requests]).toEqual([undefined, []]);
    standStill(0);
    await clock.advance(5000);
    expect(acquired()).toBe("done");
  });

  it("gives the lead up when those who work are stuck", async () => {
    const { clock, api } = world();
    const { elector, standStill } = build(api, clock);
    await elector.acquire(never);
    const held = outcomeOf(elector.hold(never));
    standStill(30_000);
    await clock.advance(20_000);
    expect(held()).toBeUndefined();
    standStill(30_001);
    await clock.advance(2000);
    expect(held()).toMatchObject({
      code: "leadership-lost",
      message: expect.stringContaining("has been blocked for"),
    });
  });

  it("gives the Lease back, and its own term with it", async () => {
    const { clock, api, lease } = world();
    const { elector, term } = build(api, clock);
    await elector.acquire(never);
    api.latencyMs = 1000;
    const released = elector.release();
    expect(term.endsAtMs).toBe(-Infinity);
    await clock.advance(1000);
    await released;
    expect(lease()).toMatchObject({ holderIdentity: "", leaseDurationSeconds: 1 });
    const events = api.objects("/api/v1/events") as { message?: string; reason?: string }[];
    expect(events.map(({ message }) => message?.replace(/^\S+ /, ""))).toEqual([
      "became leader",
      "stopped leading",
    ]);
    expect(events[0]).toMatchObject({
      reason: "LeaderElection",
      type: "Normal",
      involvedObject: { kind: "Lease", apiVersion: "coordination.k8s.io/v1" },
    });
  });

  it("gives the Lease back although a renewal of its own that was given up came in", async () => {
    const { clock, api, lease, held } = world();
    const { elector } = build(api, clock);
    await elector.acquire(never);
    held({ ...lease(), renewTime: "later" });
    await elector.release();
    expect(lease().holderIdentity).toBe("");
  });

  it("gives back neither another's Lease nor one whose term is over", async () => {
    const { clock, api, lease, held } = world();
    const { elector } = build(api, clock);
    await elector.acquire(never);
    held({ holderIdentity: "two", leaseDurationSeconds: 15 });
    await elector.release();
    expect(lease().holderIdentity).toBe("two");

    api.remove(PATH);
    const late = build(api, clock);
    await late.elector.acquire(never);
    await clock.advance(10_000);
    await late.elector.release();
    expect(lease().holderIdentity).toBe("one");
    // Who never led has nothing to give back.
    const third = build(api, clock, api, "three");
    await third.elector.release();
    expect([lease().holderIdentity, third.term.endsAtMs]).toEqual(["one", undefined]);
  });

  it.each([
    { renewDeadlineMs: 15_000 },
    { retryPeriodMs: 9000 },
    { leaseDurationMs: 10_000, renewDeadlineMs: 10_000 },
  ])("refuses times that do not fit together: %o", (times) => {
    expect(() => {
      checkTimes({ ...SETTINGS, ...times });
    }).toThrow("do not fit");
    expect(() => {
      checkTimes(SETTINGS);
    }).not.toThrow();
  });
});
