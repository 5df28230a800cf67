import type * as apps from "../../../../generated/k8s/apps-v1.ts";
import type { SentObject } from "../../../../kube/object.ts";
import type { PodTemplate } from "../pods/pod-shapes.ts";
import type { Shaped } from "../shapes.ts";

/** The status that ReplicaSets, ReplicationControllers and the like share. */
export type ReplicaStatus = Partial<Shaped<apps.ReplicaSetStatus>>;

export interface ReplicaSet extends SentObject {
  spec: Shaped<Omit<apps.ReplicaSetSpec, "template">> & { template: PodTemplate };
  status?: ReplicaStatus;
}
