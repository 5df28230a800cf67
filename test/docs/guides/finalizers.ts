import {
  controllerFor,
  CustomResource,
  Resource,
  setCondition,
  type CleanupContext,
  type Client,
  type Condition,
  type Manager,
  type Outcome,
  type ReconcileContext,
  type Reconciler,
  type Request,
} from "../../../src/index.ts";

export class BucketSpec {
  region: string = "eu-1";
}

export class BucketStatus {
  conditions?: Condition[];
}

@Resource({ group: "storage.example.com", version: "v1" })
export class Bucket extends CustomResource<BucketSpec, BucketStatus> {}

/** The storage outside of the cluster. */
export interface Storage {
  /** Makes the bucket; does nothing when it is there. */
  make(id: string, region: string): Promise<void>;
  /** Begins to delete the bucket; says whether it is gone. */
  remove(id: string): Promise<boolean>;
}

class BucketReconciler implements Reconciler<Bucket> {
  readonly #client: Client;
  readonly #storage: Storage;

  constructor(client: Client, storage: Storage) {
    this.#client = client;
    this.#storage = storage;
  }

  /** The object has its finalizer by now: whatever is made here, `cleanup` will take it away. */
  async reconcile({ key }: Request, { nowMs }: ReconcileContext): Promise<void> {
    const bucket = await this.#client.find(Bucket, key);
    if (!bucket) return;
    await this.#storage.make(idOf(bucket), bucket.spec.region);
    await this.#say(bucket, "True", "Made", "The bucket is there.", nowMs);
  }

  /** The finalizer goes when this returns nothing; until then the object stays. */
  async cleanup(bucket: Bucket, { log, deadlineMs }: CleanupContext): Promise<Outcome> {
    if (await this.#storage.remove(idOf(bucket))) return;
    log.info({ deadlineMs }, "the bucket is being emptied");
    return { requeueAfterMs: 2000 };
  }

  /** Either of the two has failed, and is tried again after this. */
  async onError(bucket: Bucket, error: Error, { nowMs }: ReconcileContext): Promise<void> {
    await this.#say(bucket, "False", "StorageFailed", error.message, nowMs);
  }

  async #say(
    bucket: Bucket,
    status: "True" | "False",
    reason: string,
    message: string,
    nowMs: number,
  ): Promise<void> {
    await this.#client.status.patch(bucket, ({ conditions } = {}) => ({
      conditions: setCondition(conditions, { type: "Ready", status, reason, message }, nowMs),
    }));
  }
}

/** Unlike the name, the uid is never used again. */
const idOf = ({ metadata }: Bucket): string => `bucket-${metadata.uid}`;

export function setUpBucket(manager: Manager, storage: Storage): void {
  controllerFor(manager)
    .for(Bucket)
    .withOptions({ cleanupTimeoutMs: 15 * 60_000 })
    .complete(new BucketReconciler(manager.client, storage));
}
