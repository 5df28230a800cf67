/**
 * The claims of a pod as the scheduler sees them: those that forbid a node, and those that wait for
 * the choice of one.
 *
 * @see https://kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode
 */
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { PersistentVolumeClaim } from "../../builtin/shared/shapes.ts";
import { CLAIMS, VOLUMES } from "../../builtin/tokens.ts";
import type { ControllerClient } from "../framework/client.ts";
import {
  NO_PROVISIONER,
  SELECTED_NODE,
  bindsLate,
  claimNameOf,
  isBindComplete,
  storageClassOf,
} from "../volumes/claims.ts";
import { bestVolumeFor } from "../volumes/volume-matching.ts";

/** The scheduler's view of the claims of a pod. */
type SchedulingClaims =
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
  const delayed: PersistentVolumeClaim[] = [];
  for (const volume of pod.spec.volumes ?? []) {
    const name = claimNameOf(pod, volume);
    if (name === undefined) continue;
    const claim = client.find(CLAIMS, { namespace, name });
    const quoted = JSON.stringify(name);
    if (!claim) {
      const problem = volume.ephemeral
        ? `waiting for ephemeral volume controller to create the persistentvolumeclaim ${quoted}`
        : `persistentvolumeclaim ${quoted} not found`;
      return { problem };
    }
    const { volumeName = "" } = claim.spec;
    if (claim.status?.phase === "Lost") {
      const lost = JSON.stringify(volumeName);
      const problem = `persistentvolumeclaim ${quoted} bound to non-existent persistentvolume ${lost}`;
      return { problem };
    }
    if (claim.metadata.deletionTimestamp) {
      return { problem: `persistentvolumeclaim ${quoted} is being deleted` };
    }
    if (volumeName === "" || !isBindComplete(claim)) delayed.push(claim);
  }
  const isLate = (claim: PersistentVolumeClaim): boolean =>
    !claim.spec.volumeName && bindsLate(storageClassOf(client, claim));
  if (!delayed.every(isLate)) {
    return { problem: "pod has unbound immediate PersistentVolumeClaims" };
  }
  const isUnavailable = (claim: PersistentVolumeClaim): boolean =>
    storageClassOf(client, claim)?.provisioner === NO_PROVISIONER &&
    !bestVolumeFor(claim, client.list(VOLUMES), false);
  return { delayed, unavailable: delayed.some(isUnavailable) };
}

/** Sets the chosen node on the claims, so that the binder continues. */
export async function chooseNodeForClaims(
  client: ControllerClient,
  claims: readonly PersistentVolumeClaim[],
  node: string,
): Promise<void> {
  for (const { metadata } of claims) {
    if (metadata.annotations?.[SELECTED_NODE] !== undefined) continue;
    const patch = { metadata: { annotations: { [SELECTED_NODE]: node } } };
    await client.patch(CLAIMS, metadata, patch);
  }
}
