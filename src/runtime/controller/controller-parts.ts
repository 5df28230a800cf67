/**
 * How a controller works, and what it is made of.
 *
 * @module
 */
import type { Clock } from "../../clock.ts";
import type { Logger } from "../../log.ts";
import type { KubeObject, ObjectKey } from "../../kube/object.ts";
import type { ReadToken } from "../../kube/resource.ts";
import type { EventDetails } from "../events/recorder.ts";
import type { ControllerMetrics } from "../manager/metrics.ts";
import type { RateLimiter } from "../queue/rate-limiters.ts";
import type { QueueObserver, RateLimitingQueue } from "../queue/work-queue.ts";
import type { KeyGate } from "../sharding/key-gate.ts";
import type { WatchOptions, WatchReaction } from "./handlers.ts";
import type { ReconcileObserver } from "./reconcile-observer.ts";
import type { ReconcileScopes } from "./reconcile-scopes.ts";
import type { ReconcileContext, Reconciler } from "./reconciler.ts";
import type { Source } from "./sources/sources.ts";

/** How a controller works; everything may be left out. */
export interface ControllerOptions {
  /** How many keys are worked on at a time; 1 when absent. Never two workers on one key. */
  readonly maxConcurrentReconciles?: number;
  /** How long failed keys wait; 5 ms doubled up to 1000 s when absent. */
  readonly rateLimiter?: RateLimiter;
  /** A queue of another order. */
  readonly newQueue?: (
    clock: Clock,
    limiter: RateLimiter | undefined,
    observer: QueueObserver,
  ) => RateLimitingQueue;
  /**
   * Aborts the signal of a reconcile that takes longer; never when absent. One that does not end within 5 s of that
   * is given up: it can write nothing more, and its key is tried again.
   */
  readonly reconcileTimeoutMs?: number;
  /** Works only in the process that leads, where there is leader election; true when absent. */
  readonly needLeaderElection?: boolean;
  /** How long a `cleanup` may take before an event and a metric tell people; 10 minutes when absent. */
  readonly cleanupTimeoutMs?: number;
  /**
   * The finalizer of a reconciler with `cleanup`; `<group>/<controller>` when absent. For a kind that is not this program's
   * own it must be given: others may have a controller of that name. It is kept in the objects, so it must never change.
   */
  readonly finalizer?: string;
}

/** Makes the source of a kind that is watched. */
type SourceMaker = <T extends KubeObject>(
  token: ReadToken<T>,
  options: WatchReaction<T> & WatchOptions<T>,
) => Source;

/** What a controller is made of. */
export interface ControllerParts {
  readonly name: string;
  readonly reconciler: Reconciler;
  readonly sources: readonly Source[];
  /** Makes the source of a kind that is watched later. */
  readonly sourceOf: SourceMaker;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: ControllerMetrics;
  /** Shared with the client that the reconciler writes with. */
  readonly scopes: ReconcileScopes;
  readonly options: ControllerOptions;
  /** Of the objects that are reconciled, where it is for one kind. */
  readonly kind?: string;
  /** Of that kind: `deployments.apps`. */
  readonly resource?: string;
  /** Looks on at each reconcile. */
  readonly observer?: ReconcileObserver | undefined;
  /** Which keys this process may work on; all when absent. */
  readonly gate?: KeyGate;
  /** Lets the reconciler say what went wrong, before it is tried again. */
  readonly onError?: (key: ObjectKey, error: unknown, context: ReconcileContext) => Promise<void>;
  /** Records an event about the object of a key, if it is known which that is. */
  readonly tell?: (key: ObjectKey, details: EventDetails) => void;
}
