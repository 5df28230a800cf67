/**
 * Defaults of the kinds outside of core, apps and batch.
 *
 * @module
 */
import { sameJson } from "../../../kube/json.ts";
import type { JsonObject, SentObject } from "../../../kube/object.ts";
import type { WriteContext } from "../../kinds.ts";
import { DEFAULT_UTILIZATION, noteWhatV2Says } from "../autoscaler-versions.ts";
import { asGiven } from "./emptied.ts";
import { timestampOf } from "./timestamp.ts";

const RBAC = "rbac.authorization.k8s.io";

interface Binding extends SentObject {
  roleRef: { apiGroup?: string };
  subjects?: { kind: string; apiGroup?: string }[];
}

export function setBindingDefaults(object: SentObject): void {
  const { roleRef, subjects = [] } = object as Binding;
  if (!roleRef.apiGroup) roleRef.apiGroup = RBAC;
  for (const subject of subjects) {
    if (!subject.apiGroup && (subject.kind === "User" || subject.kind === "Group")) {
      subject.apiGroup = RBAC;
    }
  }
}

interface IngressClass extends SentObject {
  spec: { parameters?: { scope?: string } };
}

export function setIngressClassDefaults(object: SentObject): void {
  const { parameters } = (object as IngressClass).spec;
  if (parameters) parameters.scope ??= "Cluster";
}

interface NetworkPolicy extends SentObject {
  spec: {
    policyTypes?: string[];
    ingress?: { ports?: { protocol?: string }[] }[];
    egress?: { ports?: { protocol?: string }[] }[];
  };
}

export function setNetworkPolicyDefaults(object: SentObject): void {
  const { spec } = object as NetworkPolicy;
  spec.policyTypes ??= spec.egress ? ["Ingress", "Egress"] : ["Ingress"];
  for (const { ports = [] } of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
    for (const port of ports) port.protocol ??= "TCP";
  }
}

interface EndpointSlice extends SentObject {
  endpoints?: { deprecatedTopology?: object }[] | null;
  ports?: { name?: string; protocol?: string }[] | null;
}

export function setEndpointSliceDefaults(object: SentObject): void {
  for (const port of (object as EndpointSlice).ports ?? []) {
    port.name ??= "";
    port.protocol ??= "TCP";
  }
}

/** Topology is written by the older version of the API only. */
export function dropTopology(object: SentObject, previous?: unknown): void {
  const slice = object as EndpointSlice;
  const before = (previous as Partial<EndpointSlice> | undefined)?.endpoints;
  if (sameJson(slice.endpoints, before)) return;
  for (const endpoint of slice.endpoints ?? []) delete endpoint.deprecatedTopology;
}

interface StorageClass extends SentObject {
  reclaimPolicy?: string;
  volumeBindingMode?: string;
}

export function setStorageClassDefaults(object: SentObject): void {
  const storageClass = object as StorageClass;
  storageClass.reclaimPolicy ??= "Delete";
  storageClass.volumeBindingMode ??= "Immediate";
}

interface CsiDriver extends SentObject {
  spec: Record<string, unknown>;
}

export function setCsiDriverDefaults(object: SentObject): void {
  const { spec } = object as CsiDriver;
  spec["attachRequired"] ??= true;
  spec["podInfoOnMount"] ??= false;
  spec["storageCapacity"] ??= false;
  spec["fsGroupPolicy"] ??= "ReadWriteOnceWithFSType";
  spec["volumeLifecycleModes"] ??= ["Persistent"];
  spec["requiresRepublish"] ??= false;
  spec["seLinuxMount"] ??= false;
}

/** Removes what belongs to features that are off. */
export function dropFromCsiDriver(object: SentObject): void {
  delete (object as CsiDriver).spec["preventPodSchedulingIfMissing"];
}

interface PriorityClass extends SentObject {
  preemptionPolicy?: string;
}

export function setPriorityClassDefaults(object: SentObject): void {
  (object as PriorityClass).preemptionPolicy ??= "PreemptLowerPriority";
}

interface ScalingRules {
  stabilizationWindowSeconds?: number;
  selectPolicy?: string;
  policies?: { type: string; value: number; periodSeconds: number }[];
}

interface Autoscaler extends SentObject {
  spec: {
    minReplicas?: number;
    targetCPUUtilizationPercentage?: number;
    metrics?: object[];
    behavior?: { scaleUp?: ScalingRules; scaleDown?: ScalingRules };
  };
}

export function setAutoscalerDefaults(object: SentObject): void {
  const { spec, apiVersion } = object as Autoscaler;
  spec.minReplicas ??= 1;
  if (apiVersion === "autoscaling/v1") {
    noteWhatV2Says(object as unknown as JsonObject);
    return;
  }
  spec.metrics ??= [
    {
      type: "Resource",
      resource: {
        name: "cpu",
        target: { type: "Utilization", averageUtilization: DEFAULT_UTILIZATION },
      },
    },
  ];
  if (!spec.behavior) return;
  const up = (spec.behavior.scaleUp ??= {});
  up.stabilizationWindowSeconds ??= 0;
  up.selectPolicy ??= "Max";
  if (asGiven(up, "policies") === null) {
    up.policies = [
      { type: "Pods", value: 4, periodSeconds: 15 },
      { type: "Percent", value: 100, periodSeconds: 15 },
    ];
  }
  const down = (spec.behavior.scaleDown ??= {});
  down.selectPolicy ??= "Max";
  if (asGiven(down, "policies") === null) {
    down.policies = [{ type: "Percent", value: 100, periodSeconds: 15 }];
  }
}

interface ApiService extends SentObject {
  spec: { service?: { port?: number } };
  status?: { conditions?: object[] };
}

/** Services are asked on the port of HTTPS. */
export function setApiServiceDefaults(object: SentObject): void {
  const { service } = (object as ApiService).spec;
  if (service) service.port ??= 443;
}

/** A group that the API server serves by itself is always available. */
export function prepareApiServiceForCreate(object: SentObject, context: WriteContext): void {
  const service = object as ApiService;
  if (service.spec.service) return;
  const lastTransitionTime = timestampOf(context.clock);
  service.status = {
    conditions: [
      {
        type: "Available",
        status: "True",
        lastTransitionTime,
        reason: "Local",
        message: "Local APIServices are always available",
      },
    ],
  };
}

interface FlowSchema extends SentObject {
  spec: { matchingPrecedence?: number };
}

export function setFlowSchemaDefaults(object: SentObject): void {
  const { spec } = object as FlowSchema;
  if (!spec.matchingPrecedence) spec.matchingPrecedence = 1000;
}

interface PriorityLevel extends SentObject {
  spec: {
    limited?: {
      nominalConcurrencyShares?: number;
      lendablePercent?: number;
      limitResponse?: {
        queuing?: { queues?: number; handSize?: number; queueLengthLimit?: number };
      };
    };
    exempt?: { nominalConcurrencyShares?: number; lendablePercent?: number };
  };
}

export function setPriorityLevelDefaults(object: SentObject): void {
  const { limited, exempt } = (object as PriorityLevel).spec;
  if (exempt) {
    exempt.nominalConcurrencyShares ??= 0;
    exempt.lendablePercent ??= 0;
  }
  if (!limited) return;
  limited.nominalConcurrencyShares ??= 30;
  limited.lendablePercent ??= 0;
  const queuing = limited.limitResponse?.queuing;
  if (!queuing) return;
  if (!queuing.queues) queuing.queues = 64;
  if (!queuing.handSize) queuing.handSize = 8;
  if (!queuing.queueLengthLimit) queuing.queueLengthLimit = 50;
}

interface DeviceRequest {
  allocationMode?: string;
  count?: number;
  tolerations?: { operator?: string }[];
}

interface DeviceClaim {
  devices?: {
    requests?: { exactly?: DeviceRequest; firstAvailable?: DeviceRequest[] }[];
  };
}

interface ResourceClaim extends SentObject {
  spec?: DeviceClaim & { spec?: DeviceClaim };
}

/** Defaults of a claim, and of the claim in a template. */
export function setResourceClaimDefaults(object: SentObject): void {
  const { spec } = object as ResourceClaim;
  for (const { exactly, firstAvailable = [] } of (spec?.spec ?? spec)?.devices?.requests ?? []) {
    for (const request of exactly ? [exactly, ...firstAvailable] : firstAvailable) {
      request.allocationMode ||= "ExactCount";
      if (request.allocationMode === "ExactCount") request.count ||= 1;
      for (const toleration of request.tolerations ?? []) toleration.operator ||= "Equal";
    }
  }
}

interface ResourceSlice extends SentObject {
  spec?: { devices?: { taints?: { timeAdded?: string }[] }[] };
}

/** Taints of devices say since when they are there. */
export function stampDeviceTaints(object: SentObject, context: WriteContext): void {
  for (const { taints = [] } of (object as ResourceSlice).spec?.devices ?? []) {
    for (const taint of taints) taint.timeAdded ??= timestampOf(context.clock);
  }
}

interface Lease extends SentObject {
  spec?: { strategy?: string; preferredHolder?: string };
}

/** Coordinated leader election is off: what belongs to it is dropped. */
export function dropLeaseStrategy(object: SentObject): void {
  const { spec } = object as Lease;
  delete spec?.strategy;
  delete spec?.preferredHolder;
}
