import {
  controllerFor,
  statusOf,
  summarize,
  type CleanupContext,
  type Client,
  type Condition,
  type ConditionChange,
  type Dependents,
  type DependentsState,
  type Manager,
  type Outcome,
  type ReconcileContext,
  type Reconciler,
  type Request,
} from "tsop";
import { CronJob, Job } from "tsop/k8s";
import { SampleDB, type SampleDBStatus } from "../api/v1/sampledb.ts";
import { hasSucceeded, KINDS, lastBackupFor, nameFor, partsOf } from "./children.ts";

/** Makes the cluster match the spec of each SampleDB. */
export class SampleDBReconciler implements Reconciler<SampleDB> {
  readonly #client: Client;
  readonly #parts: Dependents<SampleDB>;

  constructor(client: Client, parts: Dependents<SampleDB>) {
    this.#client = client;
    this.#parts = parts;
  }

  async reconcile({ key }: Request, { nowMs, signal }: ReconcileContext): Promise<void> {
    const db = await this.#client.find(SampleDB, key);
    if (!db) return;
    const state = await this.#parts.reconcile(db, signal);
    const { namespace } = db.metadata;
    const backups = await this.#client.find(CronJob, { namespace, name: nameFor(db) });
    const lastBackup = backups?.status?.lastSuccessfulTime;
    await this.#client.status.patch(db, ({ conditions } = {}) => ({
      ...(state.ready && { version: db.spec.version }),
      ...(lastBackup !== undefined && { lastBackup }),
      ...conditionsOf(
        db,
        conditions,
        { running: running(state), failed: failed(state, nowMs) },
        nowMs,
      ),
    }));
  }

  /** First the last backup; when that has succeeded, everything from the last part to the first. */
  async cleanup(db: SampleDB, context: CleanupContext): Promise<Outcome> {
    // Without a release there is no data.
    if (db.spec.backup.beforeDeletion && db.status?.version !== undefined) {
      const backup = await this.#client.apply(Job, lastBackupFor(db), { owner: db });
      if (statusOf(backup, context.nowMs).status === "Failed") {
        throw new Error(
          `Job ${backup.metadata.name} failed: delete it to try again, or set spec.backup.beforeDeletion to false`,
        );
      }
      if (!hasSucceeded(backup)) return { requeueAfterMs: 60_000 };
    }
    return this.#parts.cleanup(db, context);
  }

  async onError(db: SampleDB, { message }: Error, { nowMs }: ReconcileContext): Promise<void> {
    const failed: ConditionChange = { type: "Failed", status: "True", reason: "Error", message };
    await this.#client.status.patch(db, ({ conditions } = {}) =>
      conditionsOf(db, conditions, { running: "Running", failed }, nowMs),
    );
  }
}

/** `Ready`, `Reconciling` and `Stalled`, rolled up. */
function conditionsOf(
  { metadata: { generation } }: SampleDB,
  conditions: Condition[] | undefined,
  parts: { running: ConditionChange | "Running"; failed: ConditionChange },
  nowMs: number,
): Pick<SampleDBStatus, "conditions" | "observedGeneration"> {
  const summary = {
    ready: [parts.running],
    stalled: [parts.failed],
    observedGeneration: generation,
  };
  return { observedGeneration: generation, conditions: summarize(conditions, summary, nowMs) };
}

function running({ ready, waitingFor }: DependentsState): ConditionChange {
  const type = "Running";
  if (ready) return { type, status: "True", reason: "Running", message: "The database runs." };
  const message = `Waits for ${waitingFor.join(", ")}.`;
  return { type, status: "False", reason: "Waiting", message };
}

function failed({ objects }: DependentsState, nowMs: number): ConditionChange {
  const type = "Failed";
  const one = objects.find((object) => statusOf(object, nowMs).status === "Failed");
  if (!one) return { type, status: "False", reason: "NothingFailed", message: "Nothing failed." };
  const message = `${one.kind} ${one.metadata.name} failed.`;
  return { type, status: "True", reason: `${one.kind}Failed`, message };
}

/** Registers the SampleDB controller with the manager. */
export function setUpSampleDB(manager: Manager): void {
  const builder = controllerFor(manager).for(SampleDB);
  const parts = builder.dependents({ kinds: KINDS, desired: partsOf, deletion: "reverse" });
  builder.complete(new SampleDBReconciler(manager.client, parts));
}
