import {
  controllerFor,
  isControlledBy,
  type Client,
  type EventRecorder,
  type Manager,
  type Reconciler,
  type Request,
} from "../../../src/index.ts";
import { Deployment, PodDisruptionBudget } from "../../../src/k8s.ts";

/** At a Deployment: how many of its pods may be away while nodes are drained. */
export const MAX_UNAVAILABLE = "budgets.example.com/max-unavailable";

/** Gives each Deployment with the annotation a PodDisruptionBudget. */
class BudgetReconciler implements Reconciler<Deployment> {
  readonly #client: Client;
  readonly #events: EventRecorder;

  constructor(client: Client, events: EventRecorder) {
    this.#client = client;
    this.#events = events;
  }

  async reconcile({ key }: Request): Promise<void> {
    const deployment = await this.#client.find(Deployment, key);
    if (!deployment) return;
    const wanted = deployment.metadata.annotations?.[MAX_UNAVAILABLE];
    if (wanted === undefined) return this.#removeBudget(deployment);
    if (!/^\d+%?$/.test(wanted)) {
      const message = `${MAX_UNAVAILABLE} is "${wanted}", and should be a number or a percentage.`;
      const details = { type: "Warning", reason: "BadBudget", action: "Read", message } as const;
      this.#events.event(deployment, details);
      return;
    }
    await this.#client.apply(
      PodDisruptionBudget,
      {
        metadata: { name: key.name },
        spec: {
          maxUnavailable: wanted.endsWith("%") ? wanted : Number(wanted),
          ...(deployment.spec && { selector: deployment.spec.selector }),
        },
      },
      { owner: deployment },
    );
  }

  /** Only a budget that this operator made: its owner is the Deployment. */
  async #removeBudget(deployment: Deployment): Promise<void> {
    const { namespace, name } = deployment.metadata;
    const budget = await this.#client.find(PodDisruptionBudget, { namespace, name });
    if (!budget || !isControlledBy(budget, { owner: deployment })) return;
    const { uid, resourceVersion } = budget.metadata;
    const preconditions = { uid, resourceVersion };
    await this.#client.delete(PodDisruptionBudget, { namespace, name }, { preconditions });
  }
}

export function setUpBudgets(manager: Manager): void {
  controllerFor(manager)
    .for(Deployment)
    .named("budgets")
    .owns(PodDisruptionBudget)
    .complete(new BudgetReconciler(manager.client, manager.recorder("budgets")));
}
