import { messageOf } from "../../../../errors.ts";
import { parseCron } from "../../../../kube/values/cron.ts";
import type * as batch from "../../../../generated/k8s/batch-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import type { ObjectMeta, SentObject } from "../../../../kube/object.ts";
import { at } from "../../at.ts";
import { checkNotNegative, checked, checkedChange } from "../../shared/checks.ts";
import { dropFromTemplate } from "../../shared/pods/defaults.ts";
import { isUncounted, nameWarnings, podWarnings } from "../../shared/workloads/pod-warnings.ts";
import type { Shaped } from "../../shared/shapes.ts";
import type { KindRules } from "../../kind-rules.ts";
import { ageCell, containerCells, selectorCell } from "../../tables/cells.ts";
import { type JobSpec, checkJobSpec, setJobSpecDefaults, tooManyIndexes } from "./job-spec.ts";

/** Warnings about a CronJob: those of its job template, and of a time zone within the schedule. */
function cronJobWarnings(object: CronJob, old: SentObject | undefined): string[] {
  const { schedule, jobTemplate } = object.spec;
  const at = "spec.jobTemplate.spec";
  const { template } = jobTemplate.spec;
  const ofTemplate = isUncounted(object, old)
    ? []
    : [...tooManyIndexes(at, jobTemplate.spec), ...podWarnings(template, `${at}.template`)];
  if (!old) return [...nameWarnings(object.metadata.name), ...ofTemplate];
  return schedule.includes("TZ")
    ? [
        ...ofTemplate,
        "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
      ]
    : ofTemplate;
}

function setCronJobDefaults(object: CronJob): void {
  const { spec } = object;
  setJobSpecDefaults(spec.jobTemplate.spec);
  spec.concurrencyPolicy ??= "Allow";
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
}

export type CronJob = SentObject & {
  spec: Shaped<Omit<batch.CronJobSpec, "jobTemplate">> & {
    jobTemplate: { metadata?: ObjectMeta; spec: JobSpec };
  };
  status?: batch.CronJobStatus;
};

function checkNewCronJob(job: Check<CronJob>): void {
  const name = job.at("metadata", "name");
  checkSpec(job.at("spec"), undefined);
  if ((name.value ?? "").length > 52) name.invalid("must be no more than 52 characters");
}

function checkSpec(spec: Check<CronJob["spec"]>, old: CronJob["spec"] | undefined): void {
  const { timeZone } = spec.value;
  const schedule = spec.at("schedule");
  const job = spec.at("jobTemplate", "spec");
  if (schedule.given()) {
    checkSchedule(schedule, timeZone, old?.schedule.includes("TZ") === true);
  }
  checkNotNegative(spec.at("startingDeadlineSeconds"));
  if (timeZone !== old?.timeZone) spec.at("timeZone").ifSet(checkTimeZone);
  spec.at("concurrencyPolicy").oneOf(["Allow", "Forbid", "Replace"]);
  checkJobSpec(job);
  if (job.value.selector) job.at("selector").invalid("`selector` will be auto-generated");
  if (job.value.manualSelector === true) job.at("manualSelector").notSupported(["nil", "false"]);
  checkNotNegative(spec.at("successfulJobsHistoryLimit"));
  checkNotNegative(spec.at("failedJobsHistoryLimit"));
}

function checkSchedule(
  schedule: Check<string>,
  timeZone: string | undefined,
  mayNameZone: boolean,
): void {
  try {
    parseCron(schedule.value);
  } catch (thrown) {
    schedule.invalid(messageOf(thrown));
  }
  if (!schedule.value.includes("TZ")) return;
  if (!mayNameZone) {
    schedule.invalid("cannot use TZ or CRON_TZ in schedule, use timeZone field instead");
  } else if (timeZone !== undefined) {
    schedule.invalid("cannot use both timeZone field and TZ or CRON_TZ in schedule");
  }
}

function checkTimeZone(zone: Check<string>): void {
  const { value: timeZone } = zone;
  if (timeZone === "") zone.invalid("timeZone must be nil or non-empty string");
  else if (timeZone.toLowerCase() === "local") {
    zone.invalid(
      "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones",
    );
  } else {
    try {
      new Intl.DateTimeFormat("en", { timeZone });
    } catch {
      zone.invalid(`unknown time zone ${timeZone}`);
    }
  }
}

function booleanText(value: unknown): string {
  if (typeof value !== "boolean") return "<unset>";
  return value ? "True" : "False";
}

export const cronJobRules: KindRules = {
  warnings: cronJobWarnings,
  validateCreate: checked(checkNewCronJob),
  validateUpdate: checkedChange<CronJob>((job, old) => checkSpec(job.at("spec"), old.spec)),
  status: "all",
  generation: ["spec"],
  setDefaults: setCronJobDefaults,
  dropDisabled: ({ spec }: CronJob) => dropFromTemplate(spec.jobTemplate.spec.template),
  table: {
    Schedule: "spec.schedule",
    Timezone: ["spec.timeZone", "<none>"],
    Suspend: (object) => booleanText(at(object, "spec.suspend")),
    Active: "status.active",
    "Last Schedule": ageCell("status.lastScheduleTime", "<none>"),
    ...containerCells("spec.jobTemplate.spec.template.spec.containers"),
    Selector: selectorCell("spec.jobTemplate.spec.selector"),
  },
  subresourceMetadataChecks: [],
};
