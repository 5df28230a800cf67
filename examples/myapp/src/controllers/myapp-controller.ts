import {
  controllerFor,
  setCondition,
  type Client,
  type ConditionChange,
  type Dependents,
  type DependentsState,
  type Manager,
  type ReconcileContext,
  type Reconciler,
  type Request,
} from "tsop";
import { Deployment } from "tsop/k8s";
import { MyApp, type MyAppStatus } from "../api/v1/myapp.ts";
import { KINDS, partsOf, webName } from "./children.ts";

/** Makes the cluster match the spec of each MyApp. */
export class MyAppReconciler implements Reconciler {
  readonly #client: Client;
  readonly #parts: Dependents<MyApp>;

  constructor(client: Client, parts: Dependents<MyApp>) {
    this.#client = client;
    this.#parts = parts;
  }

  async reconcile({ key }: Request, { nowMs, signal }: ReconcileContext): Promise<void> {
    const app = await this.#client.find(MyApp, key);
    if (!app) return; // Deleted. Kubernetes garbage-collects the objects it owned.
    const state = await this.#parts.reconcile(app, signal);
    const { namespace, generation } = app.metadata;
    const web = await this.#client.find(Deployment, { namespace, name: webName(app) });
    const { replicas = 0, readyReplicas = 0 } = web?.status ?? {};
    const phase: MyAppStatus["phase"] = state.ready ? "Running" : "Progressing";
    const change = { ...ready(state), observedGeneration: generation };
    await this.#client.status.patch(app, (status) => ({
      phase,
      replicas,
      readyReplicas,
      observedGeneration: generation,
      conditions: setCondition(status?.conditions, change, nowMs),
    }));
  }
}

function ready({ ready, waitingFor }: DependentsState): ConditionChange {
  const type = "Ready";
  if (ready) return { type, status: "True", reason: "Running", message: "All of it runs." };
  const message = `Waits for ${waitingFor.join(", ")}.`;
  return { type, status: "False", reason: "Waiting", message };
}

/** Registers the MyApp controller with the manager. */
export function setUpMyApp(manager: Manager): void {
  const builder = controllerFor(manager).for(MyApp);
  const parts = builder.dependents({ kinds: KINDS, desired: partsOf });
  builder.complete(new MyAppReconciler(manager.client, parts));
}
