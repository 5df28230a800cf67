/** The rules of kstatus for built-in kinds. */
import { getField, isJsonObject } from "../json.ts";
import type { ObjectStatus, StatusView } from "./status-view.ts";

type Rule = (view: StatusView) => ObjectStatus;

const current = (message: string): ObjectStatus => ({ status: "Current", message });
const inProgress = (reason: string, message: string): ObjectStatus => {
  return { status: "InProgress", reason, message };
};
const failed = (reason: string, message: string): ObjectStatus => {
  return { status: "Failed", reason, message };
};

// Go's largest int32, which the Deployment controller takes for no deadline.
const NO_DEADLINE = 2 ** 31 - 1;
// How long a pod may wait for a node.
const SCHEDULE_WINDOW_MS = 15_000;

/** A number that is below another. */
type Shortage = readonly [reason: string, what: string, has: number, wanted: number];

function firstShortage(shortages: readonly Shortage[]): ObjectStatus | undefined {
  const found = shortages.find(([, , has, wanted]) => has < wanted);
  return found && inProgress(found[0], `${found[1]}: ${found[2]}/${found[3]}`);
}

function extraPods(has: number, wanted: number): ObjectStatus | undefined {
  return has > wanted ? inProgress("ExtraPods", `Pending termination: ${has - wanted}`) : undefined;
}

function deploymentStatus(view: StatusView): ObjectStatus {
  if (view.conditions.some(isDeadlineExceeded)) {
    return failed("ProgressDeadlineExceeded", "Progress deadline exceeded");
  }
  const wanted = view.number("spec.replicas", 1);
  const replicas = view.number("status.replicas", 0);
  const updated = view.number("status.updatedReplicas", 0);
  const available = view.number("status.availableReplicas", 0);
  const missing =
    firstShortage([
      ["LessReplicas", "Replicas", replicas, wanted],
      ["LessUpdated", "Updated", updated, wanted],
    ]) ??
    extraPods(replicas, wanted) ??
    firstShortage([
      ["LessAvailable", "Available", available, updated],
      ["LessReady", "Ready", view.number("status.readyReplicas", 0), wanted],
    ]);
  if (missing) return missing;
  // Without a deadline the controller does not report progress.
  const progressed =
    view.number("spec.progressDeadlineSeconds", NO_DEADLINE) === NO_DEADLINE ||
    view.conditions.some(
      ({ type, status, reason }) =>
        type === "Progressing" && status === "True" && reason === "NewReplicaSetAvailable",
    );
  if (!progressed) return inProgress("ReplicaSetNotAvailable", "ReplicaSet not Available");
  if (!view.condition("Available", "True")) {
    return inProgress("DeploymentNotAvailable", "Deployment not Available");
  }
  return current(`Deployment is available. Replicas: ${replicas}`);
}

const isDeadlineExceeded = ({ type, reason }: { type: string; reason?: string }): boolean =>
  type === "Progressing" && reason === "ProgressDeadlineExceeded";

function statefulSetStatus(view: StatusView): ObjectStatus {
  if (view.text("spec.updateStrategy.type") === "OnDelete") {
    return current("StatefulSet is using the ondelete update strategy");
  }
  const wanted = view.number("spec.replicas", 1);
  const replicas = view.number("status.replicas", 0);
  const updated = view.number("status.updatedReplicas", 0);
  const partition = view.number("spec.updateStrategy.rollingUpdate.partition", -1);
  const missing =
    firstShortage([
      ["LessReplicas", "Replicas", replicas, wanted],
      ["LessReady", "Ready", view.number("status.readyReplicas", 0), wanted],
    ]) ?? extraPods(replicas, wanted);
  if (missing) return missing;
  if (partition !== -1) {
    return (
      firstShortage([["PartitionRollout", "updated", updated, wanted - partition]]) ??
      current(`Partition rollout complete. updated: ${updated}`)
    );
  }
  const behind = firstShortage([
    ["LessCurrent", "current", view.number("status.currentReplicas", 0), wanted],
  ]);
  if (behind) return behind;
  if (view.text("status.currentRevision") !== view.text("status.updateRevision")) {
    return inProgress("RevisionMismatch", "Waiting for updated revision to match current");
  }
  return current(`All replicas scheduled as expected. Replicas: ${replicas}`);
}

function daemonSetStatus(view: StatusView): ObjectStatus {
  for (const [path, reason] of [
    ["metadata.generation", "NoGeneration"],
    ["status.observedGeneration", "NoObservedGeneration"],
  ] as const) {
    if (view.number(path, -1) < 0) return inProgress(reason, `${view.kind} ${path} not found`);
  }
  const desired = view.number("status.desiredNumberScheduled", -1);
  if (desired === -1) {
    return inProgress("NoDesiredNumber", "Missing .status.desiredNumberScheduled");
  }
  const of = (field: string): number => view.number(`status.${field}`, 0);
  return (
    firstShortage([
      ["LessCurrent", "Current", of("currentNumberScheduled"), desired],
      ["LessUpdated", "Updated", of("updatedNumberScheduled"), desired],
      ["LessAvailable", "Available", of("numberAvailable"), desired],
      ["LessReady", "Ready", of("numberReady"), desired],
    ]) ?? current(`All replicas scheduled as expected. Replicas: ${desired}`)
  );
}

function replicaSetStatus(view: StatusView): ObjectStatus {
  if (view.condition("ReplicaFailure", "True")) {
    return inProgress("ReplicaFailure", "Replica Failure condition. Check Pods");
  }
  const wanted = view.number("spec.replicas", 1);
  const replicas = view.number("status.replicas", 0);
  return (
    firstShortage([
      ["LessLabelled", "Labelled", view.number("status.fullyLabeledReplicas", 0), wanted],
      ["LessAvailable", "Available", view.number("status.availableReplicas", 0), wanted],
      ["LessReady", "Ready", view.number("status.readyReplicas", 0), wanted],
    ]) ??
    extraPods(replicas, wanted) ??
    current(`ReplicaSet is available. Replicas: ${replicas}`)
  );
}

function jobStatus(view: StatusView): ObjectStatus {
  const completions = view.number("spec.completions", view.number("spec.parallelism", 1));
  const succeeded = view.number("status.succeeded", 0);
  const failures = view.number("status.failed", 0);
  for (const { type, status } of view.conditions) {
    if (status !== "True") continue;
    if (type === "Complete")
      return current(`Job Completed. succeeded: ${succeeded}/${completions}`);
    if (type === "Failed")
      return failed("JobFailed", `Job Failed. failed: ${failures}/${completions}`);
  }
  if (view.text("status.startTime") === "") return inProgress("JobNotStarted", "Job not started");
  const active = view.number("status.active", 0);
  return current(`Job in progress. success:${succeeded}, active: ${active}, failed: ${failures}`);
}

function podStatus(view: StatusView): ObjectStatus {
  const phase = view.text("status.phase");
  switch (phase) {
    case "":
      return inProgress("PodNotObserved", "Pod phase not available");
    case "Succeeded":
      return current("Pod has completed successfully");
    case "Failed":
      return current("Pod has completed, but not successfully");
    case "Running": {
      if (view.condition("Ready", "True")) return current("Pod is Ready");
      const looping = view.list("status.containerStatuses").flatMap(crashLooping);
      return looping.length > 0
        ? failed("ContainerCrashLooping", `Containers in CrashLoop state: ${looping.join(",")}`)
        : inProgress("PodRunningNotReady", "Pod is running but is not Ready");
    }
    case "Pending":
      return pendingPodStatus(view);
    default:
      return { status: "Unknown", message: `unknown phase ${phase}` };
  }
}

function pendingPodStatus(view: StatusView): ObjectStatus {
  if (view.condition("PodScheduled", "False")?.reason !== "Unschedulable") {
    return inProgress("PodPending", "Pod is in the Pending phase");
  }
  // A pod without a creation time is as old as can be.
  const madeMs = Date.parse(view.text("metadata.creationTimestamp")) || 0;
  return madeMs > view.nowMs - SCHEDULE_WINDOW_MS
    ? inProgress("PodNotScheduled", "Pod has not been scheduled")
    : failed("PodUnschedulable", "Pod could not be scheduled");
}

/** The name of a container in CrashLoopBackOff. */
function crashLooping(container: unknown): string[] {
  const field = (value: unknown, key: string): unknown =>
    isJsonObject(value) ? getField(value, key) : undefined;
  const reason = field(field(field(container, "state"), "waiting"), "reason");
  const name = field(container, "name");
  return reason === "CrashLoopBackOff" && typeof name === "string" ? [name] : [];
}

function claimStatus(view: StatusView): ObjectStatus {
  const phase = view.text("status.phase", "unknown");
  return phase === "Bound"
    ? current("PVC is Bound")
    : inProgress("NotBound", `PVC is not Bound. phase: ${phase}`);
}

function serviceStatus(view: StatusView): ObjectStatus {
  const isBalanced = view.text("spec.type") === "LoadBalancer";
  return isBalanced && view.text("spec.clusterIP") === ""
    ? inProgress("NoIPAssigned", "ClusterIP not set. Service type: LoadBalancer")
    : current("Service is ready");
}

function definitionStatus(view: StatusView): ObjectStatus {
  for (const { type, status, reason = "", message = "" } of view.conditions) {
    if (type === "NamesAccepted" && status === "False") return failed(reason, message);
    if (type !== "Established") continue;
    if (status === "False" && reason !== "Installing") return failed(reason, message);
    if (status === "True") return current("CRD is established");
  }
  return inProgress("Installing", "Install in progress");
}

const alwaysReady: Rule = () => current("Resource is always ready");

/** The rules by `group/Kind`, or `Kind` in the core group. */
export const KIND_RULES: ReadonlyMap<string, Rule> = new Map([
  ["ConfigMap", alwaysReady],
  ["Secret", alwaysReady],
  ["batch/CronJob", alwaysReady],
  ["policy/PodDisruptionBudget", () => current("AllowedDisruptions has been computed.")],
  ["Service", serviceStatus],
  ["Pod", podStatus],
  ["PersistentVolumeClaim", claimStatus],
  ["apps/Deployment", deploymentStatus],
  ["apps/StatefulSet", statefulSetStatus],
  ["apps/DaemonSet", daemonSetStatus],
  ["apps/ReplicaSet", replicaSetStatus],
  ["batch/Job", jobStatus],
  ["apiextensions.k8s.io/CustomResourceDefinition", definitionStatus],
]);
