/**
 * Who keeps the lead, or the shard, and answers the probes: a thread of its own, so that no reconcile gets in its way; this thread where
 * time or the way to the server are a test's.
 */
import { systemClock, type Clock } from "../../clock.ts";
import type { TsopError } from "../../errors.ts";
import { SIDE_THREAD_PROGRAM } from "../../generated/side-thread-program.ts";
import type { Logger } from "../../log.ts";
import type { Client } from "../client/client.ts";
import type { ExchangeObserver } from "../client/rest-client.ts";
import { ShardLease, type ShardPresence, type ShardSettings } from "../sharding/shard-lease.ts";
import type { ThreadLease } from "../side-thread/protocol.ts";
import { SideThread } from "../side-thread/side-thread.ts";
import type { ClusterConfig } from "../transport/cluster-config.ts";
import { electionSettings } from "./coordination.ts";
import { serveProbes, type ProbeAnswer } from "./serving/health.ts";
import type { RunningServer } from "./serving/http-serving.ts";
import {
  LeaderElector,
  type Election,
  type ElectionSettings,
  type LeaderTerm,
} from "./leader-election.ts";
import type { Endpoint } from "./serving/listening.ts";
import type { ManagerOptions } from "./manager-options.ts";

/** The parts of a keeper. */
interface KeeperParts {
  /** The cluster that a thread may speak to by itself; everything stays in this thread when absent. */
  readonly config: ClusterConfig | undefined;
  readonly election: ElectionSettings | undefined;
  readonly shard: ShardSettings | undefined;
  readonly health: Endpoint | undefined;
  /** How long this thread may stand still before the process is taken for stuck. */
  readonly stuckAfterMs: number;
  /** Who writes, and the user agent. */
  readonly name: string;
  /** Neither cached nor fenced. */
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Logger;
  readonly observe: ExchangeObserver;
  readonly probe: (url: string) => Promise<ProbeAnswer>;
  /** Told when the thread ends by itself. */
  readonly failed: (error: TsopError) => void;
}

/** The parts of a keeper that its manager provides. */
interface OfManager extends Omit<
  KeeperParts,
  "config" | "election" | "health" | "stuckAfterMs" | "name"
> {
  /** Of the pod. */
  readonly namespace: string;
}

/** The keeper that a manager's options ask for. */
export function keeperOf(
  options: ManagerOptions,
  config: ClusterConfig | undefined,
  { namespace, ...parts }: OfManager,
): Keeper {
  const { leaderElection, health, stuckAfterMs = 30_000, name = "tsop", transport } = options;
  const { clock } = parts;
  // A thread has no way to a test's server, nor to its time.
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

/** Takes part in the election, or shares the keys, if that is asked for, and serves the probes, if they are asked for. */
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

  /** Until when this process may write; `undefined` before it ever led. */
  get endsAtMs(): number | undefined {
    return this.#term.endsAtMs;
  }

  /** The election, once started, if there is one. */
  get election(): Election | undefined {
    return this.#election;
  }

  /** This process's Lease among those that share the keys, once started. */
  get presence(): ShardPresence | undefined {
    return this.#presence;
  }

  /** Where the probes are answered, once started. */
  get healthPort(): number | undefined {
    return this.#thread?.healthPort ?? this.#server?.port;
  }

  /** Resolves when the probes are answered. @throws TsopError `port-in-use` */
  async start(): Promise<void> {
    const { config, election, shard, health, probe } = this.#parts;
    const ofThread = this.#leaseOfThread();
    if (config && (ofThread ?? health)) await this.#startThread(ofThread);
    else if (health) this.#server = await serveProbes(health, probe);
    const thread = ofThread && this.#thread;
    if (election) this.#election = thread ?? this.#elector(election);
    if (shard) this.#presence = thread ?? this.#shardLease(shard);
  }

  /** Ends what was started. Give the Lease back before. */
  async stop(): Promise<void> {
    await this.#thread?.stop();
    await this.#server?.stop();
  }

  async #startThread(lease: ThreadLease | undefined): Promise<void> {
    const { election, shard, health, stuckAfterMs } = this.#parts;
    const settings = {
      stuckAfterMs,
      ...(lease && { lease }),
      ...(lease && election && { election }),
      ...(lease && shard && { shard }),
      ...(health && { health }),
    };
    this.#thread = new SideThread(settings, { ...this.#parts, program: SIDE_THREAD_PROGRAM });
    if (lease) this.#term = this.#thread.term;
    await this.#thread.start();
  }

  /** How a thread gets to the Lease by itself; `undefined`: there is none, or it cannot. */
  #leaseOfThread(): ThreadLease | undefined {
    const { config, election, shard, name, log } = this.#parts;
    if (!config || !(election ?? shard)) return undefined;
    const { credentials, ...cluster } = config;
    const { recipe } = credentials;
    if (recipe) return { cluster, credentials: recipe, name };
    log.warn(
      "The credentials come from code of this program, so the Lease is renewed in the main thread: a reconcile that blocks that thread loses the leadership, or the keys of the shard.",
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
