/** The binding of a pod to a node, and the conditions that the API server itself sets on pods. */
import { quote } from "../../../kube/field-errors.ts";
import { copyJson } from "../../../kube/json.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { Condition } from "../../builtin/shared/shapes.ts";
import { PODS } from "../../builtin/tokens.ts";
import { badRequest, conflict } from "../../failures.ts";
import { type Write, mainEndpoint, timestamp } from "../cluster/cluster.ts";
import { updateObject } from "./update.ts";

/**
 * Puts a pod on a node. The pod keeps its generation: a binding is no update of its spec.
 *
 * @param annotations - are added to those of the pod
 * @throws StatusError 409 when the pod has a node, is being deleted, or has scheduling gates
 */
export async function bindPod(
  { cluster, namespace, name, options }: Omit<Write, "endpoint">,
  node: string,
  annotations: Readonly<Record<string, string>>,
): Promise<void> {
  const pods = cluster.registry.preferred(PODS.group, PODS.plural);
  if (!pods) throw badRequest("pods are not served");
  const endpoint = { ...mainEndpoint(pods), strategy: bindingStrategy(pods.strategy) };
  const write = { cluster, endpoint, namespace, name, options: { ...options, replaces: false } };
  await updateObject(write, (live) =>
    bound(live as Pod, node, annotations, timestamp(cluster.clock)),
  );
}

/** The strategy of a binding, which sets fields that an update of the pod may not. */
function bindingStrategy<S extends object>(strategy: S): S {
  return Object.create(strategy, {
    prepareForUpdate: { value: () => undefined },
    validateUpdate: { value: () => [] },
  }) as S;
}

function bound(
  live: Pod,
  node: string,
  annotations: Readonly<Record<string, string>>,
  now: string,
): Pod {
  const { name = "" } = live.metadata;
  const refuse = (why: string): Error =>
    conflict({ group: "", plural: "pods/binding" }, name, `pod ${name} ${why}`);
  if (live.metadata.deletionTimestamp !== undefined) {
    throw refuse("is being deleted, cannot be assigned to a host");
  }
  if (live.spec.nodeName) throw refuse(`is already assigned to node ${quote(live.spec.nodeName)}`);
  if (live.spec.schedulingGates?.length) throw refuse("has non-empty .spec.schedulingGates");
  const pod = copyJson(live);
  pod.spec.nodeName = node;
  if (Object.keys(annotations).length > 0) {
    pod.metadata.annotations = { ...pod.metadata.annotations, ...annotations };
  }
  setPodCondition(pod, { type: "PodScheduled", status: "True", lastTransitionTime: now });
  delete pod.status?.nominatedNodeName;
  return pod;
}

/** Sets a condition of a pod, in place of that of the same type or after the others. */
export function setPodCondition(pod: Pod, { type, status, ...rest }: Condition): void {
  const conditions = pod.status?.conditions ?? [];
  const condition = { type, status, lastProbeTime: null, ...rest };
  const at = conditions.findIndex((one) => one.type === type);
  const next = at < 0 ? [...conditions, condition] : conditions.with(at, condition);
  pod.status = { ...pod.status, conditions: next };
}
