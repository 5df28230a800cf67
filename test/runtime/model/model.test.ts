/**
 * T51, the model check: random schedules of writes, cuts, compactions, crashes and changes of the leader, over one
 * or two replicas that each have an informer and a queue, and of which one reconciles.
 *
 * What must hold: once the faults stop, the leader's cache is the server, and every key whose state differs from what
 * was reconciled last is reconciled again; no object goes back in time while it lives; no key is in two hands.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { VirtualClock } from "../../../src/clock.ts";
import { silentLogger } from "../../../src/log.ts";
import type { KubeObject } from "../../../src/kube/object.ts";
import { SharedInformer } from "../../../src/runtime/cache/shared-informer.ts";
import { WorkQueue } from "../../../src/runtime/queue/work-queue.ts";
import { ModelServer } from "./model-server.ts";

// A failure names its seed: `TSOP_MODEL_FIRST=<seed> TSOP_MODEL_SEEDS=1` replays it; more seeds make a longer run.
const FIRST = Number(process.env["TSOP_MODEL_FIRST"] ?? 1);
const SEEDS = Number(process.env["TSOP_MODEL_SEEDS"] ?? 10_000);

const NAMES = ["a", "b", "c"];
const STEPS = 10;
const WORKERS = 2;
// The longest wait of a reflector is 60 s.
const REST_MS = 130_000;

/** What was reconciled last, by name: a version, or `undefined` for an object that was not there. */
type Acted = Map<string, string | undefined>;

/** An operator's process. */
class Replica {
  readonly informer: SharedInformer;
  /** The names of all that it was ever told of. */
  readonly told = new Set<string>();
  readonly #living = new Map<string, KubeObject>();
  readonly #queue: WorkQueue;
  readonly #clock: VirtualClock;
  readonly #draw: (below: number) => number;
  readonly #acted: Acted;
  readonly #broken: string[];
  readonly #stop = new AbortController();
  readonly #inHand = new Set<string>();
  readonly #runs: Promise<void>[];

  constructor(
    server: ModelServer,
    clock: VirtualClock,
    draw: (below: number) => number,
    acted: Acted,
    broken: string[],
  ) {
    this.#clock = clock;
    this.#draw = draw;
    this.#acted = acted;
    this.#broken = broken;
    this.#queue = new WorkQueue(clock);
    this.informer = new SharedInformer({
      listerWatcher: server,
      clock,
      log: silentLogger,
      watchList: draw(2) === 0,
    });
    this.informer.addHandler({
      onAdd: (object) => {
        this.#heard(object);
      },
      onUpdate: (_, object) => {
        this.#heard(object);
      },
      onDelete: ({ metadata: { name } }) => {
        this.#living.delete(name);
        this.#queue.add(name);
      },
    });
    this.#runs = [this.informer.start(this.#stop.signal)];
  }

  lead(): void {
    this.#runs.push(...Array.from({ length: WORKERS }, () => this.#work()));
  }

  async crash(): Promise<void> {
    this.#stop.abort();
    this.#queue.shutDown();
    await Promise.all(this.#runs);
  }

  #heard(object: KubeObject): void {
    const { name, uid, resourceVersion } = object.metadata;
    const { metadata: before } = this.#living.get(name) ?? {};
    if (before?.uid === uid && Number(resourceVersion) < Number(before.resourceVersion)) {
      this.#broken.push(`${name} went back to ${resourceVersion}`);
    }
    this.#living.set(name, object);
    this.told.add(name);
    this.#queue.add(name);
  }

  async #work(): Promise<void> {
    const { signal } = this.#stop;
    for (;;) {
      const name = await this.#queue.get();
      if (name === undefined) return;
      if (this.#inHand.has(name)) this.#broken.push(`${name} is in two hands`);
      this.#inHand.add(name);
      const version = this.informer.indexer.get(`d/${name}`)?.metadata.resourceVersion;
      if (this.#draw(2) === 0) {
        await this.#clock.sleep(this.#draw(500), signal).catch(() => undefined);
      }
      if (!signal.aborted) {
        if (this.#draw(8) === 0) this.#queue.addRateLimited(name);
        else {
          this.#queue.forget(name);
          this.#acted.set(name, version);
        }
      }
      this.#inHand.delete(name);
      this.#queue.done(name);
    }
  }
}

/** What does not hold under the schedule of a seed. */
async function run(seed: number): Promise<string[]> {
  const clock = new VirtualClock({ seed });
  const dice = new VirtualClock({ seed: seed + 1_000_000_000 });
  const draw = (below: number): number => Math.floor(dice.random() * below);
  const server = new ModelServer(clock, draw);
  const acted: Acted = new Map();
  const broken: string[] = [];
  const start = (): Replica => new Replica(server, clock, draw, acted, broken);
  let leader = start();
  // In one schedule of three another process stands by.
  let other = draw(3) === 0 ? start() : undefined;
  leader.lead();
  for (let step = 0; step < STEPS; step++) {
    const name = NAMES[draw(NAMES.length)]!;
    const action = draw(14);
    if (action < 6) server.put(name);
    else if (action < 9) server.remove(name);
    else if (action < 10) server.cut();
    else if (action < 12) server.compact();
    else if (action < 13 && other) {
      await other.crash();
      other = start();
    } else {
      // The leader is lost; one that waits takes over with what its queue holds.
      await leader.crash();
      leader = other ?? start();
      if (other) other = start();
      leader.lead();
    }
    if (draw(3) > 0) await clock.advance(draw(1500));
  }
  server.healthy = true;
  await clock.advance(REST_MS);
  const expected = server.versions();
  const replicas = { leader, ...(other ? { other } : {}) };
  for (const [title, { informer }] of Object.entries(replicas)) {
    const cached = new Map(
      informer.indexer.list().map(({ metadata }) => [metadata.name, metadata.resourceVersion]),
    );
    for (const name of NAMES) {
      if (cached.get(name) === expected.get(name)) continue;
      const got = `${String(cached.get(name))} instead of ${String(expected.get(name))}`;
      broken.push(`the ${title} has ${name} at ${got}`);
    }
  }
  for (const name of NAMES) {
    // What was gone before the leader began, it cannot know.
    if (!expected.has(name) && !leader.told.has(name)) continue;
    if (acted.get(name) !== expected.get(name)) {
      broken.push(`${name} was reconciled at ${String(acted.get(name))} last`);
    }
  }
  await Promise.all(Object.values(replicas).map((replica) => replica.crash()));
  if (clock.pending > 0) broken.push(`${clock.pending} timers are left`);
  return broken;
}

const { stackTraceLimit } = Error;
beforeAll(() => {
  // Nobody reads where the faults came from, and to find that out takes a third of the time.
  Error.stackTraceLimit = 0;
});
afterAll(() => {
  Error.stackTraceLimit = stackTraceLimit;
});

describe("T51: the runtime under random schedules", () => {
  it(
    `is equal to the server at rest and has reconciled it, for ${SEEDS} seeds`,
    { timeout: 60_000 + SEEDS * 20 },
    async () => {
      for (let seed = FIRST; seed < FIRST + SEEDS; seed++) {
        const broken = await run(seed);
        if (broken.length > 0) expect(broken, `seed ${seed}`).toEqual([]);
      }
    },
  );
});
