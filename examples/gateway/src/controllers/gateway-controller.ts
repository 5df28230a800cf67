import {
  conditionOfType,
  controllerFor,
  Rbac,
  setCondition,
  type Client,
  type Manager,
  type ReconcileContext,
  type Reconciler,
  type Request,
} from "tsop";
import { ConfigMap, Deployment, Service } from "tsop/k8s";
import { Gateway } from "../api/v1/gateway.ts";
import { configMapFor, deploymentFor, serviceFor } from "./children.ts";

const ready = conditionOfType("Ready");

/** Makes the cluster match the spec of each Gateway. It uses only v1, because older objects arrive converted. */
@Rbac(Gateway, ["get", "list", "watch"])
@Rbac(Gateway, ["get", "patch"], { subresource: "status" })
@Rbac(Gateway, ["update"], { subresource: "finalizers" }) // to own children that block its deletion
@Rbac(ConfigMap, ["get", "list", "watch", "create", "patch"])
@Rbac(Deployment, ["get", "list", "watch", "create", "patch"])
@Rbac(Service, ["get", "list", "watch", "create", "patch"])
export class GatewayReconciler implements Reconciler {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async reconcile({ key }: Request, { nowMs }: ReconcileContext): Promise<void> {
    const gateway = await this.#client.find(Gateway, key);
    if (!gateway) return; // Deleted. Kubernetes garbage-collects the objects it owned.

    await this.#client.apply(ConfigMap, configMapFor(gateway), { owner: gateway });
    await this.#client.apply(Service, serviceFor(gateway), { owner: gateway });
    const wanted = deploymentFor(gateway);
    const { status } = await this.#client.apply(Deployment, wanted, { owner: gateway });

    const change =
      (status?.readyReplicas ?? 0) > 0
        ? ready.true("Served", "The routes are served.")
        : ready.false("NoPodsReady", "No pod is ready.");
    // Pass a function to keep conditions that other controllers set.
    await this.#client.status.patch(gateway, (before) => ({
      observedGeneration: gateway.metadata.generation,
      conditions: setCondition(before?.conditions, change, nowMs),
    }));
  }
}

/** Registers the Gateway controller with the manager. */
export function setUpGateway(manager: Manager): void {
  controllerFor(manager)
    .for(Gateway)
    .owns(ConfigMap)
    .owns(Deployment)
    .owns(Service)
    .complete(new GatewayReconciler(manager.client));
}
