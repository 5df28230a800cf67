/** The inner parts of a manager, for other parts of the runtime. */
import { TsopError } from "../../errors.ts";
import type { ReconcileObserver } from "../controller/reconcile-observer.ts";
import type { ReconcileScopes } from "../controller/reconcile-scopes.ts";
import type { ShardMember } from "../sharding/shard-member.ts";
import type { Tracing } from "../tracing/tracing.ts";
import type { OperatorMetrics } from "../metrics/metrics.ts";

/** The property in which a manager keeps its inner parts. */
export const INSIDE: unique symbol = Symbol("tsop.inside");

export interface ManagerInside {
  readonly metrics: OperatorMetrics;
  /** The running reconciles, shared by the client and the controllers. */
  readonly scopes: ReconcileScopes;
  /** Makes spans; absent without `ManagerOptions.tracing`. */
  readonly tracing: Tracing | undefined;
  /** Observes reconciles: traces, and the journal. */
  readonly observer: ReconcileObserver | undefined;
  /** The keys that this process works on; absent where keys are not shared. */
  readonly shards: ShardMember | undefined;
  /** The controllers under construction. */
  readonly unfinished: Set<UnfinishedController>;
}

export interface UnfinishedController {
  /** The name that its author gave it in the code: `for(Web)`. */
  readonly begun: string;
}

/**
 * The inner parts of a manager.
 *
 * @throws TsopError `controller-misbuilt` for one that `createManager` of this package did not make
 */
export function insideOf(manager: object): ManagerInside {
  const { [INSIDE]: inside } = manager as { readonly [INSIDE]?: ManagerInside };
  if (inside) return inside;
  throw new TsopError(
    "controller-misbuilt",
    "Cannot build the controller: its manager was not created by createManager() of this tsop.",
    "Pass the manager itself. If node_modules has two copies of tsop (npm ls tsop), keep one.",
  );
}

/** Refuses to start while a controller is not completed: it would never reconcile anything. */
export function assertFinished({ unfinished }: ManagerInside): void {
  const [first] = unfinished;
  if (!first) return;
  const names = [...unfinished].map(({ begun }) => begun).join(", ");
  const isOne = unfinished.size === 1;
  throw new TsopError(
    "controller-incomplete",
    isOne
      ? `The controller ${names} was started with controllerFor() but never completed: it would reconcile nothing.`
      : `The controllers ${names} were started with controllerFor() but never completed: they would reconcile nothing.`,
    "Call complete(reconciler) before manager.start(), or remove the controller.",
  );
}
