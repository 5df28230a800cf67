/** The shape of a pod. */
import type { SentObject } from "../../../../../kube/object.ts";
import type { PodSpec } from "../../../shared/pods/shapes.ts";
import type { Condition } from "../../../shared/shapes.ts";

export interface PodStatus {
  phase?: string;
  reason?: string;
  message?: string;
  conditions?: Condition[];
  hostIP?: string;
  hostIPs?: { ip: string }[];
  podIP?: string;
  podIPs?: { ip: string }[];
  startTime?: string;
  qosClass?: string;
  observedGeneration?: number;
  nominatedNodeName?: string;
  containerStatuses?: ContainerStatus[];
  initContainerStatuses?: ContainerStatus[];
}

/** The state of a container, now or before. */
export interface ContainerState {
  running?: { startedAt: string };
  terminated?: {
    exitCode: number;
    reason?: string;
    startedAt?: string;
    finishedAt?: string;
    containerID?: string;
  };
  waiting?: { reason?: string; message?: string };
}

export interface ContainerStatus {
  name: string;
  image: string;
  imageID: string;
  containerID?: string;
  ready: boolean;
  started?: boolean;
  restartCount: number;
  state?: ContainerState;
  lastState?: ContainerState;
}

export interface Pod extends SentObject {
  spec: PodSpec;
  status?: PodStatus;
}

export interface ServiceAccount extends SentObject {
  automountServiceAccountToken?: boolean;
  imagePullSecrets?: { name?: string }[];
  secrets?: { name?: string }[];
}
