/**
 * The reasons why the roll-out of a Deployment is not done yet. Pure.
 *
 * @see https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#deployment-status
 */
import { TsopError } from "../../errors.ts";
import { statusOf } from "../../kube/progress/kstatus.ts";
import type { KubeObject } from "../../kube/object.ts";
import type {
  Deployment,
  DeploymentCondition,
  DeploymentSpec,
} from "../../generated/k8s/apps-v1.ts";
import type { Pod } from "../../generated/k8s/core-v1.ts";

/** A Deployment, as far as its roll-out is read. */
export type DeploymentState = KubeObject &
  Pick<Deployment, "status"> & { spec?: Partial<DeploymentSpec> };

/** A pod, as far as it says why it does not run. */
export type PodState = KubeObject & Pick<Pod, "status">;

/**
 * What is still missing, as a clause; `undefined` when the roll-out is done, by the rules of
 * kstatus.
 *
 * @param pods - those of the Deployment's selector: they know the cause
 * @throws TsopError `roll-out-failed` when waiting does not help
 */
export function missingIn(
  deployment: DeploymentState | undefined,
  pods: readonly PodState[],
  nowMs: number,
): string | undefined {
  if (!deployment) return "the Deployment does not exist";
  const { namespace = "", name } = deployment.metadata;
  const progress = statusOf(deployment, nowMs);
  if (progress.status === "Current") return undefined;
  const { status = {} } = deployment;
  const wanted = deployment.spec?.replicas ?? 1;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = status;
  const cause = causeOf(status.conditions ?? [], pods);
  const because = cause === undefined ? "" : `: ${cause}`;
  if (progress.status === "Failed") {
    throw new TsopError(
      "roll-out-failed",
      `The Deployment ${namespace}/${name} stopped its rollout${because}.`,
      "Fix the cause and run the command again; applied objects are kept.",
    );
  }
  if (
    progress.reason === "LatestGenerationNotObserved" ||
    status.observedGeneration === undefined
  ) {
    return `${namespace}/${name} was not looked at yet`;
  }
  const ready = Math.min(availableReplicas, updatedReplicas);
  if (ready < wanted) {
    return `${ready} of ${wanted} new pods of ${namespace}/${name} are available${because}`;
  }
  const old = replicas - updatedReplicas;
  if (old > 0) return `${old} old ${old === 1 ? "pod" : "pods"} of ${namespace}/${name} must end`;
  return `${namespace}/${name} is not done: ${progress.message}${because}`;
}

/** The most telling reason: no pod may be made, no node takes it, a container does not start. */
function causeOf(
  conditions: readonly DeploymentCondition[],
  pods: readonly PodState[],
): string | undefined {
  const refused = conditions.find(
    ({ type, status }) => type === "ReplicaFailure" && status === "True",
  );
  if (refused) return refused.message;
  for (const pod of pods) {
    const { name } = pod.metadata;
    const { conditions: ofPod = [], containerStatuses = [] } = pod.status ?? {};
    for (const { name: container, state, restartCount = 0 } of containerStatuses) {
      const { reason, message } = state?.waiting ?? {};
      const ended = state?.terminated;
      const times = restartCount > 0 ? `, restarted ${restartCount} times` : "";
      if (reason !== undefined && reason !== "ContainerCreating") {
        const detail = message === undefined ? "" : ` (${message})`;
        return `container ${container} of pod ${name} waits with ${reason}${times}${detail}`;
      }
      if (ended) {
        return `container ${container} of pod ${name} exited with code ${ended.exitCode}${times}`;
      }
    }
    const unscheduled = ofPod.find(
      ({ type, status }) => type === "PodScheduled" && status === "False",
    );
    if (unscheduled?.message !== undefined) return `pod ${name}: ${unscheduled.message}`;
  }
  return undefined;
}
