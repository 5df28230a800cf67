/**
 * The manager: cache, client, controllers, metrics, health and leader election of an operator.
 *
 * @see https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/manager
 */
import type { Clock } from "../../clock.ts";
import type { Logger } from "../../log.ts";
import type { LogLevels } from "../../logging/log-levels.ts";
import type { Cache } from "../cache/cache-view.ts";
import type { Client } from "../client/client.ts";
import type { EventRecorder } from "../events/recorder.ts";
import type { Shards } from "../sharding/shard-member.ts";
import type { HealthCheck } from "../serving/health.ts";
import type { IdleOptions, IdleState } from "./idle.ts";
import type { RuntimeMetrics } from "../metrics/metrics.ts";
import type { Runnable } from "./run-group.ts";
import type { Webhooks } from "../webhook/webhook-host.ts";

/** The ports on which the servers of a manager listen; absent for a server that is off. */
export interface ManagerPorts {
  readonly metrics?: number;
  readonly health?: number;
  readonly webhooks?: number;
  /** The port of the journal. */
  readonly debug?: number;
}

/** The parts of an operator, which start and stop together. */
export interface Manager {
  /** The field manager, in managedFields. */
  readonly name: string;
  /** Reads watched kinds from the cache and others from the server. */
  readonly client: Client;
  readonly cache: Cache;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: RuntimeMetrics;
  /** The keys that this process works on; absent where keys are not shared. */
  readonly shards: Shards | undefined;
  /**
   * Changes the level of the log while the operator runs: `debug`, or `info,controller/web=debug`.
   *
   * @throws TsopError `bad-log-level`; the level stays then
   */
  setLogLevel(levels: LogLevels): void;
  /** Resolves when this process is the leader, or at once without leader election. */
  readonly elected: Promise<void>;
  /** Answers reviews of the API server, if `ManagerOptions.webhooks` is given. */
  readonly webhooks: Webhooks;
  /** The ports of the servers, once `start` has opened them. */
  readonly ports: ManagerPorts;
  /**
   * Adds a part that runs. After `start` it starts at once.
   *
   * @throws TsopError `controller-exists` when there is a controller of that name
   */
  add(runnable: Runnable & { readonly name?: string }): void;
  /** Adds a check behind `/healthz`: when it fails, the kubelet restarts the process. */
  addHealthCheck(name: string, check: HealthCheck): void;
  /** Adds a check behind `/readyz`. */
  addReadyCheck(name: string, check: HealthCheck): void;
  /** A recorder of events in the name of a component. */
  recorder(component: string): EventRecorder;
  /**
   * Runs until `signal` is aborted, or a part fails. It cannot be started again.
   *
   * @throws TsopError `controller-incomplete` when a builder was not completed; `shutdown-timeout`
   *   when a part does not end in time; `leadership-lost`; the error of a part that failed
   */
  start(signal: AbortSignal): Promise<void>;
  /**
   * Resolves when the informers have everything that was written before the call, no key is queued,
   * and no reconcile runs. Keys that are due later do not count; they are in the result. Without a
   * socket (`inProcess`) this is exact, and includes the writes of the control plane's own
   * controllers. Over a network every watched kind is listed once, and compared with the caches.
   *
   * @example
   * const running = manager.start(stop.signal);
   * await client.create(MyWeb, web);
   * const { waiting } = await manager.idle();
   *
   * @throws TsopError `not-idle` with the work that is in progress, `manager-not-running`
   */
  idle(options?: IdleOptions): Promise<IdleState>;
}
