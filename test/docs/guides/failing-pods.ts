import {
  controllerFor,
  CustomResource,
  Resource,
  statusOf,
  type Client,
  type Manager,
  type ReconcileContext,
  type Reconciler,
  type Request,
} from "../../../src/index.ts";
import { Deployment } from "../../../src/k8s.ts";

export class ServerSpec {
  image!: string;
  tokenSecret!: string;
}

export class ServerStatus {
  state?: string;
}

@Resource({ group: "servers.example.com", version: "v1" })
export class Server extends CustomResource<ServerSpec, ServerStatus> {}

class ServerReconciler implements Reconciler<Server> {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async reconcile({ key }: Request, { nowMs }: ReconcileContext): Promise<void> {
    const server = await this.#client.find(Server, key);
    if (!server) return;
    const labels = { server: key.name };
    const secretKeyRef = { name: server.spec.tokenSecret, key: "token" };
    const env = [{ name: "TOKEN", valueFrom: { secretKeyRef } }];
    const deployment = await this.#client.apply(
      Deployment,
      {
        metadata: { name: key.name },
        spec: {
          progressDeadlineSeconds: 120,
          selector: { matchLabels: labels },
          template: {
            metadata: { labels },
            spec: { containers: [{ name: "server", image: server.spec.image, env }] },
          },
        },
      },
      { owner: server },
    );
    await this.#client.status.patch(server, { state: statusOf(deployment, nowMs).status });
  }
}

export function setUpServer(manager: Manager): void {
  controllerFor(manager)
    .for(Server)
    .owns(Deployment)
    .complete(new ServerReconciler(manager.client));
}
