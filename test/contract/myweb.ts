/** The operator that the contract tests run: as a user would write it. */
import {
  controllerFor,
  CustomResource,
  findCondition,
  Rbac,
  Resource,
  setCondition,
  type Client,
  type Condition,
  type ControllerOptions,
  type Int32,
  type Intent,
  type Manager,
  type ReconcileContext,
  type Reconciler,
  type Request,
} from "../../src/index.ts";
import { ConfigMap, Deployment, Service } from "../../src/k8s.ts";

export class MyWebSpec {
  image: string = "nginx:1.27";
  nodePortNumber?: Int32;
  pageContentHtml!: string;
}

export class MyWebStatus {
  readyReplicas?: Int32;
  conditions?: Condition[];
}

@Resource({ group: "operator.k8s-summit.org", version: "v1", plural: "mywebs" })
export class MyWeb extends CustomResource<MyWebSpec, MyWebStatus> {}

const labelsFor = ({ metadata }: MyWeb) => ({ app: metadata.name });

function configMapFor(web: MyWeb): Intent<ConfigMap> {
  return {
    metadata: { name: web.metadata.name },
    data: { "index.html": web.spec.pageContentHtml },
  };
}

function serviceFor(web: MyWeb): Intent<Service> {
  return {
    metadata: { name: web.metadata.name },
    spec: { selector: labelsFor(web), ports: [{ port: 80, protocol: "TCP" }] },
  };
}

function deploymentFor(web: MyWeb): Intent<Deployment> {
  return {
    metadata: { name: web.metadata.name },
    spec: {
      replicas: 1,
      selector: { matchLabels: labelsFor(web) },
      template: {
        metadata: { labels: labelsFor(web) },
        spec: { containers: [{ name: "web", image: web.spec.image }] },
      },
    },
  };
}

@Rbac(ConfigMap, ["get", "list", "watch", "create", "patch"])
@Rbac(Deployment, ["get", "list", "watch", "create", "patch"])
@Rbac(Service, ["get", "list", "watch", "create", "patch"])
class MyWebReconciler implements Reconciler {
  readonly #client: Client;

  constructor(client: Client) {
    this.#client = client;
  }

  async reconcile({ key }: Request, { nowMs }: ReconcileContext): Promise<void> {
    const web = await this.#client.find(MyWeb, key);
    if (!web) return;
    await this.#client.apply(ConfigMap, configMapFor(web), { owner: web });
    await this.#client.apply(Service, serviceFor(web), { owner: web });
    const deployment = await this.#client.apply(Deployment, deploymentFor(web), { owner: web });
    const readyReplicas = deployment.status?.readyReplicas ?? 0;
    const ready = readyReplicas > 0;
    await this.#client.status.patch(web, (status) => ({
      readyReplicas,
      conditions: setCondition(
        status?.conditions,
        {
          type: "Ready",
          status: ready ? "True" : "False",
          reason: ready ? "PodsReady" : "PodsMissing",
          message: `${readyReplicas} pods are ready.`,
        },
        nowMs,
      ),
    }));
  }
}

export function setUpMyWeb(manager: Manager, options: ControllerOptions = {}): void {
  controllerFor(manager)
    .for(MyWeb)
    .owns(Deployment)
    .owns(Service)
    .owns(ConfigMap)
    .withOptions(options)
    .complete(new MyWebReconciler(manager.client));
}

export const isReady = (web: MyWeb): boolean =>
  findCondition(web.status?.conditions, "Ready")?.status === "True";

export const MYWEB_CRD = {
  metadata: { name: "mywebs.operator.k8s-summit.org" },
  spec: {
    group: "operator.k8s-summit.org",
    scope: "Namespaced",
    names: { plural: "mywebs", singular: "myweb", kind: "MyWeb", listKind: "MyWebList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            required: ["spec"],
            properties: {
              spec: {
                type: "object",
                required: ["pageContentHtml"],
                properties: {
                  image: { type: "string", default: "nginx:1.27" },
                  nodePortNumber: { type: "integer", format: "int32" },
                  pageContentHtml: { type: "string" },
                },
              },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
      },
    ],
  },
};
