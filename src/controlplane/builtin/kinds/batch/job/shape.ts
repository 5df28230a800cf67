/** The shape of a Job. */
import type { SentObject } from "../../../../../kube/object.ts";
import type { Condition } from "../../../shared/shapes.ts";
import type { JobSpec } from "../job-spec-shape.ts";

export interface Job extends SentObject {
  spec: JobSpec;
  status?: {
    conditions?: Condition[];
    startTime?: string;
    completionTime?: string;
    active?: number;
    succeeded?: number;
    failed?: number;
    terminating?: number;
    completedIndexes?: string;
    failedIndexes?: string;
    uncountedTerminatedPods?: { succeeded?: string[]; failed?: string[] };
    ready?: number;
  };
}
