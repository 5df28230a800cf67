/**
 * The claims of a pod as the scheduler sees them: those that forbid a node, and those that wait for
 * the choice of one.
 *
 * @see https://kubernetes.io/docs/concepts/storage/storage-classes/#volume-binding-mode
 */
import type { Node } from "../../builtin/kinds/core/node.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../builtin/shared/shapes.ts";
import { CLAIMS, VOLUMES } from "../../builtin/tokens.ts";
import type { ControllerClient } from "../framework/client.ts";
import {
  BOUND_BY,
  NO_PROVISIONER,
  SELECTED_NODE,
  bindsLate,
  claimNameOf,
  claimReference,
  isBindComplete,
  storageClassOf,
  usersOf,
} from "../volumes/claims.ts";
import { bestVolumeFor, isBoundTo } from "../volumes/volume-matching.ts";
import { isNodeOf } from "./pod-scheduling.ts";

/** A claim that is bound, and its volume unless that is gone. */
interface BoundClaim {
  readonly claim: PersistentVolumeClaim;
  readonly volume: PersistentVolume | undefined;
}

/** The scheduler's view of the claims of a pod. */
export interface SchedulingClaims {
  readonly bound: readonly BoundClaim[];
  /** Claims that are bound once a node is chosen. */
  readonly delayed: readonly PersistentVolumeClaim[];
}

/** The claims of a pod, or the problem, in upstream's words, where one forbids every node. */
export function claimsForScheduling(
  client: ControllerClient,
  pod: Pod,
): SchedulingClaims | { readonly problem: string } {
  const { namespace = "" } = pod.metadata;
  const bound: BoundClaim[] = [];
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
    else bound.push({ claim, volume: client.find(VOLUMES, { name: volumeName }) });
  }
  const isLate = (claim: PersistentVolumeClaim): boolean =>
    !claim.spec.volumeName && bindsLate(storageClassOf(client, claim));
  if (!delayed.every(isLate)) {
    return { problem: "pod has unbound immediate PersistentVolumeClaims" };
  }
  return { bound, delayed };
}

/** The problems of the volumes of a pod on a node, in upstream's words. */
export function volumeProblems(
  client: ControllerClient,
  { bound, delayed }: SchedulingClaims,
  node: Node,
): string[] {
  const problems: string[] = [];
  if (bound.some(({ volume }) => volume && !isReachable(volume, node))) {
    problems.push("node(s) didn't match PersistentVolume's node affinity");
  }
  const isUnavailable = (claim: PersistentVolumeClaim): boolean =>
    storageClassOf(client, claim)?.provisioner === NO_PROVISIONER && !volumeOn(client, claim, node);
  if (delayed.some(isUnavailable)) {
    problems.push("node(s) didn't find available persistent volumes to bind");
  }
  if (bound.some(({ volume }) => !volume)) {
    problems.push("node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)");
  }
  return problems;
}

/** Whether another pod that runs uses a claim that only one pod may use. */
export function isClaimTaken(
  client: ControllerClient,
  pod: Pod,
  { bound, delayed }: SchedulingClaims,
  isHere: (other: Pod) => boolean,
): boolean {
  const claims = [...bound.map(({ claim }) => claim), ...delayed];
  return claims
    .filter(({ spec }) => spec.accessModes?.includes("ReadWriteOncePod"))
    .flatMap(({ metadata }) => usersOf(client, metadata))
    .some((other) => other.metadata.uid !== pod.metadata.uid && isHere(other));
}

const isReachable = ({ spec }: PersistentVolume, node: Node): boolean =>
  spec.nodeAffinity?.required?.nodeSelectorTerms?.some((term) => isNodeOf(term, node)) ?? true;

const volumeOn = (
  client: ControllerClient,
  claim: PersistentVolumeClaim,
  node: Node,
): PersistentVolume | undefined =>
  bestVolumeFor(
    claim,
    client.list(VOLUMES).filter((volume) => isReachable(volume, node)),
    false,
  );

/** Reserves volumes of the chosen node for the claims, or has new ones made there; the binder continues. */
export async function chooseNodeForClaims(
  client: ControllerClient,
  claims: readonly PersistentVolumeClaim[],
  node: Node,
): Promise<void> {
  for (const claim of claims) {
    const { metadata } = claim;
    if (metadata.annotations?.[SELECTED_NODE] !== undefined) continue;
    const volume = volumeOn(client, claim, node);
    if (!volume) {
      const annotations = { [SELECTED_NODE]: node.metadata.name };
      await client.patch(CLAIMS, metadata, { metadata: { annotations } });
    } else if (!isBoundTo(volume, claim)) {
      await client.patch(VOLUMES, volume.metadata, {
        metadata: { annotations: { [BOUND_BY]: "yes" } },
        spec: { claimRef: claimReference(claim) },
      });
    }
  }
}
