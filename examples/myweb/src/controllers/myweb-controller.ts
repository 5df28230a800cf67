import {
  controllerFor,
  isInvalid,
  Rbac,
  setCondition,
  type Client,
  type ConditionChange,
  type Manager,
  type ReconcileContext,
  type Reconciler,
  type Request,
  type Result,
} from "tsop";
import { ConfigMap, Deployment, Service } from "tsop/k8s";
import { MyWeb } from "../api/v1/myweb.ts";
import { configMapFor, deploymentFor, serviceFor } from "./children.ts";

/** A port that is taken may become free without an event that would tell us. */
const LOOK_AGAIN_MS = 60_000;

/** Makes the cluster match the spec of each MyWeb. */
@Rbac(MyWeb, ["get", "list", "watch"])
@Rbac(MyWeb, ["get", "patch"], { subresource: "status" })
@Rbac(MyWeb, ["update"], { subresource: "finalizers" }) // to own children that block its deletion
@Rbac(ConfigMap, ["get", "list", "watch", "create", "patch"])
@Rbac(Deployment, ["get", "list", "watch", "create", "patch"])
@Rbac(Service, ["get", "list", "watch", "create", "patch"])
export class MyWebReconciler implements Reconciler {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async reconcile({ key }: Request, { nowMs }: ReconcileContext): Promise<Result | void> {
    const web = await this.#client.find(MyWeb, key);
    if (!web) return; // Deleted. Kubernetes garbage-collects the objects it owned.

    await this.#client.apply(ConfigMap, configMapFor(web), { owner: web });
    const deployment = await this.#client.apply(Deployment, deploymentFor(web), { owner: web });
    const service = await this.#applyService(web);

    const readyReplicas = deployment.status?.readyReplicas ?? 0;
    const ready = readiness(service, readyReplicas);
    // Pass a function to keep conditions that other controllers set.
    await this.#client.status.patch(web, (status) => ({
      completed: ready.status === "True",
      readyReplicas,
      nodePort: typeof service === "string" ? null : (service.spec?.ports?.[0]?.nodePort ?? null),
      observedGeneration: web.metadata.generation,
      conditions: setCondition(status?.conditions, ready, nowMs),
    }));
    return typeof service === "string" ? { requeueAfterMs: LOOK_AGAIN_MS } : undefined;
  }

  /** The Service, or why the API server refuses it: only the user can mend a port that is taken. */
  async #applyService(web: MyWeb): Promise<Service | string> {
    try {
      return await this.#client.apply(Service, serviceFor(web), { owner: web });
    } catch (error) {
      if (isInvalid(error)) return error.message;
      throw error;
    }
  }
}

function readiness(service: Service | string, readyReplicas: number): ConditionChange {
  const type = "Ready";
  if (typeof service === "string") {
    return { type, status: "False", reason: "NodePortRefused", message: service };
  }
  if (readyReplicas === 0) {
    return { type, status: "False", reason: "NoPodsReady", message: "No pod serves the page yet." };
  }
  return { type, status: "True", reason: "Served", message: "The page is served." };
}

/** Registers the MyWeb controller with the manager. */
export function setUpMyWeb(manager: Manager): void {
  controllerFor(manager)
    .for(MyWeb)
    .owns(ConfigMap)
    .owns(Deployment)
    .owns(Service)
    .complete(new MyWebReconciler(manager.client));
}
