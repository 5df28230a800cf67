/**
 * Keeps the leadership or the shard, and answers the probes, in a thread of its own, so that no
 * reconcile gets in its way. It stays in the main thread where a test provides the clock or the
 * transport.
 */
import { systemClock, type Clock } from "../../clock.ts";
import type { TsopError } from "../../errors.ts";
import { SIDE_THREAD_PROGRAM } from "../../generated/side-thread-program.ts";
import type { Logger } from "../../log.ts";
import { heapProblem, memoryLimits } from "./heap-limit.ts";
import { present } from "../../present.ts";
import type { Client } from "../client/client.ts";
import type { ExchangeObserver } from "../rest/rest-client.ts";
import { ShardLease, type ShardPresence, type ShardSettings } from "../sharding/shard-lease.ts";
import type { ThreadLease } from "../side-thread/protocol.ts";
import { SideThread } from "../side-thread/side-thread.ts";
import type { ClusterConfig } from "../transport/cluster-config.ts";
import { electionSettings } from "./coordination.ts";
import { serveProbes, type ProbeAnswer } from "../serving/health.ts";
import type { RunningServer } from "../serving/http-serving.ts";
import {
  LeaderElector,
  type Election,
  type ElectionSettings,
  type LeaderTerm,
} from "../leader-election/leader-election.ts";
import type { Endpoint } from "../serving/listening.ts";
import type { ManagerOptions } from "./manager-options.ts";

interface KeeperParts {
  /** The cluster that a thread connects to; without it, the main thread does everything. */
  readonly config: ClusterConfig | undefined;
  readonly election: ElectionSettings | undefined;
  readonly shard: ShardSettings | undefined;
  readonly health: Endpoint | undefined;
  /** How long the main thread may be blocked before the process counts as stuck. */
  readonly stuckAfterMs: number;
  /** The field manager, and the user agent. */
  readonly name: string;
  /** A client that is neither cached nor fenced. */
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observe: ExchangeObserver;
  readonly probe: (url: string) => Promise<ProbeAnswer>;
  /** Called when the thread ends by itself. */
  readonly failed: (error: TsopError) => void;
}

interface OfManager extends Omit<
  KeeperParts,
  "config" | "election" | "health" | "stuckAfterMs" | "name"
> {
  /** The namespace of the pod. */
  readonly namespace: string;
}

export function keeperOf(
  options: ManagerOptions,
  config: ClusterConfig | undefined,
  { namespace, ...parts }: OfManager,
): Keeper {
  const { leaderElection, health, stuckAfterMs = 30_000, name = "tsop", transport } = options;
  const { clock } = parts;
  // A thread cannot use a test's transport or clock.
  const simulated =
    clock !== systemClock || transport !== undefined || config?.connect !== undefined;
  return new Keeper({
    ...parts,
    config: simulated ? undefined : config,
    election:
      leaderElection && electionSettings(leaderElection, stuckAfterMs, { clock, namespace }),
    health,
    stuckAfterMs,
    name,
  });
}

export class Keeper {
  readonly #parts: KeeperParts;
  #term: LeaderTerm = { endsAtMs: undefined };
  #election: Election | undefined;
  #presence: ShardPresence | undefined;
  #thread: SideThread | undefined;
  #server: RunningServer | undefined;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
  }

  /** The time until which this process may write; `undefined` before it was ever the leader. */
  get endsAtMs(): number | undefined {
    return this.#term.endsAtMs;
  }

  /** The election, once it has started; `undefined` without one. */
  get election(): Election | undefined {
    return this.#election;
  }

  /** The Lease of this process among those that share the keys, once started. */
  get presence(): ShardPresence | undefined {
    return this.#presence;
  }

  /** The port of the probes, once started. */
  get healthPort(): number | undefined {
    return this.#thread?.healthPort ?? this.#server?.port;
  }

  /** Resolves when the probes are answered. @throws TsopError `port-in-use` */
  async start(): Promise<void> {
    const { config, election, shard, health, probe, log } = this.#parts;
    const problem = heapProblem(memoryLimits());
    if (problem !== undefined) log.warn(problem);
    const ofThread = this.#leaseOfThread();
    if (config && (ofThread ?? health)) await this.#startThread(ofThread);
    else if (health) this.#server = await serveProbes(health, probe);
    const thread = ofThread && this.#thread;
    if (election) this.#election = thread ?? this.#elector(election);
    if (shard) this.#presence = thread ?? this.#shardLease(shard);
  }

  /** Stops everything. Release the Lease before. */
  async stop(): Promise<void> {
    await this.#thread?.stop();
    await this.#server?.stop();
  }

  async #startThread(lease: ThreadLease | undefined): Promise<void> {
    const { election, shard, health, stuckAfterMs } = this.#parts;
    const settings = {
      stuckAfterMs,
      ...(lease && present({ lease, election, shard })),
      ...present({ health }),
    };
    this.#thread = new SideThread(settings, { ...this.#parts, program: SIDE_THREAD_PROGRAM });
    if (lease) this.#term = this.#thread.term;
    await this.#thread.start();
  }

  /** The thread's access to the Lease; `undefined` when it needs none, or has none. */
  #leaseOfThread(): ThreadLease | undefined {
    const { config, election, shard, name, log } = this.#parts;
    if (!config || !(election ?? shard)) return undefined;
    const { credentials, ...cluster } = config;
    const { recipe } = credentials;
    if (recipe) return { cluster, credentials: recipe, name };
    log.warn(
      "The credentials come from code of this program, so the main thread renews the Lease. A reconcile that blocks the main thread loses the leadership, or the keys of the shard.",
    );
    return undefined;
  }

  #shardLease(settings: ShardSettings): ShardLease {
    const { client, clock } = this.#parts;
    return new ShardLease({ ...settings, client, clock, term: this.#term });
  }

  #elector(settings: ElectionSettings): LeaderElector {
    const { client, clock, log } = this.#parts;
    return new LeaderElector({
      ...settings,
      client,
      clock,
      log,
      term: this.#term,
      standsStillMs: () => 0,
    });
  }
}
