/**
 * Defaults of the workloads, and what their strategies prepare.
 *
 * @module
 */
import { sameJson } from "../../../kube/json.ts";
import type { SentObject } from "../../../kube/object.ts";
import { dropFromTemplate, setPodTemplateDefaults } from "./pod-defaults.ts";
import type {
  CronJob,
  DaemonSet,
  Deployment,
  Job,
  JobSpec,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from "./workload-shapes.ts";

const HISTORY = 10;
const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";

/** Removes what belongs to features that are off from the template of a workload. */
export function dropFromWorkload(object: SentObject): void {
  dropFromTemplate((object as ReplicaSet).spec.template);
}

/** The same for a StatefulSet, whose updates have such a feature themselves. */
export function dropFromStatefulSet(object: SentObject): void {
  dropFromWorkload(object);
  delete (object as StatefulSet).spec.updateStrategy.rollingUpdate?.maxUnavailable;
}

/** The same for the jobs of a CronJob. */
export function dropFromCronJob(object: SentObject): void {
  dropFromTemplate((object as CronJob).spec.jobTemplate.spec.template);
}

export function setDeploymentDefaults(object: SentObject): void {
  const { spec } = object as Deployment;
  setPodTemplateDefaults(spec.template);
  spec.replicas ??= 1;
  spec.strategy.type ??= "RollingUpdate";
  if (spec.strategy.type === "RollingUpdate") {
    const rolling = (spec.strategy.rollingUpdate ??= {});
    rolling.maxUnavailable ??= "25%";
    rolling.maxSurge ??= "25%";
  }
  spec.revisionHistoryLimit ??= HISTORY;
  spec.progressDeadlineSeconds ??= 600;
}

export function setReplicaSetDefaults(object: SentObject): void {
  const { spec } = object as ReplicaSet;
  setPodTemplateDefaults(spec.template);
  spec.replicas ??= 1;
}

/** A ReplicationController takes labels and selector from its template. */
export function setReplicationControllerDefaults(object: SentObject): void {
  const controller = object as ReplicationController;
  const { spec, metadata } = controller;
  setPodTemplateDefaults(spec.template);
  spec.replicas ??= 1;
  const labels = spec.template?.metadata?.labels;
  if (!labels) return;
  spec.selector ??= { ...labels };
  metadata.labels ??= { ...labels };
}

export function setDaemonSetDefaults(object: SentObject): void {
  const { spec, metadata } = object as DaemonSet;
  (metadata.annotations ??= {})[TEMPLATE_GENERATION] ??= "0";
  setPodTemplateDefaults(spec.template);
  spec.updateStrategy.type ??= "RollingUpdate";
  if (spec.updateStrategy.type === "RollingUpdate") {
    const rolling = (spec.updateStrategy.rollingUpdate ??= {});
    rolling.maxUnavailable ??= 1;
    rolling.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= HISTORY;
}

export function setStatefulSetDefaults(object: SentObject): void {
  const { spec } = object as StatefulSet;
  setPodTemplateDefaults(spec.template);
  spec.podManagementPolicy ??= "OrderedReady";
  if (spec.updateStrategy.type === undefined) {
    spec.updateStrategy.type = "RollingUpdate";
    spec.updateStrategy.rollingUpdate ??= {};
  }
  if (spec.updateStrategy.type === "RollingUpdate" && spec.updateStrategy.rollingUpdate) {
    spec.updateStrategy.rollingUpdate.partition ??= 0;
  }
  const retention = (spec.persistentVolumeClaimRetentionPolicy ??= {});
  retention.whenDeleted ??= "Retain";
  retention.whenScaled ??= "Retain";
  spec.replicas ??= 1;
  spec.revisionHistoryLimit ??= HISTORY;
  for (const claim of spec.volumeClaimTemplates ?? []) {
    claim.apiVersion = "v1";
    claim.kind = "PersistentVolumeClaim";
    claim.spec.volumeMode ??= "Filesystem";
    (claim.status ??= {}).phase ??= "Pending";
  }
}

function setJobSpecDefaults(spec: JobSpec): void {
  setPodTemplateDefaults(spec.template);
  for (const rule of spec.podFailurePolicy?.rules ?? []) {
    for (const pattern of rule.onPodConditions ?? []) if (!pattern.status) pattern.status = "True";
  }
}

export function setJobDefaults(object: SentObject): void {
  const { spec, metadata } = object as Job;
  setJobSpecDefaults(spec);
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 2 ** 31 - 1;
  const labels = spec.template.metadata?.labels;
  // The labels are the very same ones: those that the template is given later are the job's too.
  if (labels && !metadata.labels) metadata.labels = labels;
  spec.completionMode ??= "NonIndexed";
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? "Failed" : "TerminatingOrFailed";
  spec.manualSelector ??= false;
}

export function setCronJobDefaults(object: SentObject): void {
  const { spec } = object as CronJob;
  setJobSpecDefaults(spec.jobTemplate.spec);
  spec.concurrencyPolicy ??= "Allow";
  spec.suspend ??= false;
  spec.successfulJobsHistoryLimit ??= 3;
  spec.failedJobsHistoryLimit ??= 1;
}

/** A new Job selects its pods by its own uid, unless its writer takes care of that. */
export function prepareJobForCreate(object: SentObject): void {
  const { spec, metadata } = object as Job;
  if (spec.manualSelector) return;
  const uid = metadata.uid ?? "";
  const labels = ((spec.template.metadata ??= {}).labels ??= {});
  labels["controller-uid"] ??= uid;
  labels["batch.kubernetes.io/controller-uid"] ??= uid;
  labels["job-name"] ??= metadata.name ?? "";
  labels["batch.kubernetes.io/job-name"] ??= metadata.name ?? "";
  spec.selector ??= {};
  (spec.selector.matchLabels ??= {})["batch.kubernetes.io/controller-uid"] ??= uid;
}

/** The first generation of a DaemonSet's template, kept in an annotation for old clients. */
export function prepareDaemonSetForCreate(object: SentObject): void {
  const annotations = (object.metadata.annotations ??= {});
  const given = Number(annotations[TEMPLATE_GENERATION] ?? "0");
  annotations[TEMPLATE_GENERATION] = String(given < 1 ? 1 : given);
}

/** Through the status the template stays, and so does its generation. */
export function prepareDaemonSetStatus(object: SentObject, old: SentObject): void {
  const generation = old.metadata.annotations?.[TEMPLATE_GENERATION] ?? "0";
  (object.metadata.annotations ??= {})[TEMPLATE_GENERATION] = generation;
}

export function prepareDaemonSetForUpdate(object: SentObject, old: SentObject): void {
  const before = Number(old.metadata.annotations?.[TEMPLATE_GENERATION] ?? "0");
  const changed = !sameJson((object as DaemonSet).spec.template, (old as DaemonSet).spec.template);
  const annotations = (object.metadata.annotations ??= {});
  annotations[TEMPLATE_GENERATION] = String(changed ? before + 1 : before);
}
