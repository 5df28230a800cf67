import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { LiveClient } from "../../../src/runtime/client/live-client.ts";
import { RestClient } from "../../../src/runtime/rest/rest-client.ts";
import { LEASE, type Lease } from "../../../src/runtime/leader-election/lease.ts";
import type { LeaderTerm } from "../../../src/runtime/leader-election/leader-election.ts";
import { Neighbours, RING_ANNOTATION } from "../../../src/runtime/sharding/neighbours.ts";
import { ShardLease } from "../../../src/runtime/sharding/shard-lease.ts";
import { MemoryApi } from "../support/memory-api.ts";
import { asRead } from "../../support/as-read.ts";

const SETTINGS = {
  id: "web",
  namespace: "d",
  identity: "one",
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2000,
};
const LEASES = "/apis/coordination.k8s.io/v1/leases";

function build() {
  const world = new VirtualClock();
  const api = new MemoryApi(world);
  const client = new LiveClient(new RestClient(api, world), { fieldManager: "test" });
  const term: LeaderTerm = { endsAtMs: undefined };
  const lease = new ShardLease({ ...SETTINGS, client, clock: world, term });
  const stored = (): Lease | undefined => api.objects(LEASES)[0];
  return {
    world,
    api,
    client,
    lease,
    stored,
    ring: () => stored()?.metadata.annotations?.[RING_ANNOTATION],
    writes: () => api.requests.filter((request) => !request.startsWith("GET")).length,
    leftMs: () => (lease.endsAtMs ?? -Infinity) - world.monotonicMs(),
  };
}

/** Lets time pass until the work is done. */
async function during<T>(world: VirtualClock, work: Promise<T>, ms = 20_000): Promise<T> {
  const settled = work.catch((error: unknown) => error);
  await world.advance(ms);
  await settled;
  return work;
}

describe("the Lease of a shard", () => {
  it("says by which members the process works, and for how long that is sure", async () => {
    const { world, lease, ring, stored, leftMs } = build();
    await during(world, lease.publish(["one", "two"], true), 0);
    expect(ring()).toBe("one,two");
    expect(stored()?.spec).toMatchObject({ holderIdentity: "one", leaseDurationSeconds: 15 });
    expect(leftMs()).toBe(10_000);
  });

  it("counts its term from before the request, however long the answer takes", async () => {
    const { world, api, lease, leftMs } = build();
    api.latencyMs = 3000;
    await during(world, lease.publish(["one"], true), 3000);
    expect(leftMs()).toBe(7000);
  });

  it("is renewed as it is while nobody publishes, and not before that", async () => {
    const { world, lease, ring, writes, leftMs } = build();
    await during(world, lease.publish(["one"], true), 2999);
    await during(world, lease.renew(3000), 0);
    expect(writes()).toBe(1);
    await during(world, lease.renew(3000), 1);
    expect(writes()).toBe(1);
    await during(world, lease.renew(3000), 0);
    expect(writes()).toBe(2);
    expect(ring()).toBe("one");
    expect(leftMs()).toBe(10_000);
  });

  it("brings no term back that was over: its keys may be with others", async () => {
    const { world, lease, writes, leftMs } = build();
    await during(world, lease.renew(0), 0);
    expect(writes()).toBe(0);
    await during(world, lease.publish(["one"], true), 10_000);
    await during(world, lease.renew(0), 0);
    expect(writes()).toBe(1);
    const refused = { code: "shard-term-over" };
    await expect(during(world, lease.publish(["one"], false), 0)).rejects.toMatchObject(refused);
    expect([writes(), leftMs()]).toEqual([1, 0]);
    await during(world, lease.publish([], true), 0);
    expect(leftMs()).toBe(10_000);
  });

  it("prolongs no term that ended before the server's answer came", async () => {
    const { world, api, lease, ring, leftMs } = build();
    await during(world, lease.publish(["one"], true), 8000);
    api.latencyMs = 3000;
    const late = lease.publish(["one", "two"], false);
    await expect(during(world, late, 4000)).rejects.toMatchObject({ code: "shard-term-over" });
    expect(ring()).toBe("one,two");
    expect(leftMs()).toBeLessThan(0);
  });

  it("ends the term at once when it is gone: to the others the process has gone with it", async () => {
    const { world, client, lease, ring, leftMs } = build();
    await during(world, lease.publish(["one"], true), 0);
    await during(world, client.delete(LEASE, { namespace: "d", name: "web-one" }), 0);
    await expect(during(world, lease.renew(0), 0)).rejects.toMatchObject({
      status: { reason: "NotFound" },
    });
    expect(leftMs()).toBe(-Infinity);
    await during(world, lease.publish([], true), 0);
    expect([ring(), leftMs()]).toEqual(["", 10_000]);
  });

  it("goes on from one that an earlier process of that name has left", async () => {
    const { world, client, lease, ring } = build();
    const metadata = { namespace: "d", name: "web-one" };
    await during(world, client.create(LEASE, { metadata }), 0);
    await expect(during(world, lease.publish(["one"], true), 0)).rejects.toMatchObject({
      status: { reason: "AlreadyExists" },
    });
    await during(world, lease.publish(["one"], true), 0);
    expect(ring()).toBe("one");
  });

  it("writes one after the other, and nothing after it was withdrawn", async () => {
    const { world, api, lease, stored } = build();
    await during(world, lease.publish(["one"], true), 0);
    api.latencyMs = 500;
    const both = [lease.publish(["one", "two"], false), lease.publish(["one"], false)];
    const sent = () => api.requests.filter((request) => request.startsWith("PUT")).length;
    await world.advance(600);
    expect(sent()).toBe(1);
    await world.advance(500);
    expect(sent()).toBe(2);
    await during(world, Promise.all([...both, lease.withdraw()]), 5000);
    expect(stored()).toBeUndefined();
    await during(world, lease.renew(0), 1000);
    expect(stored()).toBeUndefined();
  });
});

describe("the neighbours of a shard", () => {
  const leaseOf = (holderIdentity: string, resourceVersion: string): Lease =>
    asRead({
      apiVersion: "coordination.k8s.io/v1",
      kind: "Lease",
      metadata: { name: holderIdentity, resourceVersion },
      spec: { holderIdentity, leaseDurationSeconds: 15 },
    });

  it("are there until a look finds that their Leases were not renewed for long enough", async () => {
    const world = new VirtualClock();
    const neighbours = new Neighbours(world);
    const names = () => neighbours.live().map(({ identity }) => identity);
    neighbours.update([leaseOf("one", "1"), leaseOf("two", "1"), leaseOf("three", "1")], "one", 0);
    expect(names()).toEqual(["two", "three"]);
    await world.advance(60_000);
    // Nobody looked: a claim that was seen still counts.
    expect(names()).toEqual(["two", "three"]);
    neighbours.update([leaseOf("two", "2"), leaseOf("three", "1")], "one", 0);
    expect(names()).toEqual(["two"]);
  });

  it("are forgotten when nobody has renewed their Leases for twenty times their length", async () => {
    const world = new VirtualClock();
    const neighbours = new Neighbours(world);
    const look = () =>
      neighbours
        .update([leaseOf("one", "1"), leaseOf("two", "1")], "one", 0)
        .map(({ metadata }) => metadata.name);
    expect(look()).toEqual([]);
    await world.advance(299_000);
    expect(look()).toEqual([]);
    await world.advance(1000);
    expect(look()).toEqual(["two"]);
  });
});
