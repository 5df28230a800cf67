/** The messages between the main thread and the side thread. */
import { messageOf, TsopError } from "../../errors.ts";
import type { ProbeAnswer } from "../manager/serving/health.ts";
import type { Endpoint } from "../manager/serving/listening.ts";
import type { ElectionSettings } from "../manager/leader-election.ts";
import type { ClusterConfig } from "../transport/cluster-config.ts";
import type { ShardSettings } from "../sharding/shard-lease.ts";
import type { CredentialRecipe } from "../transport/credentials/credentials.ts";

/** How often the main thread shows that it moves, and the side thread looks. */
export const BEAT_MS = 250;

/** The tasks of the side thread. */
export interface SideThreadSettings {
  /** How long the main thread may stand still before the process is taken for stuck. */
  readonly stuckAfterMs: number;
  /** How it gets to a Lease; there must be one for an election or a shard. */
  readonly lease?: ThreadLease;
  readonly election?: ElectionSettings;
  readonly shard?: ShardSettings;
  /** Where `/healthz` and `/readyz` are served. */
  readonly health?: Endpoint;
}

/** The way to the cluster in which there is a Lease. */
export interface ThreadLease {
  readonly cluster: Omit<ClusterConfig, "credentials">;
  readonly credentials: CredentialRecipe;
  /** Who writes, and the user agent. */
  readonly name: string;
}

/** The data that the side thread is started with. */
export interface SideThreadData extends SideThreadSettings {
  readonly memory: SharedArrayBuffer;
}

/** From the main thread. */
export type ToSideThread =
  | { readonly type: "acquire" }
  | { readonly type: "release" }
  | ShardTask
  | { readonly type: "answer"; readonly id: number; readonly answer: ProbeAnswer };

/** Something to do with the Lease of a shard; `shard-done` says what became of it. */
export type ShardTask =
  | {
      readonly type: "publish";
      readonly id: number;
      readonly ring: readonly string[];
      readonly anew: boolean;
    }
  | { readonly type: "withdraw"; readonly id: number };

/** From the side thread. */
export type FromSideThread =
  | { readonly type: "ready"; readonly healthPort?: number }
  | { readonly type: "not-ready"; readonly error: PlainError }
  | { readonly type: "acquired" }
  | { readonly type: "lost"; readonly error: PlainError }
  | { readonly type: "released" }
  | { readonly type: "shard-done"; readonly id: number; readonly error?: PlainError }
  | { readonly type: "exchange"; readonly method: string; readonly code: string }
  | { readonly type: "probe"; readonly id: number; readonly url: string }
  | {
      readonly type: "log";
      readonly level: LogLevel;
      readonly fields: object;
      readonly message: string;
    };

/** The levels of a `Logger`. */
export type LogLevel = "debug" | "info" | "warn" | "error";

/** An error as plain data: what is sent to another thread loses its class. */
interface PlainError {
  readonly code: string;
  readonly message: string;
  readonly fix: string;
}

/** An error, ready to be sent. */
export function plainError(thrown: unknown): PlainError {
  if (!(thrown instanceof TsopError)) {
    return { code: "internal-error", message: messageOf(thrown), fix: "See the log." };
  }
  const { code, message, fix } = thrown;
  return { code, message, fix };
}

/** The error that was sent. */
export function errorFrom({ code, message, fix }: PlainError): TsopError {
  return new TsopError(code, message, fix);
}
