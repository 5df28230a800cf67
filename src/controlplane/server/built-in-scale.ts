/**
 * How the built-in workloads are scaled.
 *
 * @module
 */
import type { SentObject } from "../../kube/object.ts";
import { type ResourceInfo, groupResourceOf } from "../../kube/resource.ts";
import type { LabelSelector } from "../../kube/selector.ts";
import type { ScaleAccess } from "../kinds.ts";
import { formatLabelSelector } from "../builtin/tables/column.ts";

interface Workload extends SentObject {
  spec?: { replicas?: number; selector?: LabelSelector | Record<string, string> };
  status?: { replicas?: number };
}

const SCALED = new Set(["deployments.apps", "replicasets.apps", "statefulsets.apps"]);

/** The access to the replicas of a built-in resource; `undefined` for those that are not scaled. */
export function builtInScale(
  resource: Pick<ResourceInfo, "group" | "plural">,
): ScaleAccess | undefined {
  const name = groupResourceOf(resource);
  const simple = name === "replicationcontrollers";
  if (!simple && !SCALED.has(name)) return undefined;
  return {
    specReplicasPath: ".spec.replicas",
    statusReplicasPath: ".status.replicas",
    read(object) {
      const { spec, status } = object as Workload;
      const selector = simple
        ? { matchLabels: spec?.selector as Record<string, string> }
        : (spec?.selector as LabelSelector | undefined);
      return {
        replicas: spec?.replicas,
        statusReplicas: status?.replicas ?? 0,
        selector: formatLabelSelector(selector ?? {}),
      };
    },
    write(object, replicas) {
      const workload = object as Workload;
      workload.spec = { ...workload.spec, replicas };
    },
  };
}
