/** Shapes that workloads share. */
import type { SentObject } from "../../../../kube/object.ts";
import type { PodTemplate } from "../pods/shapes.ts";
import type { Condition, LabelSelector } from "../shapes.ts";

/** The status that ReplicaSets, ReplicationControllers and the like share. */
export interface ReplicaStatus {
  replicas?: number;
  fullyLabeledReplicas?: number;
  readyReplicas?: number;
  availableReplicas?: number;
  terminatingReplicas?: number;
  observedGeneration?: number;
  conditions?: Condition[];
}

export interface ReplicaSet extends SentObject {
  spec: {
    replicas?: number;
    minReadySeconds?: number;
    selector: LabelSelector;
    template: PodTemplate;
  };
  status?: ReplicaStatus;
}
