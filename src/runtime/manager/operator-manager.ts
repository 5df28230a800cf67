/**
 * Starts and stops the parts of a manager, in order.
 *
 * @see https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/manager
 */
import { pino } from "pino";
import { timeoutSignal, untilAborted, type Clock } from "../../clock.ts";
import { messageOf, TsopError } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import type { InformerCache } from "../cache/cache.ts";
import type { Client } from "../client/client.ts";
import type { Activity } from "../controller/activity.ts";
import { bindMethods } from "../bind-methods.ts";
import { deferred } from "../deferred.ts";
import type { EventRecorder } from "../events/recorder.ts";
import type { Replay } from "../replay/replay.ts";
import type { ShardMember } from "../sharding/shard-member.ts";
import type { ClusterConfig } from "../transport/cluster-config.ts";
import type { Transport } from "../transport/transport.ts";
import { coordinationAccess, createMember } from "./coordination.ts";
import { DebugServer } from "../journal/debug-server.ts";
import { answerProbe, checkInformers, HealthChecks, type HealthCheck } from "../serving/health.ts";
import type { RunningServer } from "../serving/http-serving.ts";
import { type Keeper, keeperOf } from "./keeper.ts";
import { notRunning, untilIdle, type IdleOptions, type IdleState } from "./idle.ts";
import type { Election } from "../leader-election/leader-election.ts";
import type { ManagerOptions } from "./manager-options.ts";
import { assertFinished, INSIDE, type ManagerInside } from "./inside.ts";
import type { OperatorMetrics } from "../metrics/metrics.ts";
import { Preflight } from "./preflight.ts";
import type { PlannedAccess } from "../client/access.ts";
import { ReviewFilter } from "../serving/review-filter.ts";
import { RunGroup, type Runnable } from "./run-group.ts";
import { WebhookHost } from "../webhook/webhook-host.ts";
import { present } from "../../present.ts";
import { ManagerClients, type DebugParts } from "./manager-clients.ts";
import { openMetrics } from "../serving/metrics-endpoint.ts";
import type { Manager, ManagerPorts } from "./manager.ts";

const STARTING = "starts";
const RUNNING = "runs";

export class OperatorManager implements Manager {
  readonly name: string;
  readonly client: Client;
  readonly cache: InformerCache;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: OperatorMetrics;
  readonly shards: ShardMember | undefined;
  readonly [INSIDE]: ManagerInside;
  readonly webhooks: WebhookHost;
  readonly #options: ManagerOptions;
  readonly #replay: Replay | undefined;
  readonly #config: ClusterConfig | undefined;
  readonly #clients: ManagerClients;
  readonly #healthz = new HealthChecks((check, reason) => {
    this.#tellCheck(check, reason);
  });
  readonly #readyz = new HealthChecks((check, reason) => {
    this.#tellCheck(check, reason);
  });
  readonly #elected = deferred();
  readonly #failed = deferred<never>();
  readonly #names = new Set<string>();
  readonly #preflight: Preflight;
  readonly #caches: RunGroup;
  readonly #everywhere: RunGroup;
  readonly #leading: RunGroup;
  readonly #holding = new AbortController();
  readonly #fail: (error: unknown) => void;
  #keeper: Keeper | undefined;
  #metricsServer: RunningServer | undefined;
  readonly #debug: DebugServer | undefined;
  #started = false;
  #state = "was not started";
  #failure: unknown;
  #leads = false;

  constructor(
    options: ManagerOptions,
    transport: Transport,
    config: ClusterConfig | undefined,
    replay?: Replay,
  ) {
    this.name = options.name ?? "tsop";
    this.log = options.log ?? pino();
    this.#options = options;
    this.#config = config;
    this.#replay = replay;
    const clients = new ManagerClients({
      options,
      transport,
      log: this.log,
      replay,
      endsAtMs: () => this.#keeper?.endsAtMs,
    });
    this.#clients = clients;
    const { clock } = clients;
    this.clock = clients.shownClock;
    this.metrics = clients.metrics;
    this.cache = clients.cache;
    this.client = clients.client;
    this.#fail = (error) => {
      this.#failed.reject(error instanceof Error ? error : new Error(String(error)));
    };
    // A failure while `start` does not wait for it must not be an unhandled rejection.
    this.#failed.promise.catch(() => undefined);
    this.#caches = new RunGroup(this.#fail);
    this.#everywhere = new RunGroup(this.#fail);
    this.#leading = new RunGroup(this.#fail);
    this.#caches.add(this.cache);
    this.#preflight = new Preflight({
      client: this.#clients.own,
      clock,
      log: this.log,
      planned: () => this.#planned(),
    });
    if (!replay) this.#caches.add(this.#preflight);
    if (options.sharding) {
      const parts = { client: this.#clients.own, clock, log: this.log, namespace: this.#namespace };
      const presence = () => this.#keeper?.presence;
      this.shards = createMember(options.sharding, parts, presence, () => {
        this.#clients.scopes.expireAll();
      });
      this.#caches.add(this.shards);
    }
    bindMethods(this, OperatorManager);
    this.webhooks = new WebhookHost({
      options: options.webhooks,
      registry: this.metrics.registry,
      client: this.#clients.own,
      clock,
      log: this.log,
      namespace: this.#namespace,
      tracing: clients.tracing,
      observe: this.metrics.certificateRead.bind(this.metrics),
    });
    this.#debug = clients.debug && this.#debugServer(clients.debug, clock);
    const { metrics, shards } = this;
    const { scopes, tracing, observer } = clients;
    this[INSIDE] = { metrics, scopes, tracing, observer, shards, unfinished: new Set() };
    this.#healthz.add("ping", () => undefined);
    this.#readyz.add("informers", () => {
      checkInformers(this.cache);
    });
    this.#readyz.add("rights", () => this.#preflight.check());
    if (options.webhooks) {
      this.#readyz.add("webhooks", () => {
        this.webhooks.checkReady();
      });
    }
  }

  get elected(): Promise<void> {
    return this.#elected.promise;
  }

  get ports(): ManagerPorts {
    const metrics = this.#metricsServer?.port;
    const health = this.#keeper?.healthPort;
    const webhooks = this.webhooks.port;
    const debug = this.#debug?.port;
    return present({ metrics, health, webhooks, debug });
  }

  add(runnable: Runnable & { readonly name?: string }): void {
    const { name, needLeaderElection = true } = runnable;
    if (name !== undefined && this.#names.has(name)) {
      throw new TsopError(
        "controller-exists",
        `A controller named ${name} already exists; their metrics and logs would be indistinguishable.`,
        'Give one of them another name with named("...").',
      );
    }
    if (name !== undefined) this.#names.add(name);
    this.#replay?.add(runnable);
    (needLeaderElection ? this.#leading : this.#everywhere).add(runnable);
  }

  addHealthCheck(name: string, check: HealthCheck): void {
    this.#healthz.add(name, check);
  }

  addReadyCheck(name: string, check: HealthCheck): void {
    this.#readyz.add(name, check);
  }

  recorder(component: string): EventRecorder {
    return this.#clients.events.recorder(component);
  }

  idle(options: IdleOptions = {}): Promise<IdleState> {
    return untilIdle(
      {
        busy: () => [...this.#activities().flatMap(({ busy }) => busy), ...this.#underWay()],
        waiting: () => this.#activities().flatMap(({ waiting }) => waiting),
        informers: () => this.cache.informers(),
        isQuiet: () => this.#clients.transport.isQuiet,
        checkRunning: () => {
          if (this.#state !== RUNNING && this.#state !== STARTING) {
            throw notRunning(this.#state, this.#failure);
          }
        },
      },
      options,
    );
  }

  #activities(): Activity[] {
    return [...this.#everywhere.activities(), ...this.#leading.activities()];
  }

  /** The manager's own work in progress. */
  #underWay(): string[] {
    const { leaderElection } = this.#options;
    // Without a socket it is known that the attempt to lead has its answer, and that the next one
    // waits for time to pass.
    const mayLead = leaderElection && !this.#leads && this.#clients.transport.isQuiet !== true;
    return [
      ...(this.#state === STARTING ? ["the manager starts"] : []),
      ...(mayLead ? [`it waits to lead (Lease ${leaderElection.id})`] : []),
      ...(this.#clients.events.isSending ? ["an event is being sent"] : []),
    ];
  }

  async start(signal: AbortSignal): Promise<void> {
    if (this.#started) {
      throw new TsopError(
        "manager-started",
        "The manager was already started.",
        "Create a new one with createManager(); a manager runs only once.",
      );
    }
    assertFinished(this[INSIDE]);
    this.#started = true;
    if (this.#replay) {
      await this.#replayOne(this.#replay);
      return;
    }
    this.#state = STARTING;
    let failure: unknown;
    try {
      this.#keeper = this.#createKeeper();
      await this.#keeper.start();
      const { own } = this.#clients;
      const parts = { metrics: this.metrics, clock: this.clock, log: this.log, client: own };
      this.#metricsServer = await openMetrics(this.#options.metrics, parts);
      await this.#debug?.start();
      // Before the caches: their first list may need this operator's own conversion.
      await Promise.race([this.webhooks.start(), untilAborted(signal), this.#failed.promise]);
      this.#caches.start();
      this.#everywhere.start();
      this.#state = RUNNING;
      await Promise.race([this.#lead(this.#keeper.election, signal), this.#failed.promise]);
    } catch (error) {
      failure = error;
    }
    this.#state = failure === undefined ? "has ended" : "has failed";
    this.#failure = failure;
    // After a lost leadership there is no time: another process may lead at any moment.
    const lost = failure instanceof TsopError && failure.code === "leadership-lost";
    const { gracefulShutdownMs = 30_000 } = this.#options;
    await this.#stop(signal.reason, lost ? undefined : gracefulShutdownMs).catch(
      (error: unknown) => {
        if (failure === undefined) failure = error;
        else this.log.error({ err: error }, messageOf(error));
      },
    );
    if (failure !== undefined) throw failure as Error;
  }

  /** The caches run, because reads check whether their kind is watched; nothing else runs. */
  async #replayOne(replay: Replay): Promise<void> {
    this.#caches.start();
    await this.cache.synced();
    try {
      await replay.run();
    } finally {
      await this.#caches.stop(undefined);
      this.#clients.transport.close();
    }
  }

  /** Runs the parts that only a leader may run, until the signal or the loss of the leadership. */
  async #lead(election: Election | undefined, signal: AbortSignal): Promise<void> {
    try {
      await election?.acquire(signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    this.#leading.start();
    this.#leads = true;
    this.#elected.resolve();
    await Promise.race([untilAborted(signal), ...(election ? [this.#hold(election)] : [])]);
  }

  /** Keeps the leadership until all work has ended: it continues for a while after the signal. */
  async #hold(election: Election): Promise<void> {
    const name = this.#options.leaderElection?.id ?? "";
    const { signal } = this.#holding;
    this.metrics.leading(name, true);
    try {
      await election.hold(signal);
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      this.metrics.leading(name, false);
    }
  }

  /**
   * The order of controller-runtime: the parts that depend on a part end before it.
   *
   * @param graceMs - how long the parts may take; absent: no time, because the leadership is lost
   */
  async #stop(reason: unknown, graceMs: number | undefined): Promise<void> {
    const deadline = timeoutSignal(this.clock, graceMs ?? 0);
    const expired = untilAborted(deadline.signal).then(() => {
      this.#clients.scopes.end();
      if (graceMs === undefined) return;
      throw new TsopError(
        "shutdown-timeout",
        `The manager did not stop within ${graceMs} ms: a part of it is still running.`,
        "End reconciles when `context.signal` is aborted, or raise gracefulShutdownMs.",
      );
    });
    const drained = (async () => {
      await this.#everywhere.stop(reason);
      await this.#leading.stop(reason);
      await this.#caches.stop(reason);
      await this.webhooks.stop();
      await this.#clients.events.flush();
      this.#holding.abort();
      // Only when no write is open: nobody else may lead before that. Otherwise the Lease expires
      // by itself.
      if (this.#clients.fenced.settled) await this.#keeper?.election?.release();
      await this.shards?.end();
    })();
    expired.catch(() => undefined);
    try {
      await Promise.race([drained, expired]);
    } finally {
      deadline.clear();
      this.#holding.abort();
      this.webhooks.close();
      await this.#keeper?.stop();
      await this.#metricsServer?.stop();
      await this.#debug?.stop();
      this.#clients.transport.close();
    }
  }

  #tellCheck(check: string, reason: string): void {
    this.log.warn({ check, reason }, `the health check ${check} failed: ${reason}`);
  }

  #createKeeper(): Keeper {
    const checks = { "/healthz": this.#healthz, "/readyz": this.#readyz };
    return keeperOf(this.#options, this.#config, {
      client: this.#clients.own,
      clock: this.clock,
      log: this.log,
      namespace: this.#namespace,
      shard: this.shards?.settings,
      observe: this.#clients.observe,
      probe: (url) => answerProbe(url, checks),
      failed: this.#fail,
    });
  }

  #debugServer({ endpoint, journal, usedRights }: DebugParts, clock: Clock): DebugServer {
    return new DebugServer({
      endpoint,
      journal,
      operator: this.name,
      clock,
      log: this.log,
      filter: new ReviewFilter(this.#clients.own, clock),
      queues: () => this.#activities().flatMap(({ queue }) => queue ?? []),
      usedRights,
    });
  }

  /** The access that the process will need, as far as it is known. */
  #planned(): PlannedAccess[] {
    const { leaderElection, sharding } = this.#options;
    return [
      ...this.cache.planned(),
      ...coordinationAccess(leaderElection, sharding, this.#namespace),
      ...this.webhooks.planned(),
    ];
  }

  get #namespace(): string {
    return this.#config?.namespace ?? "default";
  }
}
