/**
 * The nodes and the pods of a DaemonSet.
 *
 * @see
 * https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/#how-daemon-pods-are-scheduled
 */
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { PodSpec, Toleration } from "../../builtin/shared/pods/pod-shapes.ts";
import type { Node } from "../../builtin/kinds/core/node.ts";
import type { DaemonSet } from "../../builtin/kinds/apps/daemon-set.ts";
import { isSelected, untolerated } from "../scheduler/pod-scheduling.ts";
import { podFrom } from "../pods/pods.ts";

export const HASH_LABEL = "controller-revision-hash";
const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";
const GENERATION_LABEL = "pod-template-generation";
const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";

/** The taints that daemon pods tolerate, with their effects. */
const TOLERATED = [
  ["not-ready", "NoExecute"],
  ["unreachable", "NoExecute"],
  ["disk-pressure", "NoSchedule"],
  ["memory-pressure", "NoSchedule"],
  ["pid-pressure", "NoSchedule"],
  ["unschedulable", "NoSchedule"],
] as const;
const TOLERATED_BY_HOST_PODS = [...TOLERATED, ["network-unavailable", "NoSchedule"]] as const;

/** The tolerations of daemon pods: those of their template, then their own. */
function tolerationsOf({ tolerations = [], hostNetwork }: PodSpec): Toleration[] {
  const own = (hostNetwork ? TOLERATED_BY_HOST_PODS : TOLERATED)
    .map(([taint, effect]) => ({ key: `node.kubernetes.io/${taint}`, operator: "Exists", effect }))
    .filter(
      ({ key, operator, effect }) =>
        !tolerations.some(
          (one) => one.key === key && one.effect === effect && one.operator === operator,
        ),
    );
  return [...tolerations, ...own];
}

/** Whether the set wants a pod on the node, and whether an existing one may stay. */
export function fit(
  { spec: { template } }: DaemonSet,
  node: Node,
): { readonly runs: boolean; readonly stays: boolean } {
  const { spec } = template;
  const isElsewhere = spec.nodeName && spec.nodeName !== node.metadata.name;
  if (isElsewhere || !isSelected(spec, node)) return { runs: false, stays: false };
  const tolerations = tolerationsOf(spec);
  const stays = !untolerated(tolerations, node, ["NoExecute"]);
  return { runs: stays && !untolerated(tolerations, node, ["NoSchedule"]), stays };
}

/** The node that a pod is on, or was created for. */
export function targetOf({ spec }: Pod): string | undefined {
  if (spec.nodeName) return spec.nodeName;
  for (const term of spec.affinity?.nodeAffinity?.[REQUIRED]?.nodeSelectorTerms ?? []) {
    for (const { key, operator, values } of term.matchFields ?? []) {
      if (key === "metadata.name" && operator === "In" && values?.length === 1) return values[0];
    }
  }
  return undefined;
}

/** A pod of the set for one node. */
export function daemonPod(set: DaemonSet, node: string, hash: string): Pod {
  const generation = set.metadata.annotations?.[TEMPLATE_GENERATION] ?? "1";
  const labels = { [HASH_LABEL]: hash, [GENERATION_LABEL]: generation };
  const pod = podFrom(set.spec.template, set, { labels });
  const { spec } = pod;
  spec.tolerations = tolerationsOf(spec);
  const matchFields = [{ key: "metadata.name", operator: "In", values: [node] }];
  spec.affinity = {
    ...spec.affinity,
    nodeAffinity: {
      ...spec.affinity?.nodeAffinity,
      [REQUIRED]: { nodeSelectorTerms: [{ matchFields }] },
    },
  };
  return pod;
}

/** Whether the pod has the set's template: by its revision, or by the generation, as in older clusters. */
export function isCurrent(set: DaemonSet, { metadata }: Pod, hash: string): boolean {
  const { labels = {} } = metadata;
  const generation = set.metadata.annotations?.[TEMPLATE_GENERATION];
  return (
    (hash !== "" && labels[HASH_LABEL] === hash) ||
    (generation !== undefined && labels[GENERATION_LABEL] === generation)
  );
}
