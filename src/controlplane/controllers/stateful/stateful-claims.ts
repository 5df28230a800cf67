/**
 * The claims of a StatefulSet's pods: made before the pod, and owned as the retention policy says.
 *
 * The owner of a claim decides when it is deleted: a claim of the set with the set, one of a pod
 * beyond the set's size with that pod.
 *
 * @see
 * https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#persistentvolumeclaim-retention
 */
import { messageOf } from "../../../errors.ts";
import type { SentObject, OwnerReference } from "../../../kube/object.ts";
import { isAlreadyExists } from "../../../kube/status.ts";
import { present } from "../../../present.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { PersistentVolumeClaim } from "../../builtin/shared/shapes.ts";
import type { StatefulSet } from "../../builtin/kinds/apps/stateful-set.ts";
import type { ControllerClient } from "../framework/client.ts";
import type { Tools } from "../framework/controller.ts";
import { CLAIMS } from "../../builtin/tokens.ts";
import { controllerReference } from "../framework/owner-references.ts";
import { claimName, isInRange } from "./stateful-pods.ts";

/** The claims of a pod, as they are to be created. */
function claimsFor(set: StatefulSet, pod: Pod): PersistentVolumeClaim[] {
  return (set.spec.volumeClaimTemplates ?? []).map((template) => {
    const { labels, annotations } = template.metadata;
    return {
      apiVersion: "v1",
      kind: "PersistentVolumeClaim",
      metadata: {
        name: claimName(set, template, pod),
        namespace: set.metadata.namespace ?? "",
        labels: { ...labels, ...set.spec.selector?.matchLabels },
        ...present({ annotations }),
      },
      spec: structuredClone(template.spec),
    };
  });
}

/** Creates the claims that a pod lacks. @throws Error when one cannot be created, or is being deleted */
export async function createClaims(
  { client, events }: Tools,
  set: StatefulSet,
  pod: Pod,
): Promise<void> {
  const failures: string[] = [];
  const place = `Pod ${pod.metadata.name ?? ""} in StatefulSet ${set.metadata.name ?? ""}`;
  for (const claim of claimsFor(set, pod)) {
    const { name = "" } = claim.metadata;
    const found = client.find(CLAIMS, claim.metadata);
    if (found?.metadata.deletionTimestamp) failures.push(`pvc ${name} is being deleted`);
    if (found) continue;
    try {
      await client.create(CLAIMS, claim);
      const message = `Create Claim ${name} ${place} success`;
      await events.record(set, "Normal", "SuccessfulCreate", message);
    } catch (thrown) {
      failures.push(`failed to create PVC ${name}: ${messageOf(thrown)}`);
      if (isAlreadyExists(thrown)) continue;
      const message = `Create Claim ${name} for ${place} failed error: ${messageOf(thrown)}`;
      await events.record(set, "Warning", "FailedCreate", message);
    }
  }
  if (failures.length === 0) return;
  throw new Error(failures.length === 1 ? failures[0] : `[${failures.join(", ")}]`);
}

/** Whether a claim of the pod to create still belongs to its predecessor, and is deleted with that one. */
export function hasStaleClaims(client: ControllerClient, set: StatefulSet, pod: Pod): boolean {
  if (policyOf(set).whenScaled !== "Delete") return false;
  return storedClaims(client, set, pod).some((claim) => hasStaleReference(claim, pod));
}

/** Whether the owners of a pod's claims are those of the policy. */
export function areClaimsSettled(client: ControllerClient, set: StatefulSet, pod: Pod): boolean {
  return storedClaims(client, set, pod).every((claim) => isSettled(claim, set, pod));
}

/** Sets the owners of a pod's claims by the policy. */
export async function settleClaims(
  { client, events }: Tools,
  set: StatefulSet,
  pod: Pod,
): Promise<void> {
  for (const claim of storedClaims(client, set, pod)) {
    if (hasOtherController(claim, set, pod)) {
      const message = `PersistentVolumeClaim ${claim.metadata.name ?? ""} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
      await events.record(set, "Warning", "ConflictingController", message);
    }
    if (isSettled(claim, set, pod)) continue;
    const owner = wantedOwner(claim, set, pod);
    const ownerReferences = [
      ...ownersOf(claim).filter((one) => !names(one, set) && !names(one, pod)),
      ...(owner ? [owner] : []),
    ];
    const metadata = { ...claim.metadata, ownerReferences };
    await client.update(CLAIMS, { ...claim, metadata });
  }
}

const storedClaims = (
  client: ControllerClient,
  set: StatefulSet,
  pod: Pod,
): PersistentVolumeClaim[] =>
  claimsFor(set, pod).flatMap(({ metadata }) => client.find(CLAIMS, metadata) ?? []);

const policyOf = ({ spec }: StatefulSet): { whenDeleted?: string; whenScaled?: string } =>
  spec.persistentVolumeClaimRetentionPolicy ?? {};

const ownersOf = ({ metadata }: PersistentVolumeClaim): readonly OwnerReference[] =>
  metadata.ownerReferences ?? [];

const names = (reference: OwnerReference, { apiVersion, kind, metadata }: SentObject): boolean =>
  reference.apiVersion === apiVersion &&
  reference.kind === kind &&
  reference.name === metadata.name;

/** Whether the claim has an owner of that name with another uid. */
function hasStaleReference(claim: PersistentVolumeClaim, object: SentObject): boolean {
  const found = ownersOf(claim).find((reference) => names(reference, object));
  return found !== undefined && found.uid !== object.metadata.uid;
}

/** The owner that the policy gives to a claim of the pod, unless another object controls it. */
function wantedOwner(
  claim: PersistentVolumeClaim,
  set: StatefulSet,
  pod: Pod,
): OwnerReference | undefined {
  const { whenDeleted, whenScaled } = policyOf(set);
  if (hasOtherController(claim, set, pod)) return undefined;
  if (whenScaled === "Delete" && !isInRange(set, pod)) return controllerReference(pod);
  return whenDeleted === "Delete" ? controllerReference(set) : undefined;
}

/** Whether another object controls the claim; never where the policy retains everything. */
function hasOtherController(claim: PersistentVolumeClaim, set: StatefulSet, pod: Pod): boolean {
  const { whenDeleted, whenScaled } = policyOf(set);
  if (whenDeleted !== "Delete" && whenScaled !== "Delete") return false;
  return ownersOf(claim).some((reference) => {
    const own = [set, pod].find((object) => names(reference, object));
    return own ? reference.uid !== own.metadata.uid : reference.controller === true;
  });
}

/** Whether the owners of a claim need no change: they are right, or not this controller's to set. */
function isSettled(claim: PersistentVolumeClaim, set: StatefulSet, pod: Pod): boolean {
  if (hasStaleReference(claim, set) || hasStaleReference(claim, pod)) return true;
  const wanted = wantedOwner(claim, set, pod);
  const own = ownersOf(claim).filter(({ uid }) =>
    [set, pod].some((one) => one.metadata.uid === uid),
  );
  if (!wanted) return own.length === 0;
  return own.length > 0 && own.every((one) => one.uid === wanted.uid && one.controller === true);
}
