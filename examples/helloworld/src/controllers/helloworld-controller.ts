import {
  controllerFor,
  setCondition,
  type Client,
  type Condition,
  type ConditionChange,
  type Intent,
  type Manager,
  type ReconcileContext,
  type Reconciler,
  type Request,
} from "tsop";
import { Deployment } from "tsop/k8s";
import { HelloWorld } from "../api/v1/helloworld.ts";

/** Makes the cluster match the spec of each HelloWorld. */
export class HelloWorldReconciler implements Reconciler {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async reconcile({ key }: Request, { nowMs }: ReconcileContext): Promise<void> {
    const hello = await this.#client.find(HelloWorld, key);
    if (!hello) return; // It is gone, and its pods go with it.
    const deployment = await this.#client.apply(Deployment, deploymentFor(hello), { owner: hello });
    const { replicas = 0, readyReplicas = 0 } = deployment.status ?? {};
    await this.#client.status.patch(hello, (status) => ({
      replicas,
      readyReplicas,
      observedGeneration: hello.metadata.generation,
      conditions: conditionsOf(hello, readyReplicas, status?.conditions, nowMs),
    }));
  }
}

/** The pods of a HelloWorld: its template, with a label to find them by. */
export function deploymentFor({ metadata: { name }, spec }: HelloWorld): Intent<Deployment> {
  const { replicas, template } = spec;
  const own = { "app.kubernetes.io/name": "helloworld", "app.kubernetes.io/instance": name };
  const labels = { ...template.metadata?.labels, ...own };
  return {
    metadata: { name, labels: own },
    spec: {
      replicas,
      selector: { matchLabels: own },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  };
}

function conditionsOf(
  { spec, metadata: { generation } }: HelloWorld,
  readyReplicas: number,
  conditions: Condition[] | undefined,
  nowMs: number,
): Condition[] {
  const isReady = readyReplicas === spec.replicas;
  const ready: ConditionChange = {
    type: "Ready",
    status: isReady ? "True" : "False",
    reason: isReady ? "AllReady" : "WaitsForPods",
    message: `${readyReplicas} of ${spec.replicas} pods are ready.`,
    observedGeneration: generation,
  };
  return setCondition(conditions, ready, nowMs);
}

/** Registers the HelloWorld controller with the manager. */
export function setUpHelloWorld(manager: Manager): void {
  controllerFor(manager)
    .for(HelloWorld)
    .owns(Deployment)
    .complete(new HelloWorldReconciler(manager.client));
}
