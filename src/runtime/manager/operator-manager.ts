/**
 * Starts and stops the parts of a manager, in order.
 *
 * @see https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/manager
 */
import { untilAborted, type Clock } from "../../clock.ts";
import { errorFrom, messageOf, TsopError } from "../../errors.ts";
import { openLog } from "../../logging/process-log.ts";
import type { SafeLogger } from "../../logging/safe-logger.ts";
import type { LogLevels } from "../../logging/log-levels.ts";
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
import { checkInformers, type HealthCheck } from "../serving/health.ts";
import type { RunningServer } from "../serving/http-serving.ts";
import { isSimulated, type Keeper, keeperOf } from "./keeper.ts";
import { changeLogLevel } from "./log-level.ts";
import { notRunning, untilIdle, type IdleOptions, type IdleState } from "./idle.ts";
import type { Election } from "../leader-election/leader-election.ts";
import { LifeReport } from "./life-report.ts";
import type { ManagerOptions } from "./manager-options.ts";
import { managerRuns } from "./process-end.ts";
import { Crash } from "./crash.ts";
import { shutDown } from "./shut-down.ts";
import { assertFinished, INSIDE, type ManagerInside } from "./inside.ts";
import type { OperatorMetrics } from "../metrics/metrics.ts";
import { Preflight } from "./preflight.ts";
import { Probes } from "./probes.ts";
import type { PlannedAccess } from "../client/access.ts";
import { ReviewFilter } from "../serving/review-filter.ts";
import { processMemory, serverLimits } from "../serving/server-limits.ts";
import { managerGroups, type ManagerGroups, type Runnable } from "./run-group.ts";
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
  readonly log: SafeLogger;
  readonly metrics: OperatorMetrics;
  readonly shards: ShardMember | undefined;
  readonly [INSIDE]: ManagerInside;
  readonly webhooks: WebhookHost;
  readonly #options: ManagerOptions;
  readonly #replay: Replay | undefined;
  readonly #config: ClusterConfig | undefined;
  readonly #clients: ManagerClients;
  readonly #probes: Probes;
  readonly #elected = deferred();
  readonly #failed = deferred<never>();
  readonly #names = new Set<string>();
  readonly #preflight: Preflight;
  readonly #groups: ManagerGroups;
  readonly #holding = new AbortController();
  readonly #fail: (error: unknown) => void;
  #keeper: Keeper | undefined;
  #metricsServer: RunningServer | undefined;
  readonly #debug: DebugServer | undefined;
  readonly #filter: ReviewFilter;
  #started = false;
  #state = "was not started";
  #failure: unknown;
  #leads = false;
  readonly #crash: Crash;

  constructor(
    options: ManagerOptions,
    transport: Transport,
    config: ClusterConfig | undefined,
    replay?: Replay,
  ) {
    this.name = options.name ?? "tsop";
    this.log = openLog(options);
    this.#probes = new Probes(this.log);
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
      this.#failed.reject(errorFrom(error));
    };
    this.#crash = new Crash(this.log, clients.scopes, this.#fail);
    // A failure while `start` does not wait for it must not be an unhandled rejection.
    this.#failed.promise.catch(() => undefined);
    this.#groups = managerGroups(this.#fail);
    this.#groups.caches.add(this.cache);
    this.#preflight = new Preflight({
      client: this.#clients.own,
      clock,
      log: this.#logOf("permissions"),
      planned: () => this.#planned(),
    });
    if (!replay) this.#groups.caches.add(this.#preflight);
    if (options.sharding) {
      const parts = {
        client: this.#clients.own,
        clock,
        log: this.#logOf("sharding"),
        namespace: this.#namespace,
      };
      const presence = () => this.#keeper?.presence;
      this.shards = createMember(options.sharding, parts, presence, () => {
        this.#clients.scopes.expireAll();
      });
      this.#groups.membership.add(this.shards);
    }
    bindMethods(this, OperatorManager);
    this.webhooks = new WebhookHost({
      options: options.webhooks,
      registry: this.metrics.registry,
      client: this.#clients.own,
      clock,
      log: this.#logOf("webhooks"),
      namespace: this.#namespace,
      inCluster: config?.inCluster === true,
      tracing: clients.tracing,
      observe: this.metrics.certificateReads("webhook"),
    });
    this.#filter = new ReviewFilter(clients.own, clock, this.log);
    this.#debug = clients.debug && this.#debugServer(clients.debug, clock);
    const { metrics, shards } = this;
    const { scopes, tracing, observer } = clients;
    this[INSIDE] = { metrics, scopes, tracing, observer, shards, unfinished: new Set() };
    const { ready } = this.#probes;
    ready.add("informers", () => checkInformers(this.cache));
    ready.add("rights", () => this.#preflight.check());
    if (options.webhooks) ready.add("webhooks", () => this.webhooks.checkReady());
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
    (needLeaderElection ? this.#groups.leading : this.#groups.everywhere).add(runnable);
  }

  setLogLevel(levels: LogLevels): void {
    changeLogLevel(this.log, levels);
  }

  addHealthCheck(name: string, check: HealthCheck): void {
    this.#probes.health.add(name, check);
  }

  addReadyCheck(name: string, check: HealthCheck): void {
    this.#probes.ready.add(name, check);
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
    return [...this.#groups.everywhere.activities(), ...this.#groups.leading.activities()];
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
    const { scopes } = this.#clients;
    const { clock, log } = this;
    const life = new LifeReport({ clock, log, running: () => scopes.running });
    const noteEnd = managerRuns(this.#crash);
    const watch = isSimulated(this.#options, this.#config)
      ? undefined
      : scopes.watchLoop(clock, log);
    try {
      life.starting(this.name, this.#clients.transport.server, this.#options);
      const limits = serverLimits(processMemory(), this.#options.serverMemoryBytes);
      const maxConnections = limits.connections.other;
      this.#keeper = this.#createKeeper(maxConnections);
      await this.#keeper.start();
      const guards = { filter: this.#filter, maxConnections };
      this.#metricsServer = await openMetrics(this.#options.metrics, this, guards);
      await this.#debug?.start(maxConnections);
      // Before the caches: their first list may need this operator's own conversion.
      await Promise.race([this.webhooks.start(limits), untilAborted(signal), this.#failed.promise]);
      this.#groups.caches.start();
      this.#groups.membership.start();
      this.#groups.everywhere.start();
      this.#state = RUNNING;
      life.serving(this.ports);
      const led = this.#lead(this.#keeper.election, signal);
      void this.#elected.promise.then(() => life.synced(this.cache));
      await Promise.race([led, this.#failed.promise]);
    } catch (error) {
      failure = error;
    }
    this.#state = failure === undefined ? "has ended" : "has failed";
    this.#failure = failure;
    life.stopping(messageOf(failure ?? signal.reason), failure !== undefined);
    let isReleased: boolean | undefined;
    try {
      const graceMs = this.#crash.graceMs(failure, this.#options.gracefulShutdownMs);
      isReleased = await this.#stop(signal.reason, graceMs);
    } catch (error) {
      if (failure === undefined) failure = error;
      else this.log.error({ err: error }, messageOf(error));
    }
    watch?.stop();
    life.stopped(this.#leads ? isReleased : undefined);
    noteEnd(failure);
    this.#crash.stopped();
    if (failure !== undefined) throw failure as Error;
  }

  /** The caches run, because reads check whether their kind is watched; nothing else runs. */
  async #replayOne(replay: Replay): Promise<void> {
    this.#groups.caches.start();
    await this.cache.synced();
    try {
      await replay.run();
    } finally {
      await this.#groups.caches.stop(undefined);
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
    this.#groups.leading.start();
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

  #stop(reason: unknown, graceMs: number | undefined): Promise<boolean | undefined> {
    this.#probes.end();
    const { clock, webhooks, shards } = this;
    const parts = { clock, webhooks, shards, clients: this.#clients, holding: this.#holding };
    const last = [this.#keeper, this.#metricsServer, this.#debug];
    const election = this.#keeper?.election;
    const hasFailed = this.#failure !== undefined;
    return shutDown(
      { ...parts, groups: this.#groups, election, last },
      { reason, graceMs, hasFailed },
    );
  }

  #createKeeper(maxConnections: number): Keeper {
    return keeperOf(this.#options, this.#config, {
      client: this.#clients.own,
      clock: this.clock,
      log: this.#logOf("leader-election"),
      namespace: this.#namespace,
      maxConnections,
      shard: this.shards?.settings,
      observe: this.#clients.observe,
      probe: (url) => this.#probes.answer(url),
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
      filter: this.#filter,
      queues: () => this.#activities().flatMap(({ queue }) => queue ?? []),
      usedRights,
      logLevel: {
        get: () => this.log.levels.shown,
        set: (levels) => changeLogLevel(this.log, levels),
      },
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

  #logOf(logger: string): SafeLogger {
    return this.log.child({ logger });
  }

  get #namespace(): string {
    return this.#config?.namespace ?? "default";
  }
}
