/** The simulated controllers, and the names under which they write. */
import { RequestCleaner, SigningController } from "./certificates/signing-controller.ts";
import { CronJobController } from "./cron-job-controller.ts";
import { DaemonSetController } from "./daemon/daemon-set-controller.ts";
import { EphemeralClaimController } from "./volumes/ephemeral-claim-controller.ts";
import { NodeTaintController } from "./nodes/node-taint-controller.ts";
import { StatefulSetController } from "./stateful/stateful-set-controller.ts";
import { AccountTokenController } from "./account-token-controller.ts";
import {
  AttributesClassProtectionController,
  ClaimProtectionController,
} from "./volumes/protection-controllers.ts";
import { AutoscalerController } from "./autoscaling/autoscaler-controller.ts";
import { ClusterRoleAggregationController } from "./cluster-role-aggregation-controller.ts";
import { DisruptionBudgetController } from "./disruption-budget-controller.ts";
import { EndpointMirrorController } from "./endpoints/endpoint-mirror-controller.ts";
import { ResourceQuotaController } from "./resource-quota-controller.ts";
import { VolumePhaseController } from "./volumes/volume-phase-controller.ts";
import { VolumeBinder } from "./volumes/volume-binder.ts";
import { VolumeProvisioner } from "./volumes/volume-provisioner.ts";
import { VolumeResizer } from "./volumes/volume-resizer.ts";
import { JobController } from "./job/job-controller.ts";
import { TtlController } from "./ttl-controller.ts";
import type { ControllerContext } from "./framework/client.ts";
import { DeploymentController } from "./deployment/deployment-controller.ts";
import { EndpointSliceController } from "./endpoints/endpoint-slice-controller.ts";
import { EndpointsController } from "./endpoints/endpoints-controller.ts";
import { GarbageCollector } from "./garbage-collector.ts";
import { REPLICATION_CONTROLLERS, REPLICA_SETS } from "../builtin/tokens.ts";
import { NamespaceContentController } from "./namespaces/namespace-content-controller.ts";
import { NamespaceDeletionController } from "./namespaces/namespace-deletion-controller.ts";
import { NodeSimulator, simulatedNodeNames } from "./nodes/node-simulator.ts";
import { PodGarbageController } from "./pods/pod-garbage-controller.ts";
import { PolicyStatusController } from "./policy-status-controller.ts";
import { Kubelet } from "./kubelet/kubelet.ts";
import { podTiming } from "./kubelet/timing.ts";
import { PodScheduler } from "./scheduler/pod-scheduler.ts";
import { ReplicaSetController } from "./replica-set-controller.ts";
import { type Controller, type Tools, toolsOf } from "./framework/controller.ts";
import { WorkLoop } from "./framework/work-loop.ts";

/** How long kube-controller-manager collects the changes of a Job's pods. */
const JOB_BATCH_MS = 1000;

export type RunningControllers = Pick<WorkLoop, "settle" | "stop">;

/**
 * Starts the controllers on the stored objects, and keeps them running.
 *
 * @param mode - `no-kubelet` leaves scheduling and the status of pods to others, as a cluster
 *   without nodes does
 */
export function startControllers(
  context: ControllerContext,
  mode: "on" | "no-kubelet",
): RunningControllers {
  const { caCertificate = "", checkPolicyTypes, issueToken, certificateSigner } = context;
  const as = (component: string): Tools => toolsOf(context, "kube-controller-manager", component);
  const manager = as("controllermanager");
  const controllers: Controller[] = [
    new NamespaceContentController(manager, caCertificate),
    new NamespaceDeletionController(manager),
    new DeploymentController(as("deployment-controller")),
    new ReplicaSetController(as("replicaset-controller"), "ReplicaSet", REPLICA_SETS),
    new ReplicaSetController(
      as("replication-controller"),
      "ReplicationController",
      REPLICATION_CONTROLLERS,
    ),
    new JobController(as("job-controller"), {
      batchMs: context.podTiming === "real" ? JOB_BATCH_MS : 0,
    }),
    new CronJobController(as("cronjob-controller")),
    new TtlController(manager),
    new StatefulSetController(as("statefulset-controller")),
    new DaemonSetController(as("daemonset-controller")),
    new PodGarbageController(manager),
    new NodeTaintController(as("taint-eviction-controller")),
    new ClaimProtectionController(manager),
    new AttributesClassProtectionController(manager),
    new EphemeralClaimController(manager),
    new VolumeBinder(as("persistentvolume-controller")),
    new VolumePhaseController(as("persistentvolume-controller"), mode === "on"),
    new ResourceQuotaController(manager),
    new DisruptionBudgetController(manager),
    new AutoscalerController(as("horizontal-pod-autoscaler")),
    new ClusterRoleAggregationController(toolsOf(context, "clusterrole-aggregation-controller")),
    new EndpointMirrorController(manager),
    new EndpointSliceController(as("endpoint-slice-controller")),
    new EndpointsController(as("endpoint-controller")),
  ];
  if (checkPolicyTypes) {
    const tools = toolsOf(context, "validatingadmissionpolicy-status");
    controllers.push(new PolicyStatusController(tools, checkPolicyTypes));
  }
  if (issueToken) controllers.push(new AccountTokenController(manager, issueToken, caCertificate));
  if (certificateSigner) {
    controllers.push(
      new SigningController(manager, certificateSigner),
      new RequestCleaner(manager),
    );
  }
  if (mode === "on") controllers.push(...simulatedNodes(context));
  // Last, so that a controller still sees the deletion of its objects before their owner is
  // removed.
  controllers.push(new GarbageCollector(as("garbage-collector-controller")));
  const loop = new WorkLoop(controllers, manager, context.log);
  loop.start();
  return loop;
}

function simulatedNodes(context: ControllerContext): Controller[] {
  const kubelet = toolsOf(context, "kubelet");
  return [
    new NodeSimulator(kubelet, simulatedNodeNames(context.nodes ?? 1)),
    new PodScheduler(toolsOf(context, "kube-scheduler", "default-scheduler")),
    new VolumeProvisioner(toolsOf(context, "tsop-provisioner")),
    new VolumeResizer(toolsOf(context, "tsop-resizer", "external-resizer")),
    new Kubelet(kubelet, podTiming(context.podTiming ?? "instant")),
  ];
}
