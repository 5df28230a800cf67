/**
 * Finished Jobs with a time to live: deleted, with their pods, when it has passed.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/ttlafterfinished/
 */
import { unlessGone } from "./framework/absence.ts";
import type { Job } from "../builtin/kinds/batch/job/shape.ts";
import { JOBS } from "../builtin/tokens.ts";
import { msOf } from "../../kube/values/times.ts";
import { ObjectController, watch } from "./framework/controller.ts";

export class TtlController extends ObjectController<Job> {
  readonly name = "TtlAfterFinished";
  readonly resource = JOBS;
  readonly watches = [watch(JOBS)];

  protected async reconcile(job: Job): Promise<number | undefined> {
    const seconds = job.spec.ttlSecondsAfterFinished;
    if (job.metadata.deletionTimestamp || seconds === undefined) return undefined;
    const end = job.status?.conditions?.find(
      ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
    );
    if (!end) return undefined;
    const leftMs = msOf(end.lastTransitionTime) + seconds * 1000 - this.clock.now();
    if (leftMs > 0) return leftMs;
    const options = { propagationPolicy: "Foreground", uid: job.metadata.uid ?? "" } as const;
    await unlessGone(this.client.remove(JOBS, job.metadata, options));
    return undefined;
  }
}
