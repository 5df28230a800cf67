import {
  controllerFor,
  CustomResource,
  parseDuration,
  Resource,
  type Client,
  type Duration,
  type Manager,
  type Outcome,
  type ReconcileContext,
  type Reconciler,
  type Request,
} from "../../../src/index.ts";

export class TrialSpec {
  lasts: Duration = "48h";
}

export class TrialStatus {
  expired?: boolean;
}

/** An account that ends after some time. */
@Resource({ group: "accounts.example.com", version: "v1" })
export class Trial extends CustomResource<TrialSpec, TrialStatus> {}

class TrialReconciler implements Reconciler<Trial> {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  /** `nowMs` is the time of the manager's clock: a test with a `VirtualClock` decides what it is. */
  async reconcile({ key }: Request, { nowMs }: ReconcileContext): Promise<Outcome> {
    const trial = await this.#client.find(Trial, key);
    if (!trial) return;
    const endMs = Date.parse(trial.metadata.creationTimestamp) + parseDuration(trial.spec.lasts);
    const expired = nowMs >= endMs;
    await this.#client.status.patch(trial, { expired });
    if (!expired) return { requeueAfterMs: endMs - nowMs };
  }
}

export function setUpTrial(manager: Manager): void {
  controllerFor(manager).for(Trial).complete(new TrialReconciler(manager.client));
}
