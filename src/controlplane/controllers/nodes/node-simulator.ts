/** The simulated nodes: ready, and large. */
import type { Clock } from "../../../clock.ts";
import type { Condition } from "../../builtin/shared/shapes.ts";
import type { Node } from "../../builtin/kinds/core/node.ts";
import { KUBERNETES_VERSION } from "../../../kube/kubernetes-version.ts";
import type { ControllerClient, StoreEvent } from "../client.ts";
import { concerns } from "../keys.ts";
import { NODES } from "../../builtin/tokens.ts";
import { timeOf } from "../../../kube/values/times.ts";
import type { Controller } from "../work-loop.ts";

const NOT_READY = "node.kubernetes.io/not-ready";
const CAPACITY = { cpu: "32", memory: "128Gi", "ephemeral-storage": "512Gi", pods: "1000" };
const KUBELET = `v${KUBERNETES_VERSION}`;

/** The names of `count` simulated nodes: `tsop-node`, `tsop-node-2`, ... */
export function simulatedNodeNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    index === 0 ? "tsop-node" : `tsop-node-${index + 1}`,
  );
}

/** The address of a simulated node. */
export function nodeAddress(index: number): string {
  return `10.240.${index >> 8}.${(index & 255) + 1}`;
}

/** Registers the nodes and reports them ready. */
export class NodeSimulator implements Controller {
  readonly name = "Nodes";
  readonly watches = [NODES];
  readonly initialKeys: readonly string[];
  readonly #client: ControllerClient;
  readonly #clock: Clock;

  constructor(client: ControllerClient, clock: Clock, names: readonly string[]) {
    this.#client = client;
    this.#clock = clock;
    this.initialKeys = names;
  }

  *observe(event: StoreEvent): Iterable<string> {
    const { name = "" } = event.object.metadata;
    if (concerns(event, NODES) && event.type !== "MODIFIED" && this.initialKeys.includes(name))
      yield name;
  }

  async sync(name: string): Promise<undefined> {
    let node = this.#client.find(NODES, { name }) ?? (await this.#register(name));
    if (node.spec?.taints?.some(({ key }) => key === NOT_READY)) {
      const taints = node.spec.taints.filter(({ key }) => key !== NOT_READY);
      node = await this.#client.update(NODES, {
        ...node,
        spec: { ...node.spec, taints },
      });
    }
    if (node.status?.conditions?.some(({ type }) => type === "Ready")) return;
    const time = timeOf(this.#clock.now());
    const condition = (
      type: string,
      status: string,
      reason: string,
      message: string,
    ): Condition => ({
      type,
      status,
      lastHeartbeatTime: time,
      lastTransitionTime: time,
      reason,
      message,
    });
    const status = {
      capacity: CAPACITY,
      allocatable: CAPACITY,
      addresses: [
        { type: "InternalIP", address: nodeAddress(this.initialKeys.indexOf(name)) },
        { type: "Hostname", address: name },
      ],
      conditions: [
        condition("MemoryPressure", "False", "KubeletHasSufficientMemory", "enough memory"),
        condition("DiskPressure", "False", "KubeletHasNoDiskPressure", "enough space on disk"),
        condition("PIDPressure", "False", "KubeletHasSufficientPID", "enough process ids"),
        condition("Ready", "True", "KubeletReady", "the simulated kubelet is ready"),
      ],
      nodeInfo: {
        architecture: "amd64",
        bootID: "",
        containerRuntimeVersion: "tsop://0",
        kernelVersion: "simulated",
        kubeProxyVersion: "",
        kubeletVersion: KUBELET,
        machineID: "",
        operatingSystem: "linux",
        osImage: "simulated",
        systemUUID: "",
      },
    };
    await this.#client.updateStatus(NODES, node, status);
  }

  #register(name: string): Promise<Node> {
    return this.#client.create(NODES, {
      apiVersion: "v1",
      kind: "Node",
      metadata: {
        name,
        labels: {
          "kubernetes.io/arch": "amd64",
          "kubernetes.io/hostname": name,
          "kubernetes.io/os": "linux",
        },
      },
    });
  }
}
