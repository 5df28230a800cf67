/**
 * CronJobs: a Job at each time of the schedule.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/
 */
import { messageOf } from "../../errors.ts";
import { type CronSchedule, parseCron } from "../../kube/values/cron.ts";
import { isAlreadyExists } from "../../kube/status.ts";
import type { CronJob } from "../builtin/kinds/batch/cron-job.ts";
import type { Job } from "../builtin/kinds/batch/job/shape.ts";
import { present } from "../../present.ts";
import { unlessGone } from "./framework/absence.ts";
import { isTrue } from "./framework/conditions.ts";
import { byName } from "./framework/keys.ts";
import { CRON_JOBS, JOBS } from "../builtin/tokens.ts";
import { controllerReference, isControlledBy, ownersOf } from "./framework/owner-references.ts";
import { msOf, timeOf } from "../../kube/values/times.ts";
import { ObjectController, watch } from "./framework/controller.ts";

const SCHEDULED = "batch.kubernetes.io/cronjob-scheduled-timestamp";
const MINUTE_MS = 60_000;
/** The longest wait: timers cannot wait longer, so a look in between follows. */
const LONGEST_WAIT_MS = 24 * 60 * MINUTE_MS;
/** How many missed runs are counted before a warning. */
const MANY_MISSED = 100;

type Status = NonNullable<CronJob["status"]>;

export class CronJobController extends ObjectController<CronJob> {
  readonly name = "CronJob";
  readonly resource = CRON_JOBS;
  readonly watches = [watch(CRON_JOBS), watch(JOBS, (event) => ownersOf(event, "CronJob"))];

  protected async reconcile(cron: CronJob): Promise<number | undefined> {
    const { namespace = "" } = cron.metadata;
    const jobs = this.client.list(JOBS, { namespace }).filter((job) => isControlledBy(job, cron));
    const status: Status = structuredClone(cron.status ?? {});
    await this.#tidyUp(cron, status, jobs);
    await this.#follow(cron, status, jobs);
    let waitMs: number | undefined;
    if (!cron.metadata.deletionTimestamp && cron.spec.suspend !== true) {
      waitMs = await this.#runDue(cron, status, jobs);
    }
    if (status.active?.length === 0) delete status.active;
    await this.client.updateStatus(CRON_JOBS, cron, status);
    return waitMs;
  }

  /** Updates the list of active Jobs, and the time of the last success. */
  async #follow(cron: CronJob, status: Status, jobs: readonly Job[]): Promise<void> {
    for (const job of jobs) {
      const { name = "", uid = "" } = job.metadata;
      const listed = status.active?.some((active) => active.uid === uid) === true;
      const end = endOf(job);
      if (!listed && !end) {
        const message = `Saw a job that the controller did not create or forgot: ${name}`;
        await this.events.record(cron, "Warning", "UnexpectedJob", message);
      } else if (listed && end) {
        unlist(status, uid);
        const message = `Saw completed job: ${name}, condition: ${end}`;
        await this.events.record(cron, "Normal", "SawCompletedJob", message);
      }
      const { completionTime } = job.status ?? {};
      const isLater = msOf(completionTime) > msOf(status.lastSuccessfulTime);
      if (completionTime && end === "Complete" && isLater)
        status.lastSuccessfulTime = completionTime;
    }
    const uids = new Set(jobs.map(({ metadata }) => metadata.uid));
    for (const { uid = "", name = "" } of status.active ?? []) {
      if (uids.has(uid)) continue;
      unlist(status, uid);
      await this.#noteMissing(cron, name);
    }
  }

  async #noteMissing(cron: CronJob, name: string): Promise<void> {
    await this.events.record(cron, "Normal", "MissingJob", `Active job went missing: ${name}`);
  }

  /** Starts the Jobs that are due. @returns in how many milliseconds to look again */
  async #runDue(cron: CronJob, status: Status, jobs: readonly Job[]): Promise<number | undefined> {
    const warn = (reason: string, message: string): Promise<void> =>
      this.events.record(cron, "Warning", reason, message);
    const now = this.clock.now();
    const { schedule: text, timeZone, startingDeadlineSeconds, concurrencyPolicy } = cron.spec;
    let schedule: CronSchedule;
    try {
      schedule = parseCron(text, timeZone);
    } catch (thrown) {
      const message = `unparseable schedule: ${JSON.stringify(text)} : ${messageOf(thrown)}`;
      await warn("UnparseableSchedule", message);
      return undefined;
    }
    const began = msOf(status.lastScheduleTime) || msOf(cron.metadata.creationTimestamp);
    const deadlineMs = (startingDeadlineSeconds ?? Infinity) * 1000;
    const due = lastDue(schedule, Math.max(began, now - deadlineMs), now);
    if (due === "never") {
      const message = `invalid schedule: ${text} : time difference between two schedules is less than 1 second`;
      await warn("InvalidSchedule", message);
      return undefined;
    }
    const upcoming = schedule.next(now);
    const waitMs = upcoming === undefined ? undefined : Math.min(upcoming - now, LONGEST_WAIT_MS);
    if (due === undefined) return waitMs;
    if (due.missed > MANY_MISSED) {
      const message = `too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew`;
      await warn("TooManyMissedTimes", message);
    }
    if (due.at + deadlineMs < now) {
      await warn("MissSchedule", `Missed scheduled time to start a job: ${longTime(due.at)}`);
      return waitMs;
    }
    const jobName = `${cron.metadata.name ?? ""}-${Math.floor(due.at / MINUTE_MS)}`;
    const active = status.active ?? [];
    if (active.some(({ name }) => name === jobName)) return waitMs;
    if (msOf(status.lastScheduleTime) === due.at) return waitMs;
    if (concurrencyPolicy === "Forbid" && active.length > 0) {
      const message =
        "Not starting job because prior execution is running and concurrency policy is Forbid";
      await this.events.record(cron, "Normal", "JobAlreadyActive", message);
      return waitMs;
    }
    if (concurrencyPolicy === "Replace") {
      for (const { name } of active) {
        const job = jobs.find(({ metadata }) => metadata.name === name);
        if (job) await this.#delete(cron, job);
      }
      status.active = [];
    }
    await this.#create(cron, status, jobName, due.at);
    return waitMs;
  }

  async #create(cron: CronJob, status: Status, name: string, due: number): Promise<void> {
    const { metadata: { labels, annotations } = {}, spec } = cron.spec.jobTemplate;
    const { namespace = "" } = cron.metadata;
    const type = { apiVersion: "batch/v1", kind: "Job" };
    const job: Job = {
      ...type,
      metadata: {
        name,
        namespace,
        ...present({ labels }),
        annotations: { ...annotations, [SCHEDULED]: zonedTime(due, cron.spec.timeZone) },
        ownerReferences: [controllerReference(cron)],
      },
      spec: structuredClone(spec),
    };
    try {
      const { metadata } = await this.client.create(JOBS, job);
      await this.events.record(cron, "Normal", "SuccessfulCreate", `Created job ${name}`);
      const { uid = "", resourceVersion = "" } = metadata;
      status.active = [
        ...(status.active ?? []),
        { ...type, name, namespace, uid, resourceVersion },
      ];
      status.lastScheduleTime = timeOf(due);
    } catch (thrown) {
      if (isAlreadyExists(thrown)) return;
      const message = `Error creating job: ${messageOf(thrown)}`;
      await this.events.record(cron, "Warning", "FailedCreate", message);
      throw thrown;
    }
  }

  /** Deletes finished Jobs beyond the limits, the oldest first. */
  async #tidyUp(cron: CronJob, status: Status, jobs: readonly Job[]): Promise<void> {
    const { successfulJobsHistoryLimit = 3, failedJobsHistoryLimit = 1 } = cron.spec;
    const startOf = (job: Job): number => msOf(job.status?.startTime);
    for (const [end, limit] of [
      ["Complete", successfulJobsHistoryLimit],
      ["Failed", failedJobsHistoryLimit],
    ] as const) {
      const ended = jobs
        .filter((job) => endOf(job) === end && !job.metadata.deletionTimestamp)
        .toSorted((left, right) => startOf(left) - startOf(right) || byName(left, right));
      for (const job of ended.slice(0, Math.max(0, ended.length - limit))) {
        await this.#delete(cron, job);
        // A real controller needs a second look before it sees that it has removed the Job from its
        // list.
        const { name = "", uid = "" } = job.metadata;
        if (unlist(status, uid)) await this.#noteMissing(cron, name);
      }
    }
  }

  async #delete(cron: CronJob, job: Job): Promise<void> {
    const { name = "", uid = "" } = job.metadata;
    const options = { propagationPolicy: "Background", uid } as const;
    if (await unlessGone(this.client.remove(JOBS, job.metadata, options))) {
      await this.events.record(cron, "Normal", "SuccessfulDelete", `Deleted job ${name}`);
    }
  }
}

/** Takes a Job off the list of active ones. @returns whether it was there */
function unlist(status: Status, uid: string): boolean {
  const before = status.active ?? [];
  status.active = before.filter((active) => (active.uid ?? "") !== uid);
  return status.active.length < before.length;
}

/** How a finished Job ended. */
const endOf = (job: Job): "Complete" | "Failed" | undefined =>
  (["Complete", "Failed"] as const).find((end) => isTrue(job, end));

/** The last run that is due after `earliest`, and about how many there were; `never` for a date that does not exist. */
function lastDue(
  schedule: CronSchedule,
  earliest: number,
  now: number,
): { readonly at: number; readonly missed: number } | "never" | undefined {
  const first = schedule.next(earliest);
  if (first === undefined) return "never";
  if (now < first) return undefined;
  const second = schedule.next(first);
  if (second === undefined || now < second) return { at: first, missed: 1 };
  // Runs are not visited one by one, as there may be very many: their interval gives the place of
  // the last one.
  const missed = Math.floor((now - first) / (second - first)) + 1;
  let at: number | undefined;
  let next = schedule.next(first + (missed - 2) * (second - first));
  for (; next !== undefined && next <= now; next = schedule.next(next)) at = next;
  return at === undefined ? undefined : { at, missed };
}

/** The time in events: `Mon, 02 Jan 2006 15:04:05 +0000`. */
const longTime = (ms: number): string => new Date(ms).toUTCString().replace("GMT", "+0000");

/** The time with the offset of its zone, as in the annotation. */
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
