/** The simulated controllers, and the names under which they write. */
import { RequestCleaner } from "./certificates/request-cleaner.ts";
import { SigningController } from "./certificates/signing-controller.ts";
import { CronJobController } from "./cron-job-controller.ts";
import { ClaimProtectionController } from "./volumes/claim-protection-controller.ts";
import { DaemonSetController } from "./daemon/daemon-set-controller.ts";
import { EphemeralClaimController } from "./volumes/ephemeral-claim-controller.ts";
import { NodeTaintController } from "./nodes/node-taint-controller.ts";
import { StatefulSetController } from "./stateful/stateful-set-controller.ts";
import { AccountTokenController } from "./account-token-controller.ts";
import { AttributesClassProtectionController } from "./volumes/attributes-class-protection-controller.ts";
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
import type { ControllerContext } from "./client.ts";
import { DeploymentController } from "./deployment/deployment-controller.ts";
import { EndpointSliceController } from "./endpoints/endpoint-slice-controller.ts";
import { EndpointsController } from "./endpoints/endpoints-controller.ts";
import { EventRecorder } from "./event-recorder.ts";
import { GarbageCollector } from "./garbage-collector.ts";
import { REPLICATION_CONTROLLERS, REPLICA_SETS } from "../builtin/tokens.ts";
import { NamespaceContentController } from "./namespaces/namespace-content-controller.ts";
import { NamespaceDeletionController } from "./namespaces/namespace-deletion-controller.ts";
import { NodeSimulator, simulatedNodeNames } from "./nodes/node-simulator.ts";
import { PodGarbageController } from "./pods/pod-garbage-controller.ts";
import { PolicyStatusController } from "./policy-status-controller.ts";
import { Kubelet } from "./kubelet/kubelet.ts";
import { PodScheduler } from "./pods/pod-scheduler.ts";
import { ReplicaSetController } from "./replica-set-controller.ts";
import { type Controller, WorkLoop } from "./work-loop.ts";

/** Running controllers. */
export interface RunningControllers {
  /** Resolves when no key is in line or in hand. Keys that wait for the clock do not count. */
  settle(): Promise<void>;
  stop(): void;
}

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
  const { clock } = context;
  const client = context.clientFor("kube-controller-manager");
  const events = (component: string): EventRecorder => new EventRecorder(client, clock, component);
  const controllers: Controller[] = [
    new NamespaceContentController(client, context.caCertificate ?? ""),
    new NamespaceDeletionController(client, clock),
    new DeploymentController(client, events("deployment-controller"), clock),
    new ReplicaSetController(
      { apiVersion: "apps/v1", kind: "ReplicaSet", resource: REPLICA_SETS },
      client,
      events("replicaset-controller"),
      clock,
    ),
    new ReplicaSetController(
      { apiVersion: "v1", kind: "ReplicationController", resource: REPLICATION_CONTROLLERS },
      client,
      events("replication-controller"),
      clock,
    ),
    new JobController(client, events("job-controller"), clock),
    new CronJobController(client, events("cronjob-controller"), clock),
    new TtlController(client, clock),
    new StatefulSetController(client, events("statefulset-controller"), clock),
    new DaemonSetController(client, events("daemonset-controller"), clock),
    new PodGarbageController(client, clock),
    new NodeTaintController(client, events("taint-eviction-controller"), clock),
    new ClaimProtectionController(client),
    new AttributesClassProtectionController(client),
    new EphemeralClaimController(client),
    new VolumeBinder(client, events("persistentvolume-controller")),
    new VolumePhaseController(client, events("persistentvolume-controller"), mode === "on"),
    new ResourceQuotaController(client),
    new DisruptionBudgetController(client, events("controllermanager"), clock),
    new AutoscalerController(client, events("horizontal-pod-autoscaler"), clock),
    new ClusterRoleAggregationController(context.clientFor("clusterrole-aggregation-controller")),
    new EndpointMirrorController(client),
    new EndpointSliceController(client, events("endpoint-slice-controller")),
    new EndpointsController(client, events("endpoint-controller")),
  ];
  const { checkPolicyTypes } = context;
  if (checkPolicyTypes) {
    const name = "validatingadmissionpolicy-status";
    controllers.push(new PolicyStatusController(context.clientFor(name), checkPolicyTypes));
  }
  const { issueToken, caCertificate = "" } = context;
  if (issueToken) {
    controllers.push(new AccountTokenController(client, issueToken, caCertificate));
  }
  const { certificateSigner } = context;
  if (certificateSigner) {
    controllers.push(
      new SigningController(client, certificateSigner, clock),
      new RequestCleaner(client, clock),
    );
  }
  if (mode === "on") controllers.push(...simulatedNodes(context));
  // Last, so that a controller still sees the deletion of its objects before their owner is
  // removed.
  controllers.push(new GarbageCollector(client, events("garbage-collector-controller")));
  const loop = new WorkLoop(controllers, client, clock, context.log);
  loop.start();
  return { settle: () => loop.settle(), stop: () => loop.stop() };
}

function simulatedNodes(context: ControllerContext): Controller[] {
  const { clock } = context;
  const kubelet = context.clientFor("kubelet");
  const scheduler = context.clientFor("kube-scheduler");
  return [
    new NodeSimulator(kubelet, clock, simulatedNodeNames(context.nodes ?? 1)),
    new PodScheduler(scheduler, new EventRecorder(scheduler, clock, "default-scheduler"), clock),
    new VolumeProvisioner(context.clientFor("tsop-provisioner"), clock),
    new VolumeResizer(context.clientFor("tsop-resizer"), clock),
    new Kubelet(kubelet, new EventRecorder(kubelet, clock, "kubelet"), clock),
  ];
}
