/**
 * CronJobs: a Job each time the schedule says so.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/
 * @module
 */
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../../clock.ts";
import { messageOf } from "../../errors.ts";
import { parseCron } from "../../kube/cron.ts";
import { isAlreadyExists } from "../../kube/status.ts";
import type { CronJob, Job } from "../builtin/strategies/workload-shapes.ts";
import { unlessGone } from "./absence.ts";
import type { ControllerClient, StoreEvent } from "./client.ts";
import type { EventRecorder } from "./event-recorder.ts";
import { CRON_JOBS, JOBS, concerns, keyFrom, textOf } from "./keys.ts";
import { type OwnerKind, controllerOf, controllerReference, isControlledBy } from "./ownership.ts";
import { msOf, timeOf } from "./times.ts";
import type { Controller } from "./work-loop.ts";

const KIND: OwnerKind = { apiVersion: "batch/v1", kind: "CronJob", resource: CRON_JOBS };
const SCHEDULED = "batch.kubernetes.io/cronjob-scheduled-timestamp";
const MINUTE_MS = 60_000;
/** Waits beyond this are looked at again in between: timers do not count further. */
const LONGEST_WAIT_MS = 24 * 60 * MINUTE_MS;
/** How many missed runs are counted before a warning. */
const MANY_MISSED = 100;

type Status = NonNullable<CronJob["status"]>;

/** Makes, follows and tidies up the Jobs of CronJobs. */
export class CronJobController implements Controller {
  readonly name = "CronJob";
  readonly watches = [CRON_JOBS, JOBS];
  readonly #client: ControllerClient;
  readonly #events: EventRecorder;
  readonly #clock: Clock;

  constructor(client: ControllerClient, events: EventRecorder, clock: Clock) {
    this.#client = client;
    this.#events = events;
    this.#clock = clock;
  }

  *observe(event: StoreEvent): Iterable<string> {
    if (concerns(event, CRON_JOBS)) yield textOf(event.object);
    if (!concerns(event, JOBS)) return;
    for (const job of [event.object, event.old]) {
      const owner = job && controllerOf(job);
      if (owner?.kind === "CronJob") yield `${job?.metadata.namespace ?? ""}/${owner.name}`;
    }
  }

  async sync(key: string): Promise<number | undefined> {
    const { namespace, name } = keyFrom(key);
    const cron = this.#client.find(CRON_JOBS, { namespace, name }) as CronJob | undefined;
    if (!cron) return undefined;
    const jobs = (this.#client.list(JOBS, { namespace }) as Job[]).filter((job) =>
      isControlledBy(job, cron),
    );
    const status = await this.#follow(cron, jobs);
    let waitMs: number | undefined;
    if (!cron.metadata.deletionTimestamp && cron.spec.suspend !== true) {
      waitMs = await this.#runDue(cron, status, jobs);
    }
    await this.#tidyUp(cron, jobs);
    if (status.active?.length === 0) delete status.active;
    if (!isDeepStrictEqual(structuredClone(cron.status ?? {}), status)) {
      await this.#client.update(CRON_JOBS, { ...cron, status } as CronJob, "status");
    }
    return waitMs;
  }

  /** Which Jobs run still, and when one succeeded last. */
  async #follow(cron: CronJob, jobs: readonly Job[]): Promise<Status> {
    const status: Status = structuredClone(cron.status ?? {});
    for (const job of jobs) {
      const { name = "", uid = "" } = job.metadata;
      const listed = status.active?.some((active) => active.uid === uid) === true;
      const end = endOf(job);
      if (!listed && !end) {
        const message = `Saw a job that the controller did not create or forgot: ${name}`;
        await this.#events.record(cron, "Warning", "UnexpectedJob", message);
      } else if (listed && end) {
        status.active = (status.active ?? []).filter((active) => active.uid !== uid);
        const message = `Saw completed job: ${name}, condition: ${end}`;
        await this.#events.record(cron, "Normal", "SawCompletedJob", message);
      }
      const { completionTime } = job.status ?? {};
      if (end === "Complete" && msOf(completionTime) > msOf(status.lastSuccessfulTime)) {
        if (completionTime !== undefined) status.lastSuccessfulTime = completionTime;
      }
    }
    const uids = new Set(jobs.map(({ metadata }) => metadata.uid));
    for (const active of status.active ?? []) {
      if (uids.has(active.uid ?? "")) continue;
      const message = `Active job went missing: ${active.name ?? ""}`;
      await this.#events.record(cron, "Normal", "MissingJob", message);
    }
    if (status.active) status.active = status.active.filter(({ uid }) => uids.has(uid ?? ""));
    return status;
  }

  /** Starts what is due; says when to look again. */
  async #runDue(cron: CronJob, status: Status, jobs: readonly Job[]): Promise<number | undefined> {
    const now = this.#clock.now();
    const { schedule: text, timeZone, startingDeadlineSeconds, concurrencyPolicy } = cron.spec;
    let schedule: ReturnType<typeof parseCron>;
    try {
      schedule = parseCron(text, timeZone);
    } catch (thrown) {
      const message = `unparseable schedule: ${JSON.stringify(text)} : ${messageOf(thrown)}`;
      await this.#events.record(cron, "Warning", "UnparseableSchedule", message);
      return undefined;
    }
    const upcoming = schedule.next(now);
    const waitMs = upcoming === undefined ? undefined : Math.min(upcoming - now, LONGEST_WAIT_MS);
    let earliest = msOf(status.lastScheduleTime) || msOf(cron.metadata.creationTimestamp);
    if (startingDeadlineSeconds !== undefined) {
      earliest = Math.max(earliest, now - startingDeadlineSeconds * 1000);
    }
    let due: number | undefined;
    let missed = 0;
    for (let at = schedule.next(earliest); at !== undefined && at <= now; at = schedule.next(at)) {
      due = at;
      if (++missed > MANY_MISSED) break;
    }
    if (due === undefined) return waitMs;
    if (missed > MANY_MISSED) {
      due = lastBefore(schedule, due, now);
      const message = `too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew`;
      await this.#events.record(cron, "Warning", "TooManyMissedTimes", message);
    }
    const jobName = `${cron.metadata.name ?? ""}-${Math.floor(due / MINUTE_MS)}`;
    if (jobs.some(({ metadata }) => metadata.name === jobName)) return waitMs;
    const active = status.active ?? [];
    if (concurrencyPolicy === "Forbid" && active.length > 0) {
      const message =
        "Not starting job because prior execution is running and concurrency policy is Forbid";
      await this.#events.record(cron, "Normal", "JobAlreadyActive", message);
      return waitMs;
    }
    if (concurrencyPolicy === "Replace") {
      for (const { name } of active) {
        const job = jobs.find(({ metadata }) => metadata.name === name);
        if (job) await this.#delete(cron, job);
      }
      status.active = [];
    }
    await this.#create(cron, status, jobName, due);
    return waitMs;
  }

  async #create(cron: CronJob, status: Status, name: string, due: number): Promise<void> {
    const { metadata = {}, spec } = cron.spec.jobTemplate;
    const { namespace = "" } = cron.metadata;
    const time = zonedTime(due, cron.spec.timeZone);
    const job: Job = {
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: {
        name,
        namespace,
        ...(metadata.labels ? { labels: { ...metadata.labels } } : {}),
        annotations: { ...metadata.annotations, [SCHEDULED]: time },
        ownerReferences: [controllerReference(cron, KIND)],
      },
      spec: structuredClone(spec),
    };
    try {
      const created = await this.#client.create(JOBS, job);
      await this.#events.record(cron, "Normal", "SuccessfulCreate", `Created job ${name}`);
      status.active = [
        ...(status.active ?? []),
        {
          apiVersion: "batch/v1",
          kind: "Job",
          name,
          namespace,
          uid: created.metadata.uid ?? "",
          resourceVersion: created.metadata.resourceVersion ?? "",
        },
      ];
      status.lastScheduleTime = timeOf(due);
    } catch (thrown) {
      if (isAlreadyExists(thrown)) return;
      const message = `Error creating job: ${messageOf(thrown)}`;
      await this.#events.record(cron, "Warning", "FailedCreate", message);
      throw thrown;
    }
  }

  /** Keeps as many finished Jobs as the limits say, the youngest. */
  async #tidyUp(cron: CronJob, jobs: readonly Job[]): Promise<void> {
    const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = cron.spec;
    for (const [end, limit] of [
      ["Complete", successfulJobsHistoryLimit],
      ["Failed", failedJobsHistoryLimit],
    ] as const) {
      const ended = jobs
        .filter((job) => endOf(job) === end && !job.metadata.deletionTimestamp)
        .toSorted(
          (left, right) =>
            msOf(left.status?.startTime) - msOf(right.status?.startTime) ||
            ((left.metadata.name ?? "") < (right.metadata.name ?? "") ? -1 : 1),
        );
      for (const job of ended.slice(0, Math.max(0, ended.length - limit))) {
        await this.#delete(cron, job);
      }
    }
  }

  async #delete(cron: CronJob, job: Job): Promise<void> {
    const { namespace = "", name = "", uid = "" } = job.metadata;
    if (
      await unlessGone(
        this.#client.remove(JOBS, { namespace, name }, { propagationPolicy: "Background", uid }),
      )
    ) {
      await this.#events.record(cron, "Normal", "SuccessfulDelete", `Deleted job ${name}`);
    }
  }
}

function endOf(job: Job): "Complete" | "Failed" | undefined {
  const end = job.status?.conditions?.find(
    ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
  );
  return end?.type as "Complete" | "Failed" | undefined;
}

/** The last time that is due, where there are too many to count from the first. */
function lastBefore(schedule: ReturnType<typeof parseCron>, from: number, now: number): number {
  // Halving the time that is left finds a start close to now without walking through every run.
  let start = from;
  for (let step = now - start; step > MINUTE_MS; step = Math.floor(step / 2)) {
    const next = schedule.next(start + step);
    if (next !== undefined && next <= now) start += step;
  }
  let last = from;
  for (let at = schedule.next(start); at !== undefined && at <= now; at = schedule.next(at)) {
    last = at;
  }
  return last;
}

/** The time with the offset of its zone, as the annotation carries it. */
function zonedTime(ms: number, timeZone: string | undefined): string {
  if (timeZone === undefined || timeZone === "UTC" || timeZone === "Etc/UTC") return timeOf(ms);
  const name = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "longOffset" })
    .formatToParts(ms)
    .find(({ type }) => type === "timeZoneName")?.value;
  const offset = /GMT([+-]\d\d):(\d\d)/.exec(name ?? "");
  if (!offset) return timeOf(ms);
  const minutes = Number(offset[1]) * 60 + Math.sign(Number(offset[1])) * Number(offset[2]);
  return `${timeOf(ms + minutes * MINUTE_MS).slice(0, 19)}${offset[1] ?? ""}:${offset[2] ?? ""}`;
}
