/**
 * The claims of a pod as the scheduler sees them: those that forbid a node, and those that wait for
 * the choice of one.
 *
 * @see https://kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode
 */
import type { SentObject } from "../../../kube/object.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { PersistentVolumeClaim } from "../../builtin/shared/shapes.ts";
import { classOf } from "../../builtin/kinds/core/persistent-volume-claim.ts";
import { claimNameOf } from "./claims.ts";
import type { ControllerClient } from "../client.ts";
import { CLAIMS, STORAGE_CLASSES, VOLUMES } from "../../builtin/tokens.ts";
import { BIND_COMPLETED, NO_PROVISIONER, SELECTED_NODE } from "./volume-annotations.ts";
import { bestVolumeFor } from "./volume-matching.ts";

/** The scheduler's view of the claims of a pod. */
export type SchedulingClaims =
  | { readonly problem: string }
  | {
      /** Claims that are bound once a node is chosen. */
      readonly delayed: readonly PersistentVolumeClaim[];
      /** Whether one of those can never be bound: no volume fits, and there is no provisioner. */
      readonly unavailable: boolean;
    };

/** The claims of a pod, or the problem, in upstream's words, where one forbids every node. */
export function claimsForScheduling(client: ControllerClient, pod: Pod): SchedulingClaims {
  const { namespace = "" } = pod.metadata;
  const unbound: PersistentVolumeClaim[] = [];
  for (const volume of pod.spec.volumes ?? []) {
    const name = claimNameOf(pod, volume);
    if (name === undefined) continue;
    const claim = client.find(CLAIMS, { namespace, name });
    const quoted = JSON.stringify(name);
    if (!claim) {
      return volume.ephemeral
        ? {
            problem: `waiting for ephemeral volume controller to create the persistentvolumeclaim ${quoted}`,
          }
        : { problem: `persistentvolumeclaim ${quoted} not found` };
    }
    if (claim.status?.phase === "Lost") {
      const lost = JSON.stringify(claim.spec.volumeName ?? "");
      return {
        problem: `persistentvolumeclaim ${quoted} bound to non-existent persistentvolume ${lost}`,
      };
    }
    if (claim.metadata.deletionTimestamp) {
      return { problem: `persistentvolumeclaim ${quoted} is being deleted` };
    }
    if (!claim.spec.volumeName || claim.metadata.annotations?.[BIND_COMPLETED] === undefined) {
      unbound.push(claim);
    }
  }
  if (unbound.some((claim) => claim.spec.volumeName || !isDelayed(client, claim))) {
    return { problem: "pod has unbound immediate PersistentVolumeClaims" };
  }
  return { delayed: unbound, unavailable: unbound.some((claim) => !canBeBound(client, claim)) };
}

const storageClassOf = (
  client: ControllerClient,
  claim: PersistentVolumeClaim,
): (SentObject & { provisioner?: string; volumeBindingMode?: string }) | undefined => {
  const name = classOf(claim) ?? "";
  return name === "" ? undefined : client.find(STORAGE_CLASSES, { name });
};

const isDelayed = (client: ControllerClient, claim: PersistentVolumeClaim): boolean =>
  storageClassOf(client, claim)?.volumeBindingMode === "WaitForFirstConsumer";

function canBeBound(client: ControllerClient, claim: PersistentVolumeClaim): boolean {
  if (storageClassOf(client, claim)?.provisioner !== NO_PROVISIONER) return true;
  const volumes = client.list(VOLUMES);
  return bestVolumeFor(claim, volumes, false) !== undefined;
}

/** Sets the chosen node on the claims, so that the binder continues. */
export async function chooseNodeForClaims(
  client: ControllerClient,
  claims: readonly PersistentVolumeClaim[],
  node: string,
): Promise<void> {
  for (const { metadata } of claims) {
    const { namespace = "", name = "" } = metadata;
    if (metadata.annotations?.[SELECTED_NODE] !== undefined) continue;
    const patch = { metadata: { annotations: { [SELECTED_NODE]: node } } };
    await client.patch(CLAIMS, { namespace, name }, patch);
  }
}
