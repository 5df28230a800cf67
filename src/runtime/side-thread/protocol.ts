/** The messages between the main thread and the side thread. */
import { messageOf, TsopError } from "../../errors.ts";
import type { ProbeAnswer } from "../serving/health.ts";
import type { BoundedEndpoint } from "../serving/http-serving.ts";
import type { ElectionSettings } from "../leader-election/leader-election.ts";
import type { ClusterConfig } from "../transport/cluster-config.ts";
import type { ShardSettings } from "../sharding/shard-lease.ts";
import type { CredentialRecipe } from "../transport/credentials/credentials.ts";

/** The interval of the main thread's heartbeats, and of the side thread's checks. */
export const BEAT_MS = 250;

/** The tasks of the side thread. */
export interface SideThreadSettings {
  /** How long the main thread may be blocked before the process counts as stuck. */
  readonly stuckAfterMs: number;
  /** The access to a Lease; required for an election or a shard. */
  readonly lease?: ThreadLease;
  readonly election?: ElectionSettings;
  readonly shard?: ShardSettings;
  /** The address of `/healthz` and `/readyz`. */
  readonly health?: BoundedEndpoint;
}

/** The access to the cluster with the Lease. */
export interface ThreadLease extends ThreadAccess {
  /** The field manager, and the user agent. */
  readonly name: string;
  /** Whether the main thread follows files of the configuration, and answers `access`. */
  readonly isFollowed: boolean;
}

/** A configuration as plain data. */
export interface ThreadAccess {
  readonly cluster: Omit<ClusterConfig, "credentials" | "source" | "connect">;
  readonly credentials: CredentialRecipe;
}

/** The configuration as plain data; `undefined` if its credentials come from code of the program. */
export function threadAccess(config: ClusterConfig): ThreadAccess | undefined {
  const { credentials, source: _source, connect: _connect, ...cluster } = config;
  return credentials.recipe && { cluster, credentials: credentials.recipe };
}

/** The data that the side thread is started with. */
export interface SideThreadData extends SideThreadSettings {
  readonly memory: SharedArrayBuffer;
}

/** A message of the main thread. */
export type ToSideThread =
  | { readonly type: "acquire" }
  | { readonly type: "release" }
  | ShardTask
  | { readonly type: "access"; readonly access: ThreadAccess }
  | { readonly type: "answer"; readonly id: number; readonly answer: ProbeAnswer };

/** A task for the Lease of a shard; `shard-done` has its result. */
export type ShardTask =
  | {
      readonly type: "publish";
      readonly id: number;
      readonly ring: readonly string[];
      readonly anew: boolean;
    }
  | { readonly type: "withdraw"; readonly id: number };

export type FromSideThread =
  | { readonly type: "ready"; readonly healthPort?: number }
  | { readonly type: "not-ready"; readonly error: PlainError }
  | { readonly type: "acquired" }
  | { readonly type: "lost"; readonly error: PlainError }
  | { readonly type: "released" }
  | { readonly type: "shard-done"; readonly id: number; readonly error?: PlainError }
  /** Requests the present configuration; `isStale` if the server refused the known one. */
  | { readonly type: "access-wanted"; readonly isStale: boolean }
  | { readonly type: "exchange"; readonly method: string; readonly code: string }
  | { readonly type: "probe"; readonly id: number; readonly url: string }
  | {
      readonly type: "log";
      readonly level: LogLevel;
      readonly fields: object;
      readonly message: string;
    };

export type LogLevel = "debug" | "info" | "warn" | "error";

/** An error as plain data: between threads an error loses its class. */
interface PlainError {
  readonly code: string;
  readonly message: string;
  readonly fix: string;
}

export function plainError(thrown: unknown): PlainError {
  if (!(thrown instanceof TsopError)) {
    return { code: "internal-error", message: messageOf(thrown), fix: "See the log." };
  }
  const { code, message, fix } = thrown;
  return { code, message, fix };
}

export function errorFrom({ code, message, fix }: PlainError): TsopError {
  return new TsopError(code, message, fix);
}
