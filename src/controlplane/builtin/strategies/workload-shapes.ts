/**
 * The parts of Deployments, Jobs and their kin that strategies and simulated controllers read and write.
 *
 * Not a full API: what nobody here touches is left out and travels through untouched.
 *
 * @module
 */
import type { SentObject, ObjectMeta } from "../../../kube/object.ts";
import type { PodTemplate } from "./pod-shapes.ts";
import type { Condition, IntOrString, LabelSelector, PersistentVolumeClaim } from "./shapes.ts";

/** What ReplicaSets, ReplicationControllers and the like have in common. */
interface ReplicaStatus {
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

export interface ReplicationController extends SentObject {
  spec: {
    replicas?: number;
    minReadySeconds?: number;
    selector?: Record<string, string>;
    template?: PodTemplate;
  };
  status?: ReplicaStatus;
}

export interface Deployment extends SentObject {
  spec: {
    replicas?: number;
    selector: LabelSelector;
    template: PodTemplate;
    strategy: {
      type?: string;
      rollingUpdate?: { maxUnavailable?: IntOrString; maxSurge?: IntOrString };
    };
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
    paused?: boolean;
    progressDeadlineSeconds?: number;
  };
  status?: ReplicaStatus & {
    updatedReplicas?: number;
    unavailableReplicas?: number;
    collisionCount?: number;
  };
}

export interface StatefulSet extends SentObject {
  spec: {
    replicas?: number;
    selector?: LabelSelector;
    template: PodTemplate;
    serviceName?: string;
    podManagementPolicy?: string;
    updateStrategy: {
      type?: string;
      rollingUpdate?: { partition?: number; maxUnavailable?: IntOrString };
    };
    volumeClaimTemplates?: PersistentVolumeClaim[];
    revisionHistoryLimit?: number;
    minReadySeconds?: number;
    persistentVolumeClaimRetentionPolicy?: { whenDeleted?: string; whenScaled?: string };
    ordinals?: { start?: number };
  };
  status?: ReplicaStatus & {
    currentReplicas?: number;
    updatedReplicas?: number;
    currentRevision?: string;
    updateRevision?: string;
    collisionCount?: number;
  };
}

export interface DaemonSet extends SentObject {
  spec: {
    selector?: LabelSelector;
    template: PodTemplate;
    updateStrategy: {
      type?: string;
      rollingUpdate?: { maxUnavailable?: IntOrString; maxSurge?: IntOrString };
    };
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
  };
  status?: {
    currentNumberScheduled?: number;
    numberMisscheduled?: number;
    desiredNumberScheduled?: number;
    numberReady?: number;
    observedGeneration?: number;
    updatedNumberScheduled?: number;
    numberAvailable?: number;
    numberUnavailable?: number;
    collisionCount?: number;
  };
}

export interface JobSpec {
  parallelism?: number;
  completions?: number;
  activeDeadlineSeconds?: number;
  backoffLimit?: number;
  backoffLimitPerIndex?: number;
  maxFailedIndexes?: number;
  selector?: LabelSelector;
  manualSelector?: boolean;
  template: PodTemplate;
  ttlSecondsAfterFinished?: number;
  completionMode?: string;
  suspend?: boolean;
  podReplacementPolicy?: string;
  podFailurePolicy?: {
    rules: {
      action: string;
      onExitCodes?: { containerName?: string; operator: string; values: number[] | null };
      onPodConditions?: { type: string; status?: string }[];
    }[];
  };
  successPolicy?: { rules: { succeededIndexes?: string; succeededCount?: number }[] };
  managedBy?: string;
}

export interface Job extends SentObject {
  spec: JobSpec;
  status?: {
    conditions?: Condition[];
    startTime?: string;
    completionTime?: string;
    active?: number;
    succeeded?: number;
    failed?: number;
    terminating?: number;
    completedIndexes?: string;
    failedIndexes?: string;
    uncountedTerminatedPods?: { succeeded?: string[]; failed?: string[] };
    ready?: number;
  };
}

export interface CronJob extends SentObject {
  spec: {
    schedule: string;
    timeZone?: string;
    startingDeadlineSeconds?: number;
    concurrencyPolicy?: string;
    suspend?: boolean;
    jobTemplate: { metadata?: ObjectMeta; spec: JobSpec };
    successfulJobsHistoryLimit?: number;
    failedJobsHistoryLimit?: number;
  };
  status?: {
    active?: {
      apiVersion?: string;
      kind?: string;
      name?: string;
      namespace?: string;
      uid?: string;
      resourceVersion?: string;
    }[];
    lastScheduleTime?: string;
    lastSuccessfulTime?: string;
  };
}
