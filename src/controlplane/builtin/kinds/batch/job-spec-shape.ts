/** The shape of a Job's spec, which a CronJob contains too. */
import type { JobSpec as BuiltInSpec } from "../../../../generated/k8s/batch-v1.ts";
import type { PodTemplate } from "../../shared/pods/shapes.ts";
import type { LabelSelector } from "../../shared/shapes.ts";

export interface JobSpec extends Omit<BuiltInSpec, "selector" | "template" | "completionMode"> {
  completionMode?: string;
  selector?: LabelSelector;
  template: PodTemplate;
}
