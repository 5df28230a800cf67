import type { JobStatus } from "../../../../../generated/k8s/batch-v1.ts";
import type { SentObject } from "../../../../../kube/object.ts";
import type { Condition } from "../../../shared/shapes.ts";
import type { JobSpec } from "../job-spec.ts";

export interface Job extends SentObject {
  spec: JobSpec;
  status?: Omit<JobStatus, "conditions"> & { conditions?: Condition[] };
}
