/**
 * The nodes and the pods of a DaemonSet.
 *
 * @see
 * https://kubernetes.io/docs/concepts/workloads/controllers/daemonset/#how-daemon-pods-are-scheduled
 */
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { PodSpec, Toleration } from "../../builtin/shared/pods/shapes.ts";
import type { Node } from "../../builtin/kinds/core/node.ts";
import type { DaemonSet } from "../../builtin/kinds/apps/daemon-set.ts";
import { type OwnerKind, controllerReference } from "../ownership.ts";
import { isSelected, untolerated } from "../pods/pod-scheduling.ts";
import { podFrom } from "../pods/pods.ts";

export const HASH_LABEL = "controller-revision-hash";
export const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";
export const GENERATION_LABEL = "pod-template-generation";
const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";

/** The tolerations of daemon pods beside those of their template. */
function ownTolerations(spec: PodSpec): Toleration[] {
  const every = (key: string, effect: string): Toleration => ({
    key: `node.kubernetes.io/${key}`,
    operator: "Exists",
    effect,
  });
  return [
    every("not-ready", "NoExecute"),
    every("unreachable", "NoExecute"),
    every("disk-pressure", "NoSchedule"),
    every("memory-pressure", "NoSchedule"),
    every("pid-pressure", "NoSchedule"),
    every("unschedulable", "NoSchedule"),
    ...(spec.hostNetwork ? [every("network-unavailable", "NoSchedule")] : []),
  ];
}

function tolerationsOf(spec: PodSpec): Toleration[] {
  const given = spec.tolerations ?? [];
  const added = ownTolerations(spec).filter(
    (own) =>
      !given.some(
        ({ key, effect, operator }) =>
          key === own.key && effect === own.effect && operator === own.operator,
      ),
  );
  return [...given, ...added];
}

/** Whether the set wants a pod on the node, and whether an existing one may stay. */
export function fit(
  set: DaemonSet,
  node: Node,
): { readonly runs: boolean; readonly stays: boolean } {
  const { spec } = set.spec.template;
  if (spec.nodeName && spec.nodeName !== node.metadata.name) return { runs: false, stays: false };
  if (!isSelected(spec, node)) return { runs: false, stays: false };
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
export function daemonPod(set: DaemonSet, kind: OwnerKind, node: string, hash: string): Pod {
  const pod = podFrom(set.spec.template, set, {
    generateName: `${set.metadata.name ?? ""}-`,
    ownerReferences: [controllerReference(set, kind)],
    labels: {
      [HASH_LABEL]: hash,
      [GENERATION_LABEL]: set.metadata.annotations?.[TEMPLATE_GENERATION] ?? "1",
    },
  });
  pod.spec.tolerations = tolerationsOf(pod.spec);
  pod.spec.affinity = {
    ...pod.spec.affinity,
    nodeAffinity: {
      ...pod.spec.affinity?.nodeAffinity,
      [REQUIRED]: {
        nodeSelectorTerms: [
          { matchFields: [{ key: "metadata.name", operator: "In", values: [node] }] },
        ],
      },
    },
  };
  return pod;
}
