/** The simulated nodes: ready, and large. */
import type { Node } from "../../builtin/kinds/core/node.ts";
import { KUBERNETES_VERSION } from "../../../kube/kubernetes-version.ts";
import { NODES } from "../../builtin/tokens.ts";
import { timeOf } from "../../../kube/values/times.ts";
import { Controller, type Tools, watch } from "../framework/controller.ts";

const NOT_READY = "node.kubernetes.io/not-ready";
const CAPACITY = { cpu: "32", memory: "128Gi", "ephemeral-storage": "512Gi", pods: "1000" };
const CONDITIONS = [
  ["MemoryPressure", "False", "KubeletHasSufficientMemory", "enough memory"],
  ["DiskPressure", "False", "KubeletHasNoDiskPressure", "enough space on disk"],
  ["PIDPressure", "False", "KubeletHasSufficientPID", "enough process ids"],
  ["Ready", "True", "KubeletReady", "the simulated kubelet is ready"],
] as const;
const NODE_INFO = {
  architecture: "amd64",
  bootID: "",
  containerRuntimeVersion: "tsop://0",
  kernelVersion: "simulated",
  kubeProxyVersion: "",
  kubeletVersion: `v${KUBERNETES_VERSION}`,
  machineID: "",
  operatingSystem: "linux",
  osImage: "simulated",
  systemUUID: "",
};

/** The names of `count` simulated nodes: `tsop-node`, `tsop-node-2`, ... */
export function simulatedNodeNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    index === 0 ? "tsop-node" : `tsop-node-${index + 1}`,
  );
}

/** The address of a simulated node, by its number; that of the first for other nodes. */
export function nodeAddress(name: string): string {
  const index = Number(/^tsop-node-(\d+)$/.exec(name)?.[1] ?? 1) - 1;
  return `10.240.${index >> 8}.${(index & 255) + 1}`;
}

export class NodeSimulator extends Controller {
  readonly name = "Nodes";
  readonly watches = [
    watch(NODES, ({ type, object }) =>
      type === "MODIFIED" ? [] : this.initialKeys.filter((name) => name === object.metadata.name),
    ),
  ];
  override readonly initialKeys: readonly string[];

  constructor(tools: Tools, names: readonly string[]) {
    super(tools);
    this.initialKeys = names;
  }

  async sync(name: string): Promise<undefined> {
    let node = this.client.find(NODES, { name }) ?? (await this.#register(name));
    if (node.spec?.taints?.some(({ key }) => key === NOT_READY)) {
      const taints = node.spec.taints.filter(({ key }) => key !== NOT_READY);
      node = await this.client.update(NODES, { ...node, spec: { ...node.spec, taints } });
    }
    if (node.status?.conditions?.some(({ type }) => type === "Ready")) return;
    const time = timeOf(this.clock.now());
    const status = {
      capacity: CAPACITY,
      allocatable: CAPACITY,
      addresses: [
        { type: "InternalIP", address: nodeAddress(name) },
        { type: "Hostname", address: name },
      ],
      conditions: CONDITIONS.map(([type, status, reason, message]) => ({
        type,
        status,
        lastHeartbeatTime: time,
        lastTransitionTime: time,
        reason,
        message,
      })),
      nodeInfo: NODE_INFO,
    };
    await this.client.updateStatus(NODES, node, status);
  }

  #register(name: string): Promise<Node> {
    return this.client.create(NODES, {
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
