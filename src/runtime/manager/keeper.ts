/**
 * Who keeps the lead and answers the probes: a thread of its own, so that no reconcile gets in its way; this thread where
 * time or the way to the server are a test's.
 *
 * @module
 */
import type { Clock } from "../../clock.ts";
import type { TsopError } from "../../errors.ts";
import { SIDE_THREAD_PROGRAM } from "../../generated/side-thread-program.ts";
import type { Logger } from "../../log.ts";
import type { Client } from "../client/client.ts";
import type { ExchangeObserver } from "../client/rest-client.ts";
import type { ThreadElection } from "../side-thread/protocol.ts";
import { SideThread } from "../side-thread/side-thread.ts";
import type { ClusterConfig } from "../transport/cluster-config.ts";
import { serveProbes, type Endpoint, type ProbeAnswer, type RunningServer } from "./health.ts";
import {
  LeaderElector,
  type Election,
  type ElectionSettings,
  type LeaderTerm,
} from "./leader-election.ts";

/** What a keeper is made of. */
export interface KeeperParts {
  /** The cluster that a thread may speak to by itself; everything stays in this thread when absent. */
  readonly config: ClusterConfig | undefined;
  readonly election: ElectionSettings | undefined;
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

/** Takes part in the election, if there is one, and serves the probes, if they are asked for. */
export class Keeper {
  readonly #parts: KeeperParts;
  #term: LeaderTerm = { endsAtMs: undefined };
  #election: Election | undefined;
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

  /** Where the probes are answered, once started. */
  get healthPort(): number | undefined {
    return this.#thread?.healthPort ?? this.#server?.port;
  }

  /** Resolves when the probes are answered. @throws TsopError `port-in-use` */
  async start(): Promise<void> {
    const { config, election, health, probe } = this.#parts;
    const ofThread = this.#electionOfThread();
    if (config && (ofThread ?? health)) await this.#startThread(ofThread);
    else if (health) this.#server = await serveProbes(health, probe);
    if (!election) return;
    this.#election = ofThread ? this.#thread : this.#elector(election);
  }

  /** Ends what was started. Give the Lease back before. */
  async stop(): Promise<void> {
    await this.#thread?.stop();
    await this.#server?.stop();
  }

  async #startThread(election: ThreadElection | undefined): Promise<void> {
    const { health, stuckAfterMs } = this.#parts;
    const settings = {
      stuckAfterMs,
      ...(election ? { election } : {}),
      ...(health ? { health } : {}),
    };
    this.#thread = new SideThread(settings, { ...this.#parts, program: SIDE_THREAD_PROGRAM });
    if (election) this.#term = this.#thread.term;
    await this.#thread.start();
  }

  #electionOfThread(): ThreadElection | undefined {
    const { config, election, name, log } = this.#parts;
    if (!config || !election) return undefined;
    const { credentials, ...cluster } = config;
    const { recipe } = credentials;
    if (recipe) return { settings: election, cluster, credentials: recipe, name };
    log.warn(
      "The credentials are a source of the program's own: the Lease is renewed in the main thread, and a reconcile that blocks it costs the lead.",
    );
    return undefined;
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
