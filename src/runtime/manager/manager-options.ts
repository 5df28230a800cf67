/** The options of a manager. */
import type { Clock } from "../../clock.ts";
import type { Logger } from "../../log.ts";
import type { LogFormat } from "../../logging/line-forms.ts";
import type { LogLevels } from "../../logging/log-levels.ts";
import type { CacheOptions } from "../cache/cache.ts";
import type { ClientMiddleware } from "../rest/rest-client.ts";
import type { WarningOption } from "../rest/warnings.ts";
import type { ShardingOptions } from "../sharding/shard-member.ts";
import type { ClusterConfig } from "../transport/cluster-config.ts";
import type { TracingApi } from "../tracing/tracing-api.ts";
import type { Transport } from "../transport/transport.ts";
import type { WebhookServerOptions } from "../webhook/certificate.ts";
import type { RecordingOptions } from "../replay/recorder.ts";
import type { DebugEndpoint } from "../journal/debug-endpoint.ts";
import type { MetricsEndpoint } from "../serving/health.ts";
import type { LeaderElectionOptions } from "../leader-election/leader-election.ts";
import type { Endpoint } from "../serving/listening.ts";

/** The options of a manager; every field is optional. */
export interface ManagerOptions {
  /** The cluster; that of `loadClusterConfig` when absent. */
  readonly config?: ClusterConfig;
  /** The field manager, in managedFields, and the user agent; `tsop` when absent. */
  readonly name?: string;
  /**
   * The log; when absent, lines on standard output: JSON, or text on a terminal. A pino instance
   * fits. Every line is limited in size, and errors have no fields of their own in it.
   */
  readonly log?: Logger;
  /**
   * The level, and those of components: `info,controller/web=debug`. When absent, the environment
   * variable TSOP_LOG_LEVEL decides, then a logger given as `log`, then it is info.
   */
  readonly logLevel?: LogLevels;
  /**
   * The form of the lines; when absent, the environment variable TSOP_LOG_FORMAT decides, then it is
   * text on a terminal and JSON elsewhere. A logger given as `log` has its own form.
   */
  readonly logFormat?: LogFormat;
  /** Serves `/metrics`; off when absent. */
  readonly metrics?: MetricsEndpoint;
  /** Serves `/healthz` and `/readyz`; off when absent. */
  readonly health?: Endpoint;
  /**
   * Keeps a journal of the reconciles (causes, reads, writes as differences, outcome) and serves it
   * for `tsop why`. Off when absent; `tsop dev` turns it on.
   */
  readonly debug?: DebugEndpoint;
  /**
   * Saves failed reconciles, for `tsop replay` and tests: all that they read, and what they wrote.
   * The values of Secrets are left out, as far as they are known. Off when absent; `tsop dev` turns
   * it on.
   */
  readonly recordings?: RecordingOptions;
  /** Serves the handlers of `manager.webhooks.add`, in every replica; off when absent. */
  readonly webhooks?: WebhookServerOptions;
  /**
   * The memory in bytes that the servers of the operator may take for requests and connections of their clients, at least 16 MiB.
   * Defaults to half of what is free when the manager starts, below the memory limit of the container and that of V8's heap.
   */
  readonly serverMemoryBytes?: number;
  /**
   * Runs the controllers only in the process that holds the Lease; in every process when absent.
   */
  readonly leaderElection?: LeaderElectionOptions;
  /**
   * Shares the keys of all controllers among several processes, each of which works on its own
   * keys. It replaces leader election: there is no leader then.
   */
  readonly sharding?: ShardingOptions;
  /** The time for the parts to end after the signal: 30 s when absent. */
  readonly gracefulShutdownMs?: number;
  /**
   * How long the main thread may be blocked, by one reconcile that computes or by an endless loop:
   * 30 s when absent. After that `/healthz` fails and the leadership is given up.
   */
  readonly stuckAfterMs?: number;
  readonly cache?: CacheOptions;
  /** Sends every write of the client as a dry run: the log shows what the operator would do. */
  readonly dryRun?: boolean;
  /** The server's treatment of unknown fields that the client writes; it warns when absent. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  /** The handling of the API server's warnings; when absent each text is logged once. */
  readonly warnings?: WarningOption;
  /** Functions between the client and the server: they observe, change or refuse requests. */
  readonly middlewares?: readonly ClientMiddleware[];
  /**
   * `@opentelemetry/api`: reconciles, their requests and reviews become spans of the provider that
   * is registered there. Off when absent.
   *
   * @example
   * import * as opentelemetry from "@opentelemetry/api";
   * const manager = createManager({ tracing: opentelemetry });
   */
  readonly tracing?: TracingApi;
  /** For tests: the source of time and randomness. */
  readonly clock?: Clock;
  /** For tests: the transport to the API server. */
  readonly transport?: Transport;
}
