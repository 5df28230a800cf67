/**
 * Jobs: pods that run to their end, counted exactly once.
 *
 * A finished pod keeps a finalizer until its Job's status lists it; only then is it released and
 * counted.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/job/
 */
import { sameJson } from "../../../kube/json.ts";
import { msOf, timeOf } from "../../../kube/values/times.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Condition } from "../../builtin/shared/shapes.ts";
import type { Job } from "../../builtin/kinds/batch/job/shape.ts";
import { JOBS, PODS } from "../../builtin/tokens.ts";
import { unlessGone } from "../framework/absence.ts";
import { isTrue, withoutCondition } from "../framework/conditions.ts";
import type { StoreEvent } from "../framework/client.ts";
import { ObjectController, type Tools, type Watch, watch } from "../framework/controller.ts";
import { nonZero, shortest } from "../framework/counts.ts";
import { keyFrom, textOf } from "../framework/keys.ts";
import {
  claimed,
  controllerOf,
  isControlledBy,
  watchOwned,
} from "../framework/owner-references.ts";
import { createPod, deletePod, isFinished, isReady, isTerminating } from "../pods/pods.ts";
import {
  type Failures,
  TRACKING,
  backoffMs,
  endedAt,
  indexWaitMs,
  surplusPods,
  isIndexed,
  jobPod,
  replacesFailedOnly,
} from "./job-pods.ts";
import {
  type Progress,
  completionOf,
  indexFields,
  indexesToRun,
  progressOf,
  wantedActive,
} from "./job-progress.ts";

/** The prefix of the key of a pod whose Job is gone. */
const ORPHAN = "orphan:";
const OWN_MANAGER = "kubernetes.io/job-controller";

/** The counts of active pods after some were created or removed. */
interface Managed {
  readonly active: number;
  readonly ready: number;
  readonly removed: number;
  /** In how many milliseconds more pods may be created. */
  readonly waitMs?: number | undefined;
}

export class JobController extends ObjectController<Job> {
  readonly name = "Job";
  readonly resource = JOBS;
  readonly watches = [
    watch(JOBS, (event) => this.#hurry(event)),
    this.#batched(watchOwned(this, PODS, (job) => job.spec.selector)),
    watch(PODS, ({ object }) => (isOrphan(object) ? [`${ORPHAN}${textOf(object)}`] : [])),
  ];
  /** How long changes of pods are collected before their Job is synced, in milliseconds. */
  readonly #batchMs: number;
  /** When a Job is to be synced, by its key. */
  readonly #due = new Map<string, number>();
  /** Failures since the last success, by the uid of the Job. */
  readonly #failures = new Map<string, Failures>();
  /** The start of Jobs, more exactly than their status, which has no fractions of a second. */
  readonly #startTimes = new Map<string, number>();

  constructor(tools: Tools, { batchMs }: { readonly batchMs: number }) {
    super(tools);
    this.#batchMs = batchMs;
  }

  /** A Job that is new, has another spec or is gone does not wait for its pods. */
  #hurry({ type, object, old }: StoreEvent<Job>): string[] {
    const key = textOf(object);
    const isSame = type === "MODIFIED" && old?.metadata.generation === object.metadata.generation;
    this.#plan(key, isSame ? this.#batchMs : 0);
    return [key];
  }

  /** Collects the changes that concern a Job. */
  #batched(watched: Watch): Watch {
    const collect = (event: StoreEvent): string[] => {
      const keys = [...watched.keysOf(event)];
      for (const key of keys) this.#plan(key, this.#batchMs);
      return keys;
    };
    return { ...watched, keysOf: collect };
  }

  /** Notes when a Job is to be synced, at the latest. */
  #plan(key: string, inMs: number): void {
    if (this.#batchMs === 0) return;
    const dueMs = this.clock.monotonicMs() + inMs;
    this.#due.set(key, Math.min(this.#due.get(key) ?? Infinity, dueMs));
  }

  override async sync(key: string): Promise<number | undefined> {
    const leftMs = (this.#due.get(key) ?? 0) - this.clock.monotonicMs();
    if (leftMs > 0) return leftMs;
    this.#due.delete(key);
    if (!key.startsWith(ORPHAN)) {
      const againMs = await super.sync(key);
      if (againMs !== undefined) this.#plan(key, againMs);
      return againMs;
    }
    const pod = this.client.find(PODS, keyFrom(key.slice(ORPHAN.length)));
    if (pod && isOrphan(pod)) await this.#release(pod);
    return undefined;
  }

  protected async reconcile(job: Job): Promise<number | undefined> {
    if ((job.spec.managedBy ?? OWN_MANAGER) !== OWN_MANAGER) return undefined;
    if (isTrue(job, "Complete") || isTrue(job, "Failed")) {
      this.#failures.delete(job.metadata.uid ?? "");
      this.#startTimes.delete(job.metadata.uid ?? "");
      return undefined;
    }
    const { selector } = job.spec;
    const pods = await claimed(this.client, job, PODS, selector, { finalizer: TRACKING });
    return this.#advance(job, pods);
  }

  /** Releases the pods of a Job that is gone. */
  protected override async forget(key: string): Promise<undefined> {
    const { namespace, name } = keyFrom(key);
    for (const pod of this.client.list(PODS, { namespace })) {
      const owner = controllerOf(pod);
      if (owner?.kind === "Job" && owner.name === name) await this.#release(pod);
    }
  }

  async #advance(found: Job, pods: readonly Pod[]): Promise<number | undefined> {
    const now = this.clock.now();
    let job = this.#started(found);
    let progress = progressOf(job, pods, this.#leftMs(job));
    this.#noteFailures(job, progress, now);
    const { active, ready, ending } = progress;
    let managed: Managed = { active: active.length, ready, removed: 0 };
    if (ending) {
      for (const pod of active) await deletePod(this, job, pod);
      managed = { active: 0, ready: 0, removed: active.length };
    }
    const isManaged = !ending && job.metadata.deletionTimestamp === undefined;
    try {
      if (isManaged) managed = await this.#managePods(job, pods, progress, now);
    } finally {
      progress = { ...progress, ending: ending ?? completionOf(job, progress, managed.active) };
      if (isManaged && !progress.ending) job = await this.#noteSuspension(job);
      job = await this.#count(job, pods, progress, managed);
      await this.#finish(job, progress);
    }
    return progress.ending ? undefined : shortest([managed.waitMs, this.#leftMs(job)]);
  }

  /** How many milliseconds the Job may still be active; `undefined` without a deadline. */
  #leftMs({ spec, status, metadata }: Job): number | undefined {
    const { activeDeadlineSeconds, suspend } = spec;
    if (activeDeadlineSeconds === undefined || suspend || !status?.startTime) return undefined;
    const start = this.#startTimes.get(metadata.uid ?? "") ?? msOf(status.startTime);
    return start + activeDeadlineSeconds * 1000 - this.clock.now();
  }

  #started(job: Job): Job {
    if (job.spec.suspend === true || job.status?.startTime !== undefined) return job;
    this.#noteStart(job);
    return { ...job, status: { ...job.status, startTime: timeOf(this.clock.now()) } };
  }

  /** Records suspension and resumption. */
  async #noteSuspension(job: Job): Promise<Job> {
    const { suspend = false } = job.spec;
    if (suspend === isTrue(job, "Suspended")) return job;
    const [reason, message] = suspend
      ? ["JobSuspended", "Job suspended"]
      : ["JobResumed", "Job resumed"];
    const change = { type: "Suspended", status: suspend ? "True" : "False", reason, message };
    const status = { ...job.status, conditions: this.#conditionsWith(job, change) };
    if (suspend) delete status.startTime;
    else {
      status.startTime = timeOf(this.clock.now());
      this.#noteStart(job);
    }
    await this.events.record(job, "Normal", suspend ? "Suspended" : "Resumed", message);
    return { ...job, status };
  }

  #noteStart({ metadata }: Job): void {
    this.#startTimes.set(metadata.uid ?? "", this.clock.now());
  }

  #noteFailures(job: Job, { newFailed, newSucceeded, ignored }: Progress, now: number): void {
    const uid = job.metadata.uid ?? "";
    const failed = newFailed.filter((pod) => !ignored.has(pod));
    if (newSucceeded.length > 0) this.#failures.delete(uid);
    if (failed.length === 0) return;
    const lastMs = Math.max(...failed.map((pod) => endedAt(pod, now)));
    const count = (this.#failures.get(uid)?.count ?? 0) + failed.length;
    this.#failures.set(uid, { count, lastMs });
  }

  async #managePods(
    job: Job,
    pods: readonly Pod[],
    progress: Progress,
    now: number,
  ): Promise<Managed> {
    const { active, ready } = progress;
    const wanted = job.spec.suspend ? 0 : wantedActive(job, progress);
    if (active.length > wanted) {
      const surplus = surplusPods(job, active, active.length - wanted, now);
      for (const pod of surplus) {
        // A pod that was deleted on purpose is not a failure, and not counted.
        await this.#release(pod);
        await deletePod(this, job, pod);
      }
      const removed = surplus.length;
      return { active: wanted, ready: ready - surplus.filter(isReady).length, removed };
    }
    const same: Managed = { active: active.length, ready, removed: 0 };
    const leaving = replacesFailedOnly(job) ? pods.filter(isTerminating).length : 0;
    const missing = Math.max(0, wanted - active.length - leaving);
    if (missing === 0) return same;
    const indexes: (number | undefined)[] = isIndexed(job)
      ? indexesToRun(job, progress, pods).slice(0, missing)
      : Array.from({ length: missing }, () => undefined);
    const jobWaitMs = backoffMs(this.#failures.get(job.metadata.uid ?? ""), now);
    const waits = indexes.map((index) =>
      job.spec.backoffLimitPerIndex === undefined
        ? jobWaitMs
        : indexWaitMs(progress.delayed.get(index), now),
    );
    const due = indexes.filter((_, place) => waits[place] === 0);
    if (due.length === 0) return { ...same, waitMs: shortest(waits) };
    for (const index of due) {
      await createPod(this, job, jobPod(job, index, progress.delayed.get(index)));
    }
    return { ...same, active: active.length + due.length };
  }

  async #release(pod: Pod): Promise<void> {
    const { uid, finalizers = [] } = pod.metadata;
    if (!isTracked(pod)) return;
    const rest = finalizers.filter((name) => name !== TRACKING);
    const metadata = { uid, finalizers: rest.length > 0 ? rest : null };
    await unlessGone(this.client.patch(PODS, pod.metadata, { metadata }));
  }

  /**
   * Lists the finished pods in the status and releases them.
   *
   * @returns the Job with the new counts, which are still to be written
   */
  async #count(job: Job, pods: readonly Pod[], progress: Progress, managed: Managed): Promise<Job> {
    const { ending, ignored } = progress;
    const isDone = ending !== undefined || job.metadata.deletionTimestamp !== undefined;
    const kept = new Set(isDone ? [] : progress.delayed.values());
    const newFailed = progress.newFailed.filter((pod) => !kept.has(pod));
    const before = job.status?.uncountedTerminatedPods ?? {};
    const uids = (list: readonly Pod[]): string[] => list.map(({ metadata }) => metadata.uid ?? "");
    // The indexes of the pods of an indexed Job tell which are counted.
    const won = isIndexed(job) ? [] : uids(progress.newSucceeded);
    const succeeded = [...(before.succeeded ?? []), ...won];
    const counted = newFailed.filter((pod) => !ignored.has(pod));
    const failed = [...(before.failed ?? []), ...uids(counted)];
    const status: NonNullable<Job["status"]> = {
      ...nonZero({ ...job.status, active: managed.active }),
      ...(isIndexed(job) ? nonZero({ succeeded: progress.succeeded }) : {}),
      ...indexFields(job, progress),
      ready: managed.ready,
      terminating: pods.filter(isTerminating).length + managed.removed,
      uncountedTerminatedPods: {
        ...(succeeded.length > 0 ? { succeeded } : {}),
        ...(failed.length > 0 ? { failed } : {}),
      },
    };
    if (ending && !isTrue(job, ending.type)) {
      status.conditions = this.#conditionsWith(job, { ...ending, status: "True" });
    }
    const written = await this.#writeStatus(job, status);
    for (const pod of [...progress.newSucceeded, ...newFailed]) await this.#release(pod);
    const { succeeded: wonBefore = 0, failed: lostBefore = 0 } = written.status ?? {};
    const sums = nonZero({
      succeeded: wonBefore + succeeded.length,
      failed: lostBefore + failed.length,
    });
    return { ...written, status: { ...written.status, uncountedTerminatedPods: {}, ...sums } };
  }

  /** Writes the counts, with the final condition when no pod is left that could still change one. */
  async #finish(job: Job, { ending }: Progress): Promise<void> {
    const { namespace = "" } = job.metadata;
    const isLeft = (pod: Pod): boolean => !isFinished(pod) || isTracked(pod);
    const pods = this.client.list(PODS, { namespace });
    if (!ending || pods.some((pod) => isControlledBy(pod, job) && isLeft(pod))) {
      await this.#writeStatus(job, job.status ?? {});
      return;
    }
    const success = ending.type === "SuccessCriteriaMet";
    const type = success ? "Complete" : "Failed";
    await this.#writeStatus(job, {
      ...job.status,
      terminating: 0,
      ready: 0,
      conditions: this.#conditionsWith(job, { ...ending, type, status: "True" }),
      ...(success ? { completionTime: timeOf(this.clock.now()) } : {}),
    });
    if (success) await this.events.record(job, "Normal", "Completed", "Job completed");
    else await this.events.record(job, "Warning", ending.reason, ending.message);
  }

  /** The conditions with one of them put last, as of now. */
  #conditionsWith({ status }: Job, change: Condition): Condition[] {
    const time = timeOf(this.clock.now());
    const others = withoutCondition(status?.conditions, change.type);
    return [...others, { ...change, lastProbeTime: time, lastTransitionTime: time }];
  }

  async #writeStatus(job: Job, status: NonNullable<Job["status"]>): Promise<Job> {
    const next = { ...job, status };
    const stored = this.client.find(JOBS, job.metadata);
    if (stored && sameJson(stored.status, status)) return next;
    return this.client.update(JOBS, next, "status");
  }
}

/** Whether the pod is not counted yet. */
const isTracked = ({ metadata }: Pod): boolean => metadata.finalizers?.includes(TRACKING) === true;

/** Whether the finalizer of a pod without a controller is left. */
const isOrphan = (pod: Pod): boolean => !controllerOf(pod) && isTracked(pod);
