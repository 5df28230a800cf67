/** How an operator runs. */
import type { Clock } from "../../clock.ts";
import type { Logger } from "../../log.ts";
import type { CacheOptions } from "../cache/cache.ts";
import type { ClientMiddleware } from "../client/rest-client.ts";
import type { WarningOption } from "../client/warnings.ts";
import type { ShardingOptions } from "../sharding/shard-member.ts";
import type { ClusterConfig } from "../transport/cluster-config.ts";
import type { TracingApi } from "../tracing/tracing-api.ts";
import type { Transport } from "../transport/transport.ts";
import type { WebhookServerOptions } from "../webhook/certificate.ts";
import type { RecordingOptions } from "../replay/recorder.ts";
import type { DebugEndpoint } from "./serving/debug-endpoint.ts";
import type { MetricsEndpoint } from "./serving/health.ts";
import type { LeaderElectionOptions } from "./leader-election.ts";
import type { Endpoint } from "./serving/listening.ts";

/** How an operator runs; everything may be left out. */
export interface ManagerOptions {
  /** The cluster; found as `loadClusterConfig` says when absent. */
  readonly config?: ClusterConfig;
  /** Who writes, in managedFields, and the user agent; `tsop` when absent. */
  readonly name?: string;
  /** JSON lines on stdout when absent. */
  readonly log?: Logger;
  /** Serves `/metrics`; not when absent. */
  readonly metrics?: MetricsEndpoint;
  /** Serves `/healthz` and `/readyz`; not when absent. */
  readonly health?: Endpoint;
  /**
   * Keeps a journal of the reconciles (causes, reads, writes as differences, outcome) and serves it, for `tsop why`. Not when
   * absent; `tsop dev` asks for it by itself.
   */
  readonly debug?: DebugEndpoint;
  /**
   * Saves reconciles that failed, for `tsop replay` and tests: all that they read, and what they wrote. What Secrets hold is
   * left out, as far as it is known. None when absent; `tsop dev` asks for them by itself.
   */
  readonly recordings?: RecordingOptions;
  /** Serves what is added with `manager.webhooks.add`, in every replica; not when absent. */
  readonly webhooks?: WebhookServerOptions;
  /** Controllers run only where the Lease is held; everywhere when absent. */
  readonly leaderElection?: LeaderElectionOptions;
  /**
   * Several processes share the keys of all controllers, and each works on its own. In the place of a leader election:
   * there is no leader then.
   */
  readonly sharding?: ShardingOptions;
  /** How long reconciles may take to end: 30 s. */
  readonly gracefulShutdownMs?: number;
  /**
   * How long the main thread may stand still, in one reconcile that computes or in an endless loop: 30 s. After that
   * `/healthz` fails and the lead is given up.
   */
  readonly stuckAfterMs?: number;
  readonly cache?: CacheOptions;
  /** Sends every write of the client as a dry run: to see in the log what an operator would do. */
  readonly dryRun?: boolean;
  /** The server's treatment of unknown fields that the client writes; it warns when absent. */
  readonly fieldValidation?: "Ignore" | "Warn" | "Strict";
  /** The handling of the API server's warnings; when absent each text is logged once. */
  readonly warnings?: WarningOption;
  /** Between the client and the server: to look on, to change, to refuse. */
  readonly middlewares?: readonly ClientMiddleware[];
  /**
   * `@opentelemetry/api`: reconciles, their requests and reviews become spans of the provider that is registered there.
   * None when absent.
   *
   * @example
   * import * as opentelemetry from "@opentelemetry/api";
   * const manager = createManager({ tracing: opentelemetry });
   */
  readonly tracing?: TracingApi;
  /** For tests: time and randomness. */
  readonly clock?: Clock;
  /** For tests: the way to the API server. */
  readonly transport?: Transport;
}
