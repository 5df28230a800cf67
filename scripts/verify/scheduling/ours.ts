/** The decision of the simulated scheduler about a pod, among copies of a real cluster's nodes and pods. */
import { toolsOf } from "../../../src/controlplane/controllers/framework/controller.ts";
import { WorkLoop } from "../../../src/controlplane/controllers/framework/work-loop.ts";
import { PodScheduler } from "../../../src/controlplane/controllers/scheduler/pod-scheduler.ts";
import { controllerContext } from "../../../src/controlplane/server/controller-client.ts";
import {
  NODES,
  PODS,
  PRIORITY_CLASSES,
  SERVICE_ACCOUNTS,
} from "../../../src/controlplane/builtin/tokens.ts";
import type { Pod as StoredPod } from "../../../src/controlplane/builtin/kinds/core/pod/shape.ts";
import type { SentObject } from "../../../src/kube/object.ts";
import type { Node, Pod } from "../../../src/k8s.ts";
import { PRIORITY, PRIORITY_VALUE } from "./cases.ts";
import { bareCluster } from "../../../test/controlplane/bare-cluster.ts";

/** The object without what a server sets, to be created in another one. */
function copyOf(object: SentObject): SentObject {
  const { name, namespace, labels } = object.metadata;
  return { ...object, metadata: { name, namespace, labels } } as SentObject;
}

export async function decideHere(
  nodes: readonly Node[],
  placed: readonly Pod[],
  pod: Pod,
): Promise<StoredPod | undefined> {
  const cluster = bareCluster();
  const tools = toolsOf(controllerContext(cluster), "kube-scheduler", "default-scheduler");
  const { client } = tools;
  await client.create(SERVICE_ACCOUNTS, {
    apiVersion: "v1",
    kind: "ServiceAccount",
    metadata: { name: "default", namespace: "default" },
  });
  await client.create(PRIORITY_CLASSES, {
    apiVersion: "scheduling.k8s.io/v1",
    kind: "PriorityClass",
    metadata: { name: PRIORITY },
    value: PRIORITY_VALUE,
  } as SentObject);
  for (const node of nodes) {
    await client.create(NODES, copyOf(node));
    const { spec, status } = node;
    const taints = spec?.taints ?? null;
    await client.patch(NODES, { name: node.metadata.name }, { spec: { taints } });
    await client.patch(NODES, { name: node.metadata.name }, { status }, "status");
  }
  for (const other of placed) await client.create(PODS, copyOf(other));
  await client.create(PODS, copyOf(pod));
  const loop = new WorkLoop([new PodScheduler(tools)], tools);
  loop.start();
  await loop.settle();
  loop.stop();
  return client.find(PODS, pod.metadata);
}
