/** Rules of the kind CronJob. */
import { messageOf } from "../../../../errors.ts";
import { parseCron } from "../../../../kube/values/cron.ts";
import {
  type FieldError,
  invalidValue,
  notSupported,
  required,
} from "../../../../kube/field-errors.ts";
import type { ObjectMeta, SentObject } from "../../../../kube/object.ts";
import { at } from "../../at.ts";
import { notNegative, oneOf } from "../../shared/checks.ts";
import { dropFromTemplate } from "../../shared/pods/defaults.ts";
import { isUncounted, nameWarnings, specWarnings } from "../../shared/pods/warnings.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { ageOf } from "../../../../kube/values/age.ts";
import {
  BOOLEAN,
  ageColumn,
  column,
  containerColumns,
  countColumn,
  nameColumn,
  printer,
  selectorColumn,
  textColumn,
} from "../../tables/column.ts";
import type { JobSpec } from "./job-spec-shape.ts";
import { jobSpecErrors, setJobSpecDefaults, tooManyIndexes } from "./job-spec.ts";

/** Warnings about a CronJob: those of its job template, and of a time zone within the schedule. */
function cronJobWarnings(object: CronJob, old: SentObject | undefined): string[] {
  const { schedule, jobTemplate } = object.spec;
  const at = "spec.jobTemplate.spec";
  const { template } = jobTemplate.spec;
  const { metadata = {}, spec } = template;
  const ofTemplate = isUncounted(object, old)
    ? []
    : [
        ...tooManyIndexes(at, jobTemplate.spec),
        ...specWarnings(`${at}.template.spec`, `${at}.template.metadata`, metadata, spec),
      ];
  if (!old) return [...nameWarnings(object.metadata.name), ...ofTemplate];
  return schedule.includes("TZ")
    ? [
        ...ofTemplate,
        "cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details",
      ]
    : ofTemplate;
}

/** Drops the fields of disabled features from the job template. */
function dropFromCronJob(object: CronJob): void {
  dropFromTemplate(object.spec.jobTemplate.spec.template);
}

function setCronJobDefaults(object: CronJob): void {
  const { spec } = object;
  setJobSpecDefaults(spec.jobTemplate.spec);
  spec.concurrencyPolicy ??= "Allow";
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
}

export interface CronJob extends SentObject {
  spec: {
    schedule: string;
    timeZone?: string;
    startingDeadlineSeconds?: number;
    concurrencyPolicy?: string;
    suspend?: boolean;
    jobTemplate: { metadata?: ObjectMeta; spec: JobSpec };
    successfulJobsHistoryLimit?: number;
    failedJobsHistoryLimit?: number;
  };
  status?: {
    active?: {
      apiVersion?: string;
      kind?: string;
      name?: string;
      namespace?: string;
      uid?: string;
      resourceVersion?: string;
    }[];
    lastScheduleTime?: string;
    lastSuccessfulTime?: string;
  };
}

const CONCURRENCY = ["Allow", "Forbid", "Replace"];

/** Validates a new CronJob. */
function newCronJobErrors(object: CronJob): FieldError[] {
  const { spec, metadata } = object;
  const errors = cronJobSpecErrors(spec, undefined);
  const { name = "" } = metadata;
  return name.length > 52
    ? [...errors, invalidValue("metadata.name", name, "must be no more than 52 characters")]
    : errors;
}

function cronJobUpdateErrors(object: CronJob, previous: CronJob): FieldError[] {
  return cronJobSpecErrors(object.spec, previous.spec);
}

function cronJobSpecErrors(spec: CronJob["spec"], old: CronJob["spec"] | undefined): FieldError[] {
  const errors: FieldError[] = [];
  const { schedule, timeZone, concurrencyPolicy = "", jobTemplate } = spec;
  const field = "spec.schedule";
  if (schedule === "") errors.push(required(field));
  else errors.push(...scheduleErrors(field, spec, old?.schedule.includes("TZ") === true));
  errors.push(...notNegative("spec.startingDeadlineSeconds", spec.startingDeadlineSeconds));
  if (timeZone !== undefined && timeZone !== old?.timeZone) {
    errors.push(...timeZoneErrors(timeZone));
  }
  errors.push(
    ...oneOf("spec.concurrencyPolicy", concurrencyPolicy, CONCURRENCY),
    ...jobSpecErrors("spec.jobTemplate.spec", jobTemplate.spec),
  );
  const at = "spec.jobTemplate.spec";
  if (jobTemplate.spec.selector) {
    const detail = "`selector` will be auto-generated";
    errors.push(invalidValue(`${at}.selector`, jobTemplate.spec.selector, detail));
  }
  if (jobTemplate.spec.manualSelector === true) {
    errors.push(notSupported(`${at}.manualSelector`, true, ["nil", "false"]));
  }
  return [
    ...errors,
    ...notNegative("spec.successfulJobsHistoryLimit", spec.successfulJobsHistoryLimit),
    ...notNegative("spec.failedJobsHistoryLimit", spec.failedJobsHistoryLimit),
  ];
}

function scheduleErrors(
  field: string,
  { schedule, timeZone }: CronJob["spec"],
  mayNameZone: boolean,
): FieldError[] {
  const errors: FieldError[] = [];
  try {
    parseCron(schedule);
  } catch (thrown) {
    errors.push(invalidValue(field, schedule, messageOf(thrown)));
  }
  if (!schedule.includes("TZ")) return errors;
  if (!mayNameZone) {
    const detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead";
    return [...errors, invalidValue(field, schedule, detail)];
  }
  if (timeZone === undefined) return errors;
  const detail = "cannot use both timeZone field and TZ or CRON_TZ in schedule";
  return [...errors, invalidValue(field, schedule, detail)];
}

function timeZoneErrors(timeZone: string): FieldError[] {
  const field = "spec.timeZone";
  if (timeZone === "") {
    return [invalidValue(field, timeZone, "timeZone must be nil or non-empty string")];
  }
  if (timeZone.toLowerCase() === "local") {
    return [
      invalidValue(
        field,
        timeZone,
        "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones",
      ),
    ];
  }
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return [];
  } catch {
    return [invalidValue(field, timeZone, `unknown time zone ${timeZone}`)];
  }
}

function booleanText(value: unknown): string {
  if (typeof value !== "boolean") return "<unset>";
  return value ? "True" : "False";
}

/** The rules of CronJobs. */
export const cronJobRules: KindRules = {
  warnings: cronJobWarnings,
  validateCreate: newCronJobErrors,
  validateUpdate: cronJobUpdateErrors,
  status: "all",
  generation: ["spec"],
  setDefaults: setCronJobDefaults,
  dropDisabled: dropFromCronJob,
  table: printer([
    nameColumn,
    textColumn("Schedule", "spec.schedule"),
    textColumn("Timezone", "spec.timeZone", "<none>"),
    column("Suspend", (object) => booleanText(at(object, "spec.suspend")), BOOLEAN),
    countColumn("Active", "status.active"),
    column("Last Schedule", (object, nowMs) => {
      const time = at(object, "status.lastScheduleTime");
      return time === undefined ? "<none>" : ageOf(time, nowMs);
    }),
    ageColumn,
    ...containerColumns("spec.jobTemplate.spec.template.spec.containers"),
    selectorColumn("spec.jobTemplate.spec.selector"),
  ]),
  subresourceMetadataChecks: [],
  columnFields: {
    Schedule: "batch.v1.CronJobSpec.schedule",
    Timezone: "batch.v1.CronJobSpec.timeZone",
    Suspend: "batch.v1.CronJobSpec.suspend",
    Active: "batch.v1.CronJobStatus.active",
    "Last Schedule": "batch.v1.CronJobStatus.lastScheduleTime",
    Selector: "batch.v1.JobSpec.selector",
  },
};
