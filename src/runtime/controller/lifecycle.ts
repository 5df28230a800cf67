/**
 * The lifecycle of an object around a reconciler: the finalizer of a cleanup, the pause that people
 * asked for, and the hook for errors.
 *
 * The finalizer is added before the first reconcile and removed after a completed cleanup, each
 * time under a lock on the object's version: a stale cache, a faster writer, and another object of
 * the same name make no difference.
 */
import { messageOf, TerminalError } from "../../errors.ts";
import {
  findCondition,
  setCondition,
  type StatusCondition,
} from "../../kube/progress/conditions.ts";
import { hasFinalizer, isBeingDeleted } from "../../kube/finalizers.ts";
import { keyOf, type KubeObject, type ObjectKey } from "../../kube/object.ts";
import { isPaused, PAUSED_ANNOTATION } from "../../kube/paused.ts";
import type { ReadToken } from "../../kube/resource.ts";
import { isConflict, isNotFound } from "../../kube/status.ts";
import type { InformerCache } from "../cache/cache.ts";
import { findCached } from "../cache/cached-reads.ts";
import type { Client } from "../client/client.ts";
import { addFinalizer, removeFinalizer } from "../client/finalizer.ts";
import type { EventDetails } from "../events/recorder.ts";
import { ToldBefore } from "../told-before.ts";
import type {
  CleanupContext,
  Outcome,
  ReconcileContext,
  Reconciler,
  Request,
  Result,
} from "./reconciler.ts";

// The limit of conflicts in a row; after that the cleanup itself runs again.
const CONFLICT_TRIES = 5;
const PAUSED_REASON = "PausedByAnnotation";

export interface LifecycleParts<T extends KubeObject> {
  readonly client: Client;
  readonly cache: InformerCache;
  /** The kind that the controller is for. */
  readonly token: ReadToken<T>;
  readonly reconciler: Reconciler<T>;
  /** The finalizer of this controller; absent when the reconciler never had a cleanup. */
  readonly finalizer: string | undefined;
  /** The time for a cleanup before it counts as overdue, in milliseconds. */
  readonly cleanupTimeoutMs: number;
  /** Whether this program writes the status of the kind. */
  readonly ownsStatus: boolean;
  readonly tell: (object: KubeObject, details: EventDetails) => void;
  readonly overdue: () => void;
  /** Counts an error that the reconciler throws before it returns a promise. */
  readonly panicked: () => void;
}

/** A reconciler of keys, as the controller calls it, around the author's one. */
export class Lifecycle<T extends KubeObject> {
  readonly #parts: LifecycleParts<T>;
  readonly #told = new ToldBefore();

  constructor(parts: LifecycleParts<T>) {
    this.#parts = parts;
  }

  /** Reconciles, cleans up or leaves alone, depending on the state of the object. */
  reconcile(request: Request, context: ReconcileContext): Promise<Outcome> {
    const { reconciler } = this.#parts;
    const cached = this.#cached(request.key);
    if (cached && isPaused(cached)) return this.#pause(cached, context);
    if (cached && this.#isMarkedPaused(cached)) return this.#resume(cached, request, context);
    if (reconciler.cleanup) return this.#withFinalizer(request, context);
    if (cached) this.#tellForgotten(cached, context);
    return reconciler.reconcile(request, context);
  }

  /** Calls the author's error hook, which may write the failure into the status. */
  async failed(key: ObjectKey, thrown: unknown, context: ReconcileContext): Promise<void> {
    const { client, reconciler, token } = this.#parts;
    if (!reconciler.onError) return;
    const object = await client.find(token, key);
    if (!object) return;
    const error =
      thrown instanceof Error ? thrown : new Error(messageOf(thrown), { cause: thrown });
    await reconciler.onError(object, error, context);
  }

  async #withFinalizer(request: Request, context: ReconcileContext): Promise<Outcome> {
    const { client, finalizer = "", token, reconciler } = this.#parts;
    const object = await client.find(token, request.key);
    if (object && isBeingDeleted(object)) {
      // An object without our finalizer is cleaned up already, or was never ours: it waits for
      // other finalizers.
      return hasFinalizer(object, finalizer) ? this.#cleanUp(object, context) : undefined;
    }
    if (object && !hasFinalizer(object, finalizer) && !(await this.#adopt(object))) return;
    return this.#call(() => reconciler.reconcile(request, context));
  }

  /**
   * Adds the finalizer; false when the object is being deleted or was replaced by now, of which the
   * watch will bring an event.
   */
  async #adopt(object: T): Promise<boolean> {
    const { client, finalizer = "", token } = this.#parts;
    try {
      await addFinalizer(client, token, object, finalizer);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      if (!isConflict(error)) throw error;
    }
    const newer = await client.live.find(token, keyOf(object));
    if (!newer || newer.metadata.uid !== object.metadata.uid) return false;
    if (isBeingDeleted(newer)) return false;
    await addFinalizer(client, token, newer, finalizer);
    return true;
  }

  async #cleanUp(object: T, context: ReconcileContext): Promise<Outcome> {
    const cleanup = new Cleanup(object, context, this.#parts.cleanupTimeoutMs);
    if (cleanup.isOverdue) this.#tellOverdue(object, cleanup);
    let outcome: Outcome;
    try {
      outcome = await this.#call(() => this.#parts.reconciler.cleanup?.(object, cleanup.context));
    } catch (error) {
      // The object waits for its cleanup, so no failure is terminal here.
      if (!(error instanceof TerminalError)) throw error;
      throw new Error(error.message, { cause: error });
    }
    if (outcome?.requeueAfterMs !== undefined) return cleanup.untilDeadline(outcome);
    await this.#release(object);
    return undefined;
  }

  /** Removes the finalizer from this very object, and from no other one of its name. */
  async #release(object: T): Promise<void> {
    const { client, finalizer = "", token } = this.#parts;
    let known = object;
    for (let attempt = 1; ; attempt++) {
      try {
        await removeFinalizer(client, token, known, finalizer);
        return;
      } catch (error) {
        if (isNotFound(error)) return;
        if (!isConflict(error) || attempt >= CONFLICT_TRIES) throw error;
      }
      const newer = await client.live.find(token, keyOf(object));
      if (!newer || newer.metadata.uid !== object.metadata.uid) return;
      known = newer;
    }
  }

  /** Calls the reconciler; an error before it returns a promise counts as a panic. */
  #call(run: () => Promise<Outcome> | undefined): Promise<Outcome> {
    try {
      return run() ?? Promise.resolve();
    } catch (error) {
      this.#parts.panicked();
      throw error;
    }
  }

  async #pause(object: T, context: ReconcileContext): Promise<Outcome> {
    const { uid } = object.metadata;
    if (this.#told.isFirst(`paused ${uid}`)) {
      context.log.info(`paused by the annotation ${PAUSED_ANNOTATION}: it is not reconciled`);
    }
    if (this.#isMarkedPaused(object)) return;
    const reason = PAUSED_REASON;
    const message = `It is not reconciled while the annotation ${PAUSED_ANNOTATION} is "true".`;
    await this.#mark(object, { status: "True", reason, message }, context);
  }

  async #resume(object: T, request: Request, context: ReconcileContext): Promise<Outcome> {
    const message = `The annotation ${PAUSED_ANNOTATION} is not "true" any more.`;
    await this.#mark(object, { status: "False", reason: "Resumed", message }, context);
    const { reconciler } = this.#parts;
    if (reconciler.cleanup) return this.#withFinalizer(request, context);
    return this.#call(() => reconciler.reconcile(request, context));
  }

  /** Sets a condition, where the object has conditions and this program writes its status. */
  async #mark(
    object: T,
    change: Pick<StatusCondition, "status" | "reason" | "message">,
    { log, nowMs }: ReconcileContext,
  ): Promise<void> {
    if (!this.#parts.ownsStatus || conditionsOf(object).length === 0) return;
    const { generation } = object.metadata;
    const observed = generation === undefined ? {} : { observedGeneration: generation };
    try {
      await this.#parts.client.status.patch<KubeObject & { status?: WithConditions }>(
        object,
        (status) => ({
          conditions: setCondition(
            status?.conditions,
            { type: "Paused", ...change, ...observed },
            nowMs,
          ),
        }),
      );
    } catch (error) {
      log.warn({ err: error }, "the condition Paused could not be written");
    }
  }

  #isMarkedPaused(object: T): boolean {
    if (!this.#parts.ownsStatus) return false;
    const condition = findCondition(conditionsOf(object), "Paused");
    return condition?.status === "True" && condition.reason === PAUSED_REASON;
  }

  #tellOverdue(object: T, { deadlineMs }: Pick<CleanupContext, "deadlineMs">): void {
    const { finalizer = "", overdue, tell } = this.#parts;
    if (!this.#told.isFirst(`overdue ${object.metadata.uid}`)) return;
    overdue();
    const until = new Date(deadlineMs).toISOString();
    tell(object, {
      type: "Warning",
      reason: "CleanupOverdue",
      message: `The cleanup should have succeeded by ${until} and is still retried; the finalizer ${finalizer} stays until it succeeds.`,
      action: "CleanUp",
    });
  }

  /**
   * Warns about the finalizer of a cleanup that an earlier version of the program had: nothing
   * removes it now.
   */
  #tellForgotten(object: T, { log }: ReconcileContext): void {
    const { finalizer, tell } = this.#parts;
    if (finalizer === undefined || !isBeingDeleted(object)) return;
    if (!hasFinalizer(object, finalizer)) return;
    if (!this.#told.isFirst(`forgotten ${object.metadata.uid}`)) return;
    const message = `It waits for the finalizer ${finalizer}, which an earlier version of this operator added; this one has no cleanup.`;
    log.error({ finalizer }, message);
    tell(object, { type: "Warning", reason: "CleanupMissing", message, action: "CleanUp" });
  }

  #cached(key: ObjectKey): T | undefined {
    const { cache, token } = this.#parts;
    const informers = cache.findInformers(token, key.namespace);
    return informers && findCached(informers, key, cache.tap);
  }
}

interface WithConditions {
  conditions?: StatusCondition[];
}

/** One call of a cleanup: the start of the deletion, and its deadline. */
class Cleanup {
  readonly context: CleanupContext;
  readonly deadlineMs: number;

  constructor({ metadata }: KubeObject, reconcile: ReconcileContext, timeoutMs: number) {
    const { deletionTimestamp = "", deletionGracePeriodSeconds = 0 } = metadata;
    // The timestamp is the end of the grace period.
    const deletedAtMs = Date.parse(deletionTimestamp) - 1000 * deletionGracePeriodSeconds;
    this.deadlineMs = deletedAtMs + timeoutMs;
    const { deadlineMs } = this;
    const { signal, causes, failures, nowMs } = reconcile;
    this.context = {
      signal,
      causes,
      failures,
      nowMs,
      deletedAtMs,
      deadlineMs,
      get log() {
        return reconcile.log;
      },
    };
  }

  get isOverdue(): boolean {
    return this.context.nowMs >= this.deadlineMs;
  }

  /** The requested wait, at most until the deadline, at which the cleanup is overdue. */
  untilDeadline(result: Result): Result {
    const { requeueAfterMs = 0 } = result;
    if (this.isOverdue || Number.isNaN(requeueAfterMs)) return result;
    return {
      ...result,
      requeueAfterMs: Math.min(requeueAfterMs, this.deadlineMs - this.context.nowMs),
    };
  }
}

function conditionsOf(object: KubeObject): StatusCondition[] {
  const { status } = object as { status?: unknown };
  const conditions = (status as WithConditions | undefined)?.conditions;
  return Array.isArray(conditions) ? conditions : [];
}
