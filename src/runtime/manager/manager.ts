/**
 * The manager: cache, client, controllers, metrics, health and leader election of an operator.
 *
 * @see https://pkg.go.dev/sigs.k8s.io/controller-runtime/pkg/manager
 */
import type { Clock } from "../../clock.ts";
import type { Logger } from "../../log.ts";
import type { Cache } from "../cache/cache-view.ts";
import type { Client } from "../client/client.ts";
import type { EventRecorder } from "../events/recorder.ts";
import type { Shards } from "../sharding/shard-member.ts";
import type { HealthCheck } from "./serving/health.ts";
import type { IdleOptions, IdleState } from "./idle.ts";
import type { RuntimeMetrics } from "./metrics.ts";
import type { Runnable } from "./run-group.ts";
import type { Webhooks } from "../webhook/webhook-host.ts";

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
