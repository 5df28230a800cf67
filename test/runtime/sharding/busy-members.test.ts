/**
 * T53 with side threads: processes that share keys, of which the main threads are busy, the whole ones are stopped, the
 * server is slow or away. Nobody works on a key that somebody else has begun, and who is only busy loses nothing.
 */
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { silentLogger } from "../../../src/log.ts";
import { LiveClient } from "../../../src/runtime/client/live-client.ts";
import { RestClient } from "../../../src/runtime/rest/rest-client.ts";
import { ownerOf } from "../../../src/runtime/sharding/rendezvous.ts";
import { ShardLease } from "../../../src/runtime/sharding/shard-lease.ts";
import { ShardMember } from "../../../src/runtime/sharding/shard-member.ts";
import { MemoryApi } from "../support/memory-api.ts";
import { StoppableClock } from "../support/stoppable-clock.ts";

// `TSOP_SHARD_SEEDS=1000` is a long run; a failure names its seed, and `TSOP_SHARD_FIRST` begins there.
const FIRST = Number(process.env["TSOP_SHARD_FIRST"] ?? 1);
const SEEDS = Number(process.env["TSOP_SHARD_SEEDS"] ?? 10);
const KEYS = Array.from({ length: 8 }, (_, index) => `d/key-${index}`);
const RETRY_MS = 2000;

/** Looks at who writes: between the begin and the end of one's work nobody else may begin. */
class Referee {
  readonly broken: string[] = [];
  readonly #last = new Map<string, string>();

  begin(key: string, run: string): void {
    this.#last.set(key, run);
  }

  end(key: string, run: string): void {
    const last = this.#last.get(key);
    if (last !== run) this.broken.push(`${run} ended ${key}, after ${String(last)} had begun`);
  }
}

/** A process of two threads; its main thread works on the keys that it has. */
class Process {
  readonly identity: string;
  readonly main: StoppableClock;
  readonly member: ShardMember;
  expirations = 0;
  runs = 0;
  readonly #side: StoppableClock;
  readonly #lease: ShardLease;
  readonly #end = new AbortController();

  constructor(world: VirtualClock, api: MemoryApi, identity: string) {
    this.identity = identity;
    this.main = new StoppableClock(world);
    this.#side = new StoppableClock(world);
    const settings = {
      id: "web",
      namespace: "d",
      identity,
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: RETRY_MS,
    };
    const clientOn = (clock: StoppableClock) =>
      new LiveClient(new RestClient(api, clock), { fieldManager: "test" });
    const clock = this.#side;
    const term = { endsAtMs: undefined };
    this.#lease = new ShardLease({ ...settings, client: clientOn(clock), clock, term });
    this.member = new ShardMember({
      client: clientOn(this.main),
      clock: this.main,
      log: silentLogger,
      settings,
      presence: () => this.#lease,
      expired: () => this.expirations++,
    });
  }

  start(referee: Referee, workMs: () => number): void {
    const { signal } = this.#end;
    void this.member.start(signal);
    void this.#keepRenewing(signal);
    for (const key of KEYS) void this.#workOn(key, referee, workMs, signal);
  }

  end(): void {
    this.#end.abort();
  }

  /** The whole process, as SIGSTOP does; or its main thread only, as a computation does. */
  stop(whole: boolean): void {
    this.main.stop();
    if (whole) this.#side.stop();
  }

  resume(): void {
    this.#side.resume();
    this.main.resume();
  }

  /** As the side thread does. */
  async #keepRenewing(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#side.sleep(RETRY_MS / 2);
      await this.#lease.renew(RETRY_MS * 1.5).catch(() => undefined);
    }
  }

  async #workOn(
    key: string,
    referee: Referee,
    workMs: () => number,
    signal: AbortSignal,
  ): Promise<void> {
    while (!signal.aborted) {
      if (this.member.enter(key)) {
        const run = `${this.identity} ${++this.runs}`;
        const { expirations } = this;
        referee.begin(key, run);
        await this.main.sleep(workMs());
        // The fence of writes: the term, and that it is still the one in which the work was begun.
        const fenced =
          this.expirations > expirations ||
          this.main.monotonicMs() >= (this.member.endsAtMs ?? -Infinity);
        if (!fenced) referee.end(key, run);
        this.member.leave(key);
      }
      await this.main.sleep(1000);
    }
  }
}

const ownersOf = (key: string, all: readonly Process[]): string[] =>
  all.filter(({ member }) => member.mayWork(key)).map(({ identity }) => identity);

describe("shards with side threads", () => {
  it("T53: who is busy for minutes keeps its keys, and only those", async () => {
    const world = new VirtualClock();
    const api = new MemoryApi(world);
    const referee = new Referee();
    const [busy, other] = ["busy", "other"].map((name) => new Process(world, api, name)) as [
      Process,
      Process,
    ];
    for (const one of [busy, other]) one.start(referee, () => 100);
    await world.advance(15_000);
    const before = KEYS.map((key) => ownersOf(key, [busy, other]));
    expect(before.every((owners) => owners.length === 1)).toBe(true);
    expect(new Set(before.flat())).toEqual(new Set(["busy", "other"]));

    busy.stop(false);
    await world.advance(120_000);
    expect(KEYS.map((key) => ownersOf(key, [busy, other]))).toEqual(before);
    expect(other.member.members).toEqual(["busy", "other"]);
    const { runs } = busy;
    busy.resume();
    await world.advance(3000);
    expect(busy.runs).toBeGreaterThan(runs);
    expect([busy.expirations, referee.broken]).toEqual([0, []]);
    for (const one of [busy, other]) one.end();
  });

  it("T53: who comes while another one is busy waits for it", async () => {
    const world = new VirtualClock();
    const api = new MemoryApi(world);
    const referee = new Referee();
    const busy = new Process(world, api, "busy");
    busy.start(referee, () => 5000);
    await world.advance(5000);
    busy.stop(false);
    const late = new Process(world, api, "late");
    late.start(referee, () => 100);
    await world.advance(60_000);
    expect(late.runs).toBe(0);
    busy.resume();
    await world.advance(30_000);
    expect(late.runs).toBeGreaterThan(0);
    expect(referee.broken).toEqual([]);
    for (const one of [busy, late]) one.end();
  });

  it("T53: who was stopped for longer than its term gives up all that it had begun", async () => {
    const world = new VirtualClock();
    const only = new Process(world, new MemoryApi(world), "only");
    only.start(new Referee(), () => 100);
    await world.advance(10_000);
    only.stop(true);
    await world.advance(60_000);
    only.resume();
    await world.advance(10_000);
    expect(only.expirations).toBe(1);
    expect(KEYS.every((key) => only.member.mayWork(key))).toBe(true);
    await only.member.end();
    expect(KEYS.some((key) => only.member.mayWork(key))).toBe(false);
    only.end();
  });

  it("T53: nothing new is begun with keys that are to be another's", async () => {
    const world = new VirtualClock();
    const api = new MemoryApi(world);
    const first = new Process(world, api, "first");
    first.start(new Referee(), () => 20_000);
    await world.advance(5000);
    const second = new Process(world, api, "second");
    second.start(new Referee(), () => 100);
    await world.advance(8000);
    const moving = KEYS.filter((key) => ownerOf(key, ["first", "second"]) === "second");
    expect(moving.length).toBeGreaterThan(0);
    expect(moving.map((key) => ownersOf(key, [first, second]))).toEqual(moving.map(() => []));
    expect(first.member.settled).toBe(false);
    await world.advance(40_000);
    expect(moving.map((key) => ownersOf(key, [first, second]))).toEqual(
      moving.map(() => ["second"]),
    );
    for (const one of [first, second]) one.end();
  });

  it("T53: two that begin at nearly the same time never have one key, however long answers take", async () => {
    for (let seed = 0; seed < 60; seed++) {
      const world = new VirtualClock({ seed });
      const dice = new VirtualClock({ seed: seed + 1000 });
      const api = new MemoryApi(world);
      const both = ["one", "two"].map((name) => new Process(world, api, name));
      const laterMs = 100 * Math.floor(dice.random() * 20);
      for (let atMs = 0; atMs < 8000; atMs += 100) {
        if (atMs === 0) both[0]?.start(new Referee(), () => 1500);
        if (atMs === laterMs) both[1]?.start(new Referee(), () => 1500);
        api.latencyMs = dice.random() * 1500;
        await world.advance(100);
        const shared = KEYS.filter((key) => ownersOf(key, both).length > 1);
        expect(shared, `seed ${seed}, after ${atMs} ms`).toEqual([]);
      }
      for (const one of both) one.end();
    }
  });

  it("T53: who is alone is settled only once it has all keys, so that no event is forgotten", async () => {
    const world = new VirtualClock();
    const api = new MemoryApi(world);
    api.latencyMs = 700;
    const alone = new Process(world, api, "alone");
    alone.start(new Referee(), () => 100);
    for (let atMs = 0; atMs < 10_000; atMs += 100) {
      await world.advance(100);
      const all = KEYS.every((key) => alone.member.mayWork(key));
      expect(alone.member.settled, `after ${atMs} ms`).toBe(all);
    }
    expect(alone.member.settled).toBe(true);
    alone.end();
  });

  it("T53: nobody is settled just before the members change, so that no event is forgotten", async () => {
    const world = new VirtualClock();
    const api = new MemoryApi(world);
    api.latencyMs = 300;
    const all = ["one", "two", "three"].map((name) => new Process(world, api, name));
    const last = new Map<Process, { settled: boolean; members: string }>();
    const watch = async (durationMs: number): Promise<void> => {
      for (let atMs = 0; atMs < durationMs; atMs += 50) {
        await world.advance(50);
        for (const one of all) {
          const { settled, members } = one.member;
          const before = last.get(one);
          if (before && before.members !== members.join()) expect(before.settled).toBe(false);
          last.set(one, { settled, members: members.join() });
        }
      }
    };
    for (const one of all) {
      one.start(new Referee(), () => 100);
      await watch(8000);
    }
    const [dying, ...others] = all;
    dying?.stop(true);
    await watch(30_000);
    for (const { member } of others) {
      expect(member).toMatchObject({ settled: true, members: ["three", "two"] });
    }
    for (const one of all) one.end();
  });

  it(`T53: no key is with two, whatever is busy, stopped, slow or away (${SEEDS} seeds)`, async () => {
    for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
      const world = new VirtualClock({ seed });
      const dice = new VirtualClock({ seed: seed + 1000 });
      const draw = (below: number): number => Math.floor(dice.random() * below);
      const api = new MemoryApi(world);
      const referee = new Referee();
      const all = ["one", "two", "three"].map((name) => new Process(world, api, name));
      for (const one of all) one.start(referee, () => draw(6000));
      for (let step = 0; step < 30; step++) {
        const victim = all[draw(all.length)]!;
        const fault = dice.random();
        if (fault < 0.25) victim.stop(false);
        else if (fault < 0.4) victim.stop(true);
        else if (fault < 0.7) victim.resume();
        else if (fault < 0.8) api.latencyMs = draw(6000);
        else if (fault < 0.9) api.down = !api.down;
        else if (all.length < 5) {
          const late = new Process(world, api, `new-${step}`);
          late.start(referee, () => draw(6000));
          all.push(late);
        }
        await world.advance(draw(12_000));
      }
      expect(referee.broken, `seed ${seed}`).toEqual([]);
      api.down = false;
      api.latencyMs = 0;
      for (const one of all) one.resume();
      await world.advance(60_000);
      for (const key of KEYS) expect(ownersOf(key, all), `seed ${seed}, ${key}`).toHaveLength(1);
      expect(referee.broken, `seed ${seed}`).toEqual([]);
      for (const one of all) one.end();
    }
  });
});
