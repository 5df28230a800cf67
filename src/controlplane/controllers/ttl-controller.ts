/**
 * Finished Jobs with a time to live: deleted, with their pods, when it has passed.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/ttlafterfinished/
 */
import type { Clock } from "../../clock.ts";
import { unlessGone } from "./absence.ts";
import type { ControllerClient, StoreEvent } from "./client.ts";
import { concerns, keyFrom, textOf } from "./keys.ts";
import { JOBS } from "../builtin/tokens.ts";
import { msOf } from "../../kube/values/times.ts";
import type { Controller } from "./work-loop.ts";

/** Deletes Jobs that finished long enough ago. */
export class TtlController implements Controller {
  readonly name = "TtlAfterFinished";
  readonly watches = [JOBS];
  readonly #client: ControllerClient;
  readonly #clock: Clock;

  constructor(client: ControllerClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  *observe(event: StoreEvent): Iterable<string> {
    if (concerns(event, JOBS) && event.type !== "DELETED") yield textOf(event.object);
  }

  async sync(key: string): Promise<number | undefined> {
    const job = this.#client.find(JOBS, keyFrom(key));
    const seconds = job?.spec.ttlSecondsAfterFinished;
    if (!job || job.metadata.deletionTimestamp || seconds === undefined) return undefined;
    const end = job.status?.conditions?.find(
      ({ type, status }) => (type === "Complete" || type === "Failed") && status === "True",
    );
    if (!end) return undefined;
    const leftMs = msOf(end.lastTransitionTime) + seconds * 1000 - this.#clock.now();
    if (leftMs > 0) return leftMs;
    await unlessGone(
      this.#client.remove(JOBS, keyFrom(key), {
        propagationPolicy: "Foreground",
        uid: job.metadata.uid ?? "",
      }),
    );
    return undefined;
  }
}
