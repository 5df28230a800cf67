import type { SentObject } from "../../../../kube/object.ts";
import type { ScaleAccess } from "../../../kinds.ts";
import { formatLabelSelector } from "../../tables/cells.ts";

interface Workload extends SentObject {
  spec?: { replicas?: number; selector?: unknown };
  status?: { replicas?: number };
}

const scaleBy = (toLabelSelector: (selector: unknown) => unknown): ScaleAccess => ({
  specReplicasPath: ".spec.replicas",
  statusReplicasPath: ".status.replicas",
  read: ({ spec, status }: Workload) => ({
    replicas: spec?.replicas,
    statusReplicas: status?.replicas ?? 0,
    selector: formatLabelSelector(toLabelSelector(spec?.selector)),
  }),
  write(workload: Workload, replicas) {
    workload.spec = { ...workload.spec, replicas };
  },
});

export const selectorScale: ScaleAccess = scaleBy((selector) => selector);

/** The scale of a workload whose selector is a map of labels. */
export const mapSelectorScale: ScaleAccess = scaleBy((matchLabels) => ({ matchLabels }));
