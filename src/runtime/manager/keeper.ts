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
import { threadAccess, type ThreadAccess, type ThreadLease } from "../side-thread/protocol.ts";
import { SideThread } from "../side-thread/side-thread.ts";
import type { ClusterConfig } from "../transport/cluster-config.ts";
import { withRenewed } from "../transport/config-source.ts";
import { electionSettings } from "./coordination.ts";
import { serveProbes, type ProbeAnswer } from "../serving/health.ts";
import type { BoundedEndpoint, RunningServer } from "../serving/http-serving.ts";
import {
  LeaderElector,
  type Election,
  type ElectionSettings,
  type LeaderTerm,
} from "../leader-election/leader-election.ts";
import type { ManagerOptions } from "./manager-options.ts";

interface KeeperParts {
  /** The cluster that a thread connects to; without it, the main thread does everything. */
  readonly config: ClusterConfig | undefined;
  readonly election: ElectionSettings | undefined;
  readonly shard: ShardSettings | undefined;
  readonly health: BoundedEndpoint | undefined;
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
  /** How many connections the probes may have. */
  readonly maxConnections: number;
}

/** Whether a test provides the time or the server. */
export function isSimulated(
  { clock = systemClock, transport }: ManagerOptions,
  config: ClusterConfig | undefined,
): boolean {
  return clock !== systemClock || transport !== undefined || config?.connect !== undefined;
}

export function keeperOf(
  options: ManagerOptions,
  config: ClusterConfig | undefined,
  { namespace, maxConnections, ...parts }: OfManager,
): Keeper {
  const { leaderElection, health, stuckAfterMs = 30_000, name = "tsop" } = options;
  const { clock } = parts;
  return new Keeper({
    ...parts,
    // A thread cannot use a test's transport or clock.
    config: isSimulated(options, config) ? undefined : config,
    election:
      leaderElection && electionSettings(leaderElection, stuckAfterMs, { clock, namespace }),
    health: health && { ...health, maxConnections },
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
    this.#thread = new SideThread(settings, {
      ...this.#parts,
      program: SIDE_THREAD_PROGRAM,
      access: (isStale) => this.#presentAccess(isStale),
    });
    if (lease) this.#term = this.#thread.term;
    await this.#thread.start();
  }

  /** The present access of the thread; the last one while the files cannot be used. */
  async #presentAccess(isStale: boolean): Promise<ThreadAccess | undefined> {
    const { config } = this.#parts;
    const { source } = config ?? {};
    if (!config || !source) return undefined;
    if (isStale) source.invalidate();
    return threadAccess(withRenewed(config, source.first, await source.get()));
  }

  /** The thread's access to the Lease; `undefined` when it needs none, or has none. */
  #leaseOfThread(): ThreadLease | undefined {
    const { config, election, shard, name, log } = this.#parts;
    if (!config || !(election ?? shard)) return undefined;
    const access = threadAccess(config);
    if (access) return { ...access, name, isFollowed: config.source !== undefined };
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
