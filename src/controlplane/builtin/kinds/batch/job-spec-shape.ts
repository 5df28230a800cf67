/** The shape of a Job's spec, which a CronJob contains too. */
import type { PodTemplate } from "../../shared/pods/shapes.ts";
import type { LabelSelector } from "../../shared/shapes.ts";

export interface JobSpec {
  parallelism?: number;
  completions?: number;
  activeDeadlineSeconds?: number;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  maxFailedIndexes?: number;
  selector?: LabelSelector;
  manualSelector?: boolean;
  template: PodTemplate;
  ttlSecondsAfterFinished?: number;
  completionMode?: string;
  suspend?: boolean;
  podReplacementPolicy?: string;
  podFailurePolicy?: {
    rules: {
      action: string;
      onExitCodes?: { containerName?: string; operator: string; values: number[] | null };
      onPodConditions?: { type: string; status?: string }[];
    }[];
  };
  successPolicy?: { rules: { succeededIndexes?: string; succeededCount?: number }[] };
  managedBy?: string;
}
