/**
 * Jobs: pods that run to their end, counted exactly once.
 *
 * A finished pod keeps a finalizer until its Job's status lists it; only then is it released and
 * counted.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/job/
 */
import { sameJson } from "../../../kube/json.ts";
import { errorFrom } from "../../../errors.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Condition } from "../../builtin/shared/shapes.ts";
import type { Job } from "../../builtin/kinds/batch/job/shape.ts";
import { unlessGone } from "../absence.ts";
import { keyFrom, textOf } from "../keys.ts";
import { JOBS, PODS } from "../../builtin/tokens.ts";
import { type OwnerKind, claimed, controllerOf, watchOwned } from "../ownership.ts";
import { createPod, deletePod } from "../pods/pod-control.ts";
import { isFinished, isReady } from "../pods/pods.ts";
import { msOf, timeOf } from "../../../kube/values/times.ts";
import { ObjectController, watch } from "../controller.ts";
import {
  TRACKING,
  backoffMs,
  endedAt,
  indexWaitMs,
  surplusPods,
  isIndexed,
  jobPod,
  releasePatch,
  replacesFailedOnly,
} from "./job-pods.ts";
import {
  type Progress,
  completionOf,
  indexFields,
  indexesToRun,
  isOver,
  isTrue,
  progressOf,
  wantedActive,
} from "./job-progress.ts";

const KIND: OwnerKind<Job> = { apiVersion: "batch/v1", kind: "Job", resource: JOBS };
/** The prefix of the key of a pod whose Job is gone. */
const ORPHAN = "orphan:";
const OWN_MANAGER = "kubernetes.io/job-controller";

/** The counts of active pods after some were created or removed. */
interface Managed {
  readonly active: number;
  readonly ready: number;
  readonly removed: number;
  /** In how many milliseconds more pods may be created. */
  readonly waitMs?: number;
}

interface Failures {
  readonly inRow: number;
  readonly lastMs: number;
}

/** Creates, counts and deletes the pods of Jobs. */
export class JobController extends ObjectController<Job> {
  readonly name = "Job";
  readonly resource = JOBS;
  readonly watches = [
    watch(JOBS),
    watchOwned(this.client, PODS, KIND, (job) => job.spec.selector),
    watch(PODS, ({ object }) => (isOrphan(object) ? [`${ORPHAN}${textOf(object)}`] : [])),
  ];
  /** Failures since the last success, by the uid of the Job. */
  readonly #failures = new Map<string, Failures>();
  /** The start of Jobs, more exactly than their status, which has no fractions of a second. */
  readonly #startTimes = new Map<string, number>();

  override async sync(key: string): Promise<number | undefined> {
    if (!key.startsWith(ORPHAN)) return super.sync(key);
    const pod = this.client.find(PODS, keyFrom(key.slice(ORPHAN.length)));
    if (pod && isOrphan(pod)) await this.#release(pod);
    return undefined;
  }

  protected async reconcile(job: Job): Promise<number | undefined> {
    if ((job.spec.managedBy ?? OWN_MANAGER) !== OWN_MANAGER) return undefined;
    if (isOver(job)) {
      this.#failures.delete(job.metadata.uid ?? "");
      this.#startTimes.delete(job.metadata.uid ?? "");
      return undefined;
    }
    const pods = await claimed({
      client: this.client,
      owner: job,
      kind: KIND,
      resource: PODS,
      selector: job.spec.selector,
      finalizer: TRACKING,
    });
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
    let managed: Managed = { active: progress.active.length, ready: progress.ready, removed: 0 };
    let failure: unknown;
    if (progress.ending) {
      for (const pod of progress.active) await deletePod(this, job, pod);
      managed = { active: 0, ready: 0, removed: progress.active.length };
    } else {
      const isLeaving = job.metadata.deletionTimestamp !== undefined;
      try {
        if (!isLeaving) managed = await this.#managePods(job, pods, progress, now);
      } catch (thrown) {
        failure = thrown;
      }
      const ending = completionOf(job, progress, managed.active);
      if (ending) progress = { ...progress, ending };
      else if (!isLeaving) job = await this.#noteSuspension(job);
    }
    job = await this.#count(job, pods, progress, managed);
    await this.#finish(job, progress);
    if (failure !== undefined) throw errorFrom(failure);
    const limit = this.#leftMs(job);
    const waits = [managed.waitMs, limit].filter((ms) => ms !== undefined && ms > 0).map(Number);
    return waits.length > 0 && !progress.ending ? Math.min(...waits) : undefined;
  }

  /** How many milliseconds the Job may still be active; `undefined` without a deadline. */
  #leftMs({ spec, status, metadata }: Job): number | undefined {
    const { activeDeadlineSeconds, suspend } = spec;
    if (activeDeadlineSeconds === undefined || suspend || !status?.startTime) return undefined;
    const start = this.#startTimes.get(metadata.uid ?? "") ?? msOf(status.startTime);
    return start + activeDeadlineSeconds * 1000 - this.clock.now();
  }

  /** The Job with its start time set. */
  #started(job: Job): Job {
    if (job.spec.suspend === true || job.status?.startTime !== undefined) return job;
    this.#noteStart(job);
    return { ...job, status: { ...job.status, startTime: timeOf(this.clock.now()) } };
  }

  /** Records suspension and resumption. */
  async #noteSuspension(job: Job): Promise<Job> {
    const { suspend = false } = job.spec;
    if (suspend === isTrue(job, "Suspended")) return job;
    const status = { ...job.status };
    const time = timeOf(this.clock.now());
    const [reason, message] = suspend
      ? ["JobSuspended", "Job suspended"]
      : ["JobResumed", "Job resumed"];
    status.conditions = withCondition(status.conditions, {
      type: "Suspended",
      status: suspend ? "True" : "False",
      lastProbeTime: time,
      lastTransitionTime: time,
      reason,
      message,
    });
    if (suspend) delete status.startTime;
    else {
      status.startTime = time;
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
    const inRow = (this.#failures.get(uid)?.inRow ?? 0) + failed.length;
    this.#failures.set(uid, { inRow, lastMs });
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
    const leaving = replacesFailedOnly(job)
      ? pods.filter((pod) => pod.metadata.deletionTimestamp && !isFinished(pod)).length
      : 0;
    const missing = Math.max(0, wanted - active.length - leaving);
    if (missing === 0) return same;
    let indexes = isIndexed(job) ? indexesToRun(job, progress, pods).slice(0, missing) : undefined;
    if (job.spec.backoffLimitPerIndex === undefined) {
      const failures = this.#failures.get(job.metadata.uid ?? "");
      const waitMs = failures ? failures.lastMs + backoffMs(failures.inRow) - now : 0;
      if (waitMs > 0) return { ...same, waitMs };
    } else {
      const waits = (indexes ?? []).map((index) => indexWaitMs(progress.delayed.get(index), now));
      indexes = indexes?.filter((_, place) => waits[place] === 0);
      if (indexes?.length === 0 && waits.length > 0) return { ...same, waitMs: Math.min(...waits) };
    }
    const count = indexes?.length ?? missing;
    for (let made = 0; made < count; made++) await this.#create(job, indexes?.[made], progress);
    return { ...same, active: active.length + count };
  }

  async #create(job: Job, index: number | undefined, progress: Progress): Promise<void> {
    const failed = index === undefined ? undefined : progress.delayed.get(index);
    await createPod(this, job, jobPod(job, KIND, index, failed));
  }

  async #release(pod: Pod): Promise<void> {
    if (!pod.metadata.finalizers?.includes(TRACKING)) return;
    await unlessGone(this.client.patch(PODS, pod.metadata, releasePatch(pod)));
  }

  /** Lists the finished pods in the status, releases them, and adds them to the counts. */
  async #count(job: Job, pods: readonly Pod[], progress: Progress, managed: Managed): Promise<Job> {
    const isDone = progress.ending !== undefined || job.metadata.deletionTimestamp !== undefined;
    const kept = new Set(isDone ? [] : progress.delayed.values());
    const newFailed = progress.newFailed.filter((pod) => !kept.has(pod));
    const before = job.status?.uncountedTerminatedPods ?? {};
    const uids = (list: readonly Pod[]): string[] => list.map(({ metadata }) => metadata.uid ?? "");
    const succeeded = [...(before.succeeded ?? []), ...uids(progress.newSucceeded)];
    const counted = newFailed.filter((pod) => !progress.ignored.has(pod));
    const failed = [...(before.failed ?? []), ...uids(counted)];
    const terminating = pods.filter(
      (pod) => pod.metadata.deletionTimestamp && !isFinished(pod),
    ).length;
    const status: NonNullable<Job["status"]> = {
      ...job.status,
      ...indexFields(job, progress),
      ready: managed.ready,
      terminating: terminating + managed.removed,
      uncountedTerminatedPods: {
        ...(succeeded.length > 0 ? { succeeded } : {}),
        ...(failed.length > 0 ? { failed } : {}),
      },
    };
    if (managed.active > 0) status.active = managed.active;
    else delete status.active;
    if (progress.ending)
      status.conditions = this.#conditionsFor(job, progress.ending.type, progress);
    const finished = [...progress.newSucceeded, ...newFailed];
    if (finished.length + succeeded.length + failed.length === 0) {
      return this.#writeStatus(job, status);
    }
    const written = await this.#writeStatus(job, status);
    for (const pod of finished) await this.#release(pod);
    const next = { ...(written.status ?? {}), uncountedTerminatedPods: {} };
    const total = isIndexed(job) ? progress.succeeded : (next.succeeded ?? 0) + succeeded.length;
    if (total > 0) next.succeeded = total;
    if (failed.length > 0) next.failed = (next.failed ?? 0) + failed.length;
    return this.#writeStatus(written, next);
  }

  /** Sets the final condition when no pod is left that could still change a count. */
  async #finish(job: Job, progress: Progress): Promise<void> {
    const { ending } = progress;
    if (!ending) return;
    const { namespace = "" } = job.metadata;
    const left = this.client
      .list(PODS, { namespace })
      .some(
        (pod) =>
          controllerOf(pod)?.uid === job.metadata.uid &&
          (!isFinished(pod) || pod.metadata.finalizers?.includes(TRACKING)),
      );
    if (left) return;
    const success = ending.type === "SuccessCriteriaMet";
    const status: NonNullable<Job["status"]> = {
      ...job.status,
      terminating: 0,
      ready: 0,
      conditions: this.#conditionsFor(job, success ? "Complete" : "Failed", progress),
    };
    if (success) status.completionTime = timeOf(this.clock.now());
    await this.#writeStatus(job, status);
    if (success) await this.events.record(job, "Normal", "Completed", "Job completed");
    else await this.events.record(job, "Warning", ending.reason, ending.message);
  }

  #conditionsFor(job: Job, type: string, { ending }: Progress): Condition[] {
    if (isTrue(job, type)) return job.status?.conditions ?? [];
    const time = timeOf(this.clock.now());
    return withCondition(job.status?.conditions, {
      type,
      status: "True",
      lastProbeTime: time,
      lastTransitionTime: time,
      reason: ending?.reason ?? "",
      message: ending?.message ?? "",
    });
  }

  async #writeStatus(job: Job, status: NonNullable<Job["status"]>): Promise<Job> {
    const next = { ...job, status };
    const stored = this.client.find(JOBS, job.metadata);
    if (stored && sameJson(stored.status, status)) return next;
    return this.client.update(JOBS, next, "status");
  }
}

/** Whether the finalizer of a pod without a controller is left. */
const isOrphan = (pod: Pod): boolean =>
  !controllerOf(pod) && pod.metadata.finalizers?.includes(TRACKING) === true;

/** The conditions with one of them set. */
function withCondition(conditions: readonly Condition[] = [], condition: Condition): Condition[] {
  return [...conditions.filter(({ type }) => type !== condition.type), condition];
}
