/**
 * Thousands of changes of the leader, by processes that are stopped, clocks that jump, and a server that is slow, away,
 * or answers nobody. Looked at from the server: whoever writes holds the Lease at that moment.
 */
import { describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { silentLogger } from "../../../src/log.ts";
import { LiveClient } from "../../../src/runtime/client/live-client.ts";
import { RestClient } from "../../../src/runtime/rest/rest-client.ts";
import {
  LeaderElector,
  type LeaderTerm,
} from "../../../src/runtime/leader-election/leader-election.ts";
import { FencedTransport } from "../../../src/runtime/transport/fenced-transport.ts";
import {
  ConnectionError,
  type Transport,
  type TransportRequest,
  type TransportResponse,
} from "../../../src/runtime/transport/transport.ts";
import { MemoryApi } from "../support/memory-api.ts";
import { StoppableClock } from "../support/stoppable-clock.ts";

// `TSOP_FLIPS=10000` is the whole run, `TSOP_FLIP_SEED` replays one; a failure names its seed.
const FLIPS = Number(process.env["TSOP_FLIPS"] ?? 1000);
const FIRST_SEED = Number(process.env["TSOP_FLIP_SEED"] ?? 1);
const FLIPS_OF_A_SEED = 100;
const PROCESSES = 3;
// What lies between the end of a term and the first moment at which another may begin: 15 s less 10 s.
const LONGEST_WAY_MS = 4500;

const LEASES = "/apis/coordination.k8s.io/v1/leases";
const CONFIG_MAPS = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
};

interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseTransitions?: number;
}

/** All processes, their network and their server. */
class World {
  readonly clock: VirtualClock;
  readonly api: MemoryApi;
  readonly broken: string[] = [];
  /** How long a request is on its way to the server, at most, and its answer back. */
  slowMs = 0;
  lossy = false;
  writes = 0;

  constructor(seed: number) {
    this.clock = new VirtualClock({ seed });
    this.api = new MemoryApi(this.clock);
  }

  get lease(): LeaseSpec {
    return (this.api.objects(LEASES)[0] as { spec?: LeaseSpec } | undefined)?.spec ?? {};
  }

  /** The way of one process to the server. What is sent arrives, even if nobody waits for the answer any more. */
  transportOf(identity: string): Transport {
    const { api, clock } = this;
    const way = (): Promise<void> =>
      this.slowMs > 0 ? clock.sleep(this.slowMs * clock.random()) : Promise.resolve();
    const exchange = async (request: TransportRequest): Promise<TransportResponse> => {
      await way();
      if (this.lossy && clock.random() < 0.3) {
        throw new ConnectionError("reset", api.server, "lost on the way");
      }
      if (request.path.includes("/configmaps")) this.#written(identity);
      const response = await api.request({ ...request, signal: undefined });
      if (this.lossy && clock.random() < 0.3) {
        throw new ConnectionError("reset", api.server, "the answer was lost");
      }
      await way();
      return response;
    };
    return {
      server: api.server,
      request: (request) =>
        new Promise((resolve, reject) => {
          request.signal?.addEventListener("abort", () => {
            reject(request.signal?.reason as Error);
          });
          exchange(request).then(resolve, reject);
        }),
      close: () => undefined,
    };
  }

  #written(identity: string): void {
    this.writes++;
    const { holderIdentity } = this.lease;
    if (holderIdentity === identity) return;
    this.broken.push(`${identity} wrote while ${String(holderIdentity)} led`);
  }
}

/** One process, which starts anew whenever it lost the lead. */
class Replica {
  readonly clock: StoppableClock;
  readonly #world: World;
  readonly #name: string;
  #term: LeaderTerm = { endsAtMs: undefined };
  #leave = new AbortController();
  #starts = 0;

  constructor(world: World, name: string) {
    this.#world = world;
    this.#name = name;
    this.clock = new StoppableClock(world.clock);
  }

  /** Whether it may write now, stopped or not. */
  get isInTerm(): boolean {
    return (this.#term.endsAtMs ?? -Infinity) > this.clock.monotonicMs();
  }

  /** Ends it in good order; it starts again. */
  leave(): void {
    this.#leave.abort();
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#leave = new AbortController();
      const stop = AbortSignal.any([signal, this.#leave.signal]);
      await this.#live(`${this.#name}-${++this.#starts}`, stop);
      await this.clock.sleep(500, signal).catch(() => undefined);
    }
  }

  async #live(identity: string, signal: AbortSignal): Promise<void> {
    const { clock } = this;
    const transport = this.#world.transportOf(identity);
    const term: LeaderTerm = { endsAtMs: undefined };
    this.#term = term;
    const elector = new LeaderElector({
      client: new LiveClient(new RestClient(transport, clock), { fieldManager: "elector" }),
      clock,
      log: silentLogger,
      key: { namespace: "d", name: "web" },
      identity,
      leaseDurationMs: 15_000,
      renewDeadlineMs: 10_000,
      retryPeriodMs: 2000,
      stuckAfterMs: 30_000,
      term,
      standsStillMs: () => 0,
    });
    const fenced = new FencedTransport(transport, clock, () => term.endsAtMs);
    const client = new LiveClient(new RestClient(fenced, clock), { fieldManager: "work" });
    const done = new AbortController();
    try {
      await elector.acquire(signal);
      // It goes on writing until it is told to stop, as a reconciler does that knows nothing of leases.
      const working = this.#work(client, AbortSignal.any([signal, done.signal]));
      await elector.hold(signal).finally(() => {
        done.abort();
      });
      await working;
      if (fenced.settled) await elector.release();
    } catch {
      // Lost, or stopped before it led.
      done.abort();
    }
  }

  async #work(client: LiveClient, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const name = `at-${this.clock.monotonicMs()}`;
      const object = { metadata: { namespace: "d", name } };
      await client.create(CONFIG_MAPS, object).catch(() => undefined);
      await this.clock.sleep(3000, signal).catch(() => undefined);
    }
  }
}

async function run(seed: number): Promise<{ flips: number; writes: number }> {
  const world = new World(seed);
  const dice = new VirtualClock({ seed: seed + 1_000_000 });
  const draw = (below: number): number => Math.floor(dice.random() * below);
  const replicas = Array.from({ length: PROCESSES }, (_, index) => new Replica(world, `r${index}`));
  const stop = new AbortController();
  const running = replicas.map((replica) => replica.run(stop.signal));
  const look = (): void => {
    const inTerm = replicas.filter(({ isInTerm }) => isInTerm).length;
    if (inTerm > 1) world.broken.push(`${inTerm} are in their term`);
  };
  const advance = async (durationMs: number): Promise<void> => {
    for (let leftMs = durationMs; leftMs > 0; leftMs -= 2000) {
      await world.clock.advance(Math.min(leftMs, 2000));
      look();
    }
  };
  const flips = (): number => world.lease.leaseTransitions ?? 0;
  while (flips() < FLIPS_OF_A_SEED && world.broken.length === 0) {
    const leader = replicas.find(({ isInTerm }) => isInTerm);
    const victim = leader && draw(4) > 0 ? leader : replicas[draw(PROCESSES)]!;
    const fault = draw(10);
    world.slowMs = draw(3) === 0 ? draw(LONGEST_WAY_MS) : 0;
    world.lossy = draw(6) === 0;
    if (fault < 5) {
      victim.clock.stop();
      await advance(10_000 + draw(20_000));
      victim.clock.resume();
    } else if (fault < 8) victim.leave();
    else if (fault < 9) victim.clock.jump((dice.random() - 0.5) * 7_200_000);
    else {
      world.api.down = true;
      await advance(draw(25_000));
      world.api.down = false;
    }
    await advance(draw(8000));
  }
  world.slowMs = 0;
  world.lossy = false;
  const all = flips();
  stop.abort();
  await world.clock.advance(60_000);
  await Promise.all(running);
  expect(world.broken, `seed ${seed}`).toEqual([]);
  expect(world.clock.pending, `seed ${seed}`).toBe(0);
  return { flips: all, writes: world.writes };
}

describe("changes of the leader", () => {
  it(
    `never lets two processes lead, or a former leader write, over ${FLIPS} of them`,
    { timeout: 60_000 + FLIPS * 20 },
    async () => {
      let flips = 0;
      let writes = 0;
      for (let seed = FIRST_SEED; flips < FLIPS; seed++) {
        const result = await run(seed);
        flips += result.flips;
        writes += result.writes;
      }
      expect(writes).toBeGreaterThan(flips);
    },
  );
});
