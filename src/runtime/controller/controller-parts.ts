/** The options of a controller, and its parts. */
import type { Clock } from "../../clock.ts";
import type { Logger } from "../../log.ts";
import type { KubeObject, ObjectKey } from "../../kube/object.ts";
import type { ReadToken } from "../../kube/resource.ts";
import type { EventDetails } from "../events/recorder.ts";
import type { ControllerMetrics } from "../metrics/metrics.ts";
import type { RateLimiter } from "../queue/rate-limiters.ts";
import type { QueueObserver, RateLimitingQueue } from "../queue/work-queue.ts";
import type { KeyGate } from "../sharding/key-gate.ts";
import type { WatchOptions, WatchReaction } from "./sources/handlers.ts";
import type { ReconcileObserver } from "./reconcile-observer.ts";
import type { ReconcileScopes } from "./reconcile-scopes.ts";
import type { ReconcileContext, Reconciler } from "./reconciler.ts";
import type { Source } from "./sources/sources.ts";

/** The options of a controller; every field is optional. */
export interface ControllerOptions {
  /** How many keys are reconciled at a time; 1 when absent. No key is reconciled twice at once. */
  readonly maxConcurrentReconciles?: number;
  /** The waits of failed keys; 5 ms doubled up to 1000 s when absent. */
  readonly rateLimiter?: RateLimiter;
  /** Makes a queue with another order. */
  readonly newQueue?: (
    clock: Clock,
    limiter: RateLimiter | undefined,
    observer: QueueObserver,
  ) => RateLimitingQueue;
  /**
   * Aborts the signal of a reconcile that takes longer; never when absent. One that does not end
   * within 5 s after that is abandoned: it can write nothing more, and its key is retried.
   */
  readonly reconcileTimeoutMs?: number;
  /** Runs the controller in the leader only, where there is leader election; true when absent. */
  readonly needLeaderElection?: boolean;
  /**
   * The time for a `cleanup` before an event and a metric report it as overdue; 10 minutes when
   * absent.
   */
  readonly cleanupTimeoutMs?: number;
  /**
   * The finalizer of a reconciler with `cleanup`; `<group>/<controller>` when absent. It is
   * required for a kind of another program: others may have a controller of that name. It is stored
   * in the objects, so it must never change.
   */
  readonly finalizer?: string;
}

/** Makes the source of a watched kind. */
type SourceMaker = <T extends KubeObject>(
  token: ReadToken<T>,
  options: WatchReaction<T> & WatchOptions<T>,
) => Source;

export interface ControllerParts {
  readonly name: string;
  readonly reconciler: Reconciler;
  readonly sources: readonly Source[];
  /** Makes the source of a kind that is watched later. */
  readonly sourceOf: SourceMaker;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ControllerMetrics;
  /** The scopes of reconciles, shared with the reconciler's client. */
  readonly scopes: ReconcileScopes;
  readonly options: ControllerOptions;
  /** The kind of the reconciled objects, where there is one. */
  readonly kind?: string;
  /** The resource of that kind: `deployments.apps`. */
  readonly resource?: string;
  readonly observer?: ReconcileObserver | undefined;
  /** Decides which keys this process may reconcile; all when absent. */
  readonly gate?: KeyGate;
  /** Calls the reconciler's error hook, before the retry. */
  readonly onError?: (key: ObjectKey, error: unknown, context: ReconcileContext) => Promise<void>;
  /** Records an event about the object of a key, where the object is known. */
  readonly tell?: (key: ObjectKey, details: EventDetails) => void;
}
