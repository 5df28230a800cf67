import {
  CustomResource,
  ListMap,
  Minimum,
  Resource,
  type Condition,
  type Int32,
  type Int64,
  type Time,
} from "tsop";
import type { JobTemplateSpec, ObjectReference } from "tsop/k8s";

export class CronJobSpec {
  /** Schedule in Cron format. */
  schedule!: string;
  /** Deadline in seconds for starting a run that missed its time. */
  @Minimum(0) startingDeadlineSeconds?: Int64;
  /** What happens when a run is still active at the time of the next. */
  concurrencyPolicy: "Allow" | "Forbid" | "Replace" = "Allow";
  suspend?: boolean;
  /** The job that is created. */
  jobTemplate!: JobTemplateSpec;
  @Minimum(0) successfulJobsHistoryLimit?: Int32;
  @Minimum(0) failedJobsHistoryLimit?: Int32;
}

export class CronJobStatus {
  active?: ObjectReference[];
  lastScheduleTime?: Time;
  @ListMap("type") conditions?: Condition[];
}

/** Runs jobs on a schedule. */
@Resource({ group: "batch.tutorial.kubebuilder.io", version: "v1", plural: "cronjobs" })
export class CronJob extends CustomResource<CronJobSpec, CronJobStatus> {}
