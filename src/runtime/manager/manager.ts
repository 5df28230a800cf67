/**
 * What holds an operator together: cache, client, controllers, metrics, health, leader election; started in
 * order and stopped in order.
 *
 * @see https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/manager
 * @module
 */
import { systemClock, timeoutSignal, type Clock } from "../../clock.ts";
import { messageOf, TsopError } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import { InformerCache } from "../cache/cache.ts";
import type { Cache } from "../cache/cache-view.ts";
import { CachedClient, type CachedReadsObserver } from "../client/cached-client.ts";
import type { Client } from "../client/client.ts";
import { LiveClient, writeDefaults } from "../client/live-client.ts";
import { RestClient, type ExchangeObserver } from "../client/rest-client.ts";
import { logWarning, warningHandler } from "../client/warnings.ts";
import type { Activity } from "../controller/activity.ts";
import { observersAsOne } from "../controller/reconcile-observer.ts";
import { ReconcileScopes } from "../controller/reconcile-scopes.ts";
import { bindMethods } from "../bind-methods.ts";
import { deferred } from "../deferred.ts";
import { EventBroadcaster, type EventRecorder } from "../events/recorder.ts";
import { Journal } from "../journal/journal.ts";
import type { ShardMember, Shards } from "../sharding/shard-member.ts";
import type { ClusterConfig } from "../transport/cluster-config.ts";
import { FencedTransport } from "../transport/fenced-transport.ts";
import { loadClusterConfig } from "../transport/load-config.ts";
import { openTransport } from "../transport/open-transport.ts";
import { TracedTransport } from "../tracing/traced-transport.ts";
import { Tracing } from "../tracing/tracing.ts";
import type { Transport } from "../transport/transport.ts";
import { certificateFrom } from "./certificate-files.ts";
import { coordinationAccess, createMember, electionSettings } from "./coordination.ts";
import { debugOfEnvironment } from "./debug-endpoint.ts";
import { DebugServer } from "./debug-server.ts";
import { defaultLogger } from "./default-logger.ts";
import { answerProbe, HealthChecks, serveMetrics, type HealthCheck } from "./health.ts";
import type { RunningServer } from "./http-serving.ts";
import { Keeper } from "./keeper.ts";
import { notRunning, untilIdle, type IdleOptions, type IdleState } from "./idle.ts";
import type { Election } from "./leader-election.ts";
import type { ManagerOptions } from "./manager-options.ts";
import { assertFinished, INSIDE, type ManagerInside } from "./inside.ts";
import { OperatorMetrics, type RuntimeMetrics } from "./metrics.ts";
import { Preflight, type PlannedAccess } from "./preflight.ts";
import { ReviewFilter } from "./review-filter.ts";
import type { BoundlessMetric } from "./series-watch.ts";
import { RunGroup, type Runnable } from "./run-group.ts";
import { WebhookHost, type Webhooks } from "../webhook/webhook-host.ts";
import { present } from "../../present.ts";

/** Where the servers of a manager listen; absent for those that do not. */
export interface ManagerPorts {
  readonly metrics?: number;
  readonly health?: number;
  readonly webhooks?: number;
  /** Of the journal. */
  readonly debug?: number;
}

/** An operator's parts, and the life they share. */
export interface Manager {
  /** Who writes, in managedFields. */
  readonly name: string;
  /** Reads watched kinds from the cache and others from the server. */
  readonly client: Client;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: RuntimeMetrics;
  /** Which keys this process works on; absent where they are not shared. */
  readonly shards: Shards | undefined;
  /** Resolves when this process leads, or at once without leader election. */
  readonly elected: Promise<void>;
  /** Answers the API server's reviews, where `ManagerOptions.webhooks` says so. */
  readonly webhooks: Webhooks;
  /** The ports of the servers, once `start` has opened them. */
  readonly ports: ManagerPorts;
  /**
   * Adds something that runs. After `start` it begins at once.
   *
   * @throws TsopError `controller-exists` when there is a controller of that name
   */
  add(runnable: Runnable & { readonly name?: string }): void;
  /** Adds a check behind `/healthz`: the process is to be restarted when it fails. */
  addHealthCheck(name: string, check: HealthCheck): void;
  /** Adds a check behind `/readyz`. */
  addReadyCheck(name: string, check: HealthCheck): void;
  /** Writes events in the name of a component. */
  recorder(component: string): EventRecorder;
  /**
   * Runs until `signal` is aborted, or a part fails. It cannot be started again.
   *
   * @throws TsopError `controller-incomplete` when a builder was not completed; `shutdown-timeout` when something does not end in time; `leadership-lost`; what a part
   *   failed with
   */
  start(signal: AbortSignal): Promise<void>;
  /**
   * Resolves when informers know what was written before the call, no key is in line, and nothing reconciles. What waits
   * for a later time does not count, and is what it resolves with.
   *
   * Without a socket (`inProcess`) that is exact, and what the control plane's own controllers wrote is known, too. Over
   * a network every watched kind is listed once, and the caches are compared with that.
   *
   * @example
   * const running = manager.start(stop.signal);
   * await client.create(MyWeb, web);
   * const { waiting } = await manager.idle();
   *
   * @throws TsopError `not-idle` with what is under way, `manager-not-running`
   */
  idle(options?: IdleOptions): Promise<IdleState>;
}

/**
 * Makes a manager. Nothing is opened before `start`.
 *
 * @example
 * const manager = createManager({ health: { port: 8081 }, leaderElection: { id: "web.example.com" } });
 * controllerFor(manager).for(Web).complete(new WebReconciler(manager.client));
 * await manager.start(setupSignalHandler());
 *
 * @throws TsopError `no-cluster`, `kubeconfig-...`; `leader-and-shards` when both are asked for
 */
export function createManager(options: ManagerOptions = {}): Manager {
  if (options.leaderElection && options.sharding) {
    throw new TsopError(
      "leader-and-shards",
      "A manager either elects a leader or shares the keys; both were asked for.",
      "Leave out leaderElection: with sharding every process works on its own keys.",
    );
  }
  const { clock = systemClock, transport, config } = options;
  return transport
    ? new OperatorManager(options, transport, config)
    : managerOf(options, config ?? loadClusterConfig({ clock }));
}

function managerOf(options: ManagerOptions, config: ClusterConfig): Manager {
  return new OperatorManager(options, openTransport(config, options.name ?? "tsop"), config);
}

const STARTING = "starts";
const RUNNING = "runs";

class OperatorManager implements Manager {
  readonly name: string;
  readonly client: Client;
  readonly cache: InformerCache;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: OperatorMetrics;
  readonly shards: ShardMember | undefined;
  readonly [INSIDE]: ManagerInside;
  readonly #scopes: ReconcileScopes;
  readonly webhooks: WebhookHost;
  readonly #options: ManagerOptions;
  readonly #config: ClusterConfig | undefined;
  readonly #transport: Transport;
  readonly #rest: RestClient;
  readonly #fenced: FencedTransport;
  readonly #events: EventBroadcaster;
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
  readonly #observe: ExchangeObserver;
  readonly #holding = new AbortController();
  readonly #fail: (error: unknown) => void;
  #keeper: Keeper | undefined;
  #metricsServer: RunningServer | undefined;
  readonly #debug: DebugServer | undefined;
  #started = false;
  #state = "was not started";
  #failure: unknown;
  #leads = false;

  constructor(options: ManagerOptions, transport: Transport, config: ClusterConfig | undefined) {
    const name = options.name ?? "tsop";
    this.name = name;
    const clock = options.clock ?? transport.clock ?? systemClock;
    this.#options = options;
    this.#config = config;
    this.clock = clock;
    this.log = options.log ?? defaultLogger();
    this.metrics = new OperatorMetrics(clock);
    const tracing = options.tracing && new Tracing(options.tracing, clock);
    this.#transport = tracing ? new TracedTransport(transport, tracing) : transport;
    const observe = this.metrics.requests(new URL(this.#transport.server).host);
    this.#observe = observe;
    // The elector itself must be able to write before it leads, and the caches only read.
    const onWarning = warningHandler(options.warnings, logWarning(this.log));
    this.#rest = new RestClient(this.#transport, clock, { observe, onWarning });
    this.#fenced = new FencedTransport(this.#transport, clock, () => this.#keeper?.endsAtMs);
    this.cache = new InformerCache(this.#rest, clock, this.log, options.cache);
    this.metrics.informers(() => this.cache.health());
    const debug = debugOfEnvironment(process.env) ?? options.debug;
    const journal = debug && new Journal(clock, this.cache);
    this.#scopes = new ReconcileScopes(journal !== undefined);
    const { middlewares = [] } = options;
    const rest = new RestClient(this.#fenced, clock, {
      observe,
      onWarning,
      middlewares: [...middlewares, this.#scopes.middleware],
    });
    const live = new LiveClient(rest, writeDefaults(name, options), {
      written: (object) => {
        this.cache.noteWritten(object);
      },
      deleted: (resource, key, uid) => {
        this.cache.noteDeleted(resource, key, uid);
      },
    });
    this.client = new CachedClient(live, this.cache, journal && noteIn(this.#scopes));
    this.#events = new EventBroadcaster(live, clock, this.log);
    this.#fail = (error) => {
      this.#failed.reject(error instanceof Error ? error : new Error(String(error)));
    };
    // A failure before `start` looks, or after it has ended, is nobody's unhandled rejection.
    this.#failed.promise.catch(() => undefined);
    this.#caches = new RunGroup(this.#fail);
    this.#everywhere = new RunGroup(this.#fail);
    this.#leading = new RunGroup(this.#fail);
    this.#caches.add(this.cache);
    this.#preflight = new Preflight({
      client: this.#ownClient(),
      clock,
      log: this.log,
      planned: () => this.#planned(),
    });
    this.#caches.add(this.#preflight);
    if (options.sharding) {
      const parts = { client: this.#ownClient(), clock, log: this.log, namespace: this.#namespace };
      const presence = () => this.#keeper?.presence;
      this.shards = createMember(options.sharding, parts, presence, () => {
        this.#scopes.expireAll();
      });
      this.#caches.add(this.shards);
    }
    bindMethods(this, OperatorManager);
    this.webhooks = new WebhookHost({
      options: options.webhooks,
      registry: this.metrics.registry,
      client: this.#ownClient(),
      clock,
      log: this.log,
      namespace: this.#namespace,
      tracing,
      observe: this.metrics.certificateRead.bind(this.metrics),
    });
    const { metrics, shards } = this;
    this.#debug =
      debug && journal
        ? new DebugServer({
            endpoint: debug,
            journal,
            operator: name,
            clock,
            log: this.log,
            filter: new ReviewFilter(this.#ownClient(), clock),
            queues: () => this.#activities().flatMap(({ queue }) => queue ?? []),
          })
        : undefined;
    const observer = observersAsOne([tracing, journal].filter((one) => one !== undefined));
    const scopes = this.#scopes;
    this[INSIDE] = { metrics, scopes, tracing, observer, shards, unfinished: new Set() };
    this.#healthz.add("ping", () => undefined);
    this.#readyz.add("informers", () => {
      this.#checkInformers();
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
        `There already is a controller named ${name}; its metrics and logs could not be told apart.`,
        'Give this one another name with named("...").',
      );
    }
    if (name !== undefined) this.#names.add(name);
    (needLeaderElection ? this.#leading : this.#everywhere).add(runnable);
  }

  addHealthCheck(name: string, check: HealthCheck): void {
    this.#healthz.add(name, check);
  }

  addReadyCheck(name: string, check: HealthCheck): void {
    this.#readyz.add(name, check);
  }

  recorder(component: string): EventRecorder {
    return this.#events.recorder(component);
  }

  idle(options: IdleOptions = {}): Promise<IdleState> {
    return untilIdle(
      {
        busy: () => [...this.#activities().flatMap(({ busy }) => busy), ...this.#underWay()],
        waiting: () => this.#activities().flatMap(({ waiting }) => waiting),
        informers: () => this.cache.informers(),
        isQuiet: () => this.#transport.isQuiet,
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

  /** What the manager itself does. */
  #underWay(): string[] {
    const { leaderElection } = this.#options;
    // Without a socket it is known that the try to lead has had its answer, and who waits for the next one waits for time.
    const mayLead = leaderElection && !this.#leads && this.#transport.isQuiet !== true;
    return [
      ...(this.#state === STARTING ? ["the manager starts"] : []),
      ...(mayLead ? [`it waits to lead (Lease ${leaderElection.id})`] : []),
      ...(this.#events.isSending ? ["an event is being sent"] : []),
    ];
  }

  async start(signal: AbortSignal): Promise<void> {
    if (this.#started) {
      throw new TsopError(
        "manager-started",
        "The manager was already started.",
        "Make a new one with createManager(); a manager runs once.",
      );
    }
    assertFinished(this[INSIDE]);
    this.#started = true;
    this.#state = STARTING;
    let failure: unknown;
    try {
      this.#keeper = this.#createKeeper();
      await this.#keeper.start();
      await this.#openMetrics();
      await this.#debug?.start();
      // Before the caches: their first list may need our own conversion.
      await Promise.race([this.webhooks.start(), ended(signal), this.#failed.promise]);
      this.#caches.start();
      this.#everywhere.start();
      this.#state = RUNNING;
      await Promise.race([this.#lead(this.#keeper.election, signal), this.#failed.promise]);
    } catch (error) {
      failure = error;
    }
    this.#state = failure === undefined ? "has ended" : "has failed";
    this.#failure = failure;
    // Who lost the lead has no time: another process may lead any moment.
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

  /** Runs what only a leader may run, until the signal or the loss of the lead. */
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
    await Promise.race([ended(signal), ...(election ? [this.#hold(election)] : [])]);
  }

  /** Holds the lead until all that was begun has ended: the work goes on for a while after the signal. */
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
   * The order of controller-runtime: what depends on a part ends before it.
   *
   * @param graceMs - how long the parts have for that; absent: no time, because the lead is lost
   */
  async #stop(reason: unknown, graceMs: number | undefined): Promise<void> {
    const deadline = timeoutSignal(this.clock, graceMs ?? 0);
    const expired = ended(deadline.signal).then(() => {
      this.#scopes.end();
      if (graceMs === undefined) return;
      throw new TsopError(
        "shutdown-timeout",
        `Something did not end within ${graceMs} ms after the stop.`,
        "Let reconcilers end when `context.signal` is aborted, or raise gracefulShutdownMs.",
      );
    });
    const drained = (async () => {
      await this.#everywhere.stop(reason);
      await this.#leading.stop(reason);
      await this.#caches.stop(reason);
      await this.webhooks.stop();
      await this.#events.flush();
      this.#holding.abort();
      // Only now, and only so: nobody else may lead while something of ours is still written. Else the lease runs out.
      if (this.#fenced.settled) await this.#keeper?.election?.release();
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
      this.#transport.close();
    }
  }

  #tellCheck(check: string, reason: string): void {
    this.log.warn({ check, reason }, `the health check ${check} failed: ${reason}`);
  }

  #createKeeper(): Keeper {
    const { leaderElection, health, stuckAfterMs = 30_000, name = "tsop", ...rest } = this.#options;
    const { clock, log } = this;
    // A thread has no way to a test's server, nor to its time.
    const simulated =
      clock !== systemClock || rest.transport !== undefined || this.#config?.connect !== undefined;
    const checks = { "/healthz": this.#healthz, "/readyz": this.#readyz };
    const election =
      leaderElection &&
      electionSettings(leaderElection, stuckAfterMs, { clock, namespace: this.#namespace });
    return new Keeper({
      config: simulated ? undefined : this.#config,
      election,
      shard: this.shards?.settings,
      health,
      stuckAfterMs,
      name,
      client: this.#ownClient(),
      clock,
      log,
      observe: this.#observe,
      probe: (url) => answerProbe(url, checks),
      failed: this.#fail,
    });
  }

  async #openMetrics(): Promise<void> {
    const { metrics } = this.#options;
    if (!metrics) return;
    this.metrics.collectProcessMetrics();
    const { reviewed = false, tls } = metrics;
    const observe = this.metrics.certificateRead.bind(this.metrics);
    const guards = {
      boundless: ({ metric, label, series }: BoundlessMetric) => {
        this.log.warn(
          { metric, label, series },
          `the metric ${metric} has ${series} series, most by its label ${label}: each stays in memory, here and in Prometheus. Give labels only values of which there are few.`,
        );
      },
      failed: (error: unknown) => {
        this.log.warn({ err: error }, `a request for the metrics failed: ${messageOf(error)}`);
      },
      ...(reviewed ? { filter: new ReviewFilter(this.#ownClient(), this.clock) } : {}),
      ...(tls ? { certificate: certificateFrom(tls, this.clock, this.log, observe) } : {}),
    };
    this.#metricsServer = await serveMetrics(metrics, this.metrics.registry, guards);
  }

  /** Writes what is no work of the operator's: neither fenced nor a dry run. */
  #ownClient(): Client {
    return new LiveClient(this.#rest, { fieldManager: this.#options.name ?? "tsop" });
  }

  /** What the process will do, as far as it is known. */
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

  #checkInformers(): void {
    const bad = this.cache
      .health()
      .filter(({ synced, problem }) => !synced || problem !== undefined);
    if (bad.length === 0) return;
    throw new Error(
      bad.map(({ resource, state, problem }) => problem ?? `${resource}: ${state}`).join("; "),
    );
  }
}

/** Takes down the reads from the cache that a reconcile makes. */
function noteIn(scopes: ReconcileScopes): CachedReadsObserver {
  return (resource, key, found) => scopes.notes?.readCached(resource, key, found);
}

/** Resolves when the signal is aborted. */
function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else {
      signal.addEventListener(
        "abort",
        () => {
          resolve();
        },
        { once: true },
      );
    }
  });
}
