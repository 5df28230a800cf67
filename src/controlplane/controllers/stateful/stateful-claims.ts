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
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { PersistentVolumeClaim } from "../../builtin/shared/shapes.ts";
import type { StatefulSet } from "../../builtin/kinds/apps/stateful-set.ts";
import type { Tools } from "../controller.ts";
import { CLAIMS, PODS } from "../../builtin/tokens.ts";
import { type OwnerKind, controllerReference } from "../ownership.ts";
import { KIND, claimsFor, isInRange, ordinalOf } from "./stateful-pods.ts";

const POD_KIND: OwnerKind = { apiVersion: "v1", kind: "Pod", resource: PODS };

/** Creates the claims of one set's pods and sets their owners. */
export class StatefulClaims {
  readonly #tools: Tools;

  constructor(tools: Tools) {
    this.#tools = tools;
  }

  /**
   * Creates the claims that a pod lacks.
   *
   * @throws Error when one cannot be created, or is being deleted
   */
  async create(set: StatefulSet, pod: Pod): Promise<void> {
    const failures: string[] = [];
    for (const claim of claimsFor(set, ordinalOf(set, pod))) {
      const { name = "" } = claim.metadata;
      const found = this.#find(set, name);
      if (found?.metadata.deletionTimestamp) failures.push(`pvc ${name} is being deleted`);
      if (found) continue;
      const about = `Claim ${name}`;
      const place = `Pod ${pod.metadata.name ?? ""} in StatefulSet ${set.metadata.name ?? ""}`;
      try {
        await this.#tools.client.create(CLAIMS, claim);
        const message = `Create ${about} ${place} success`;
        await this.#tools.events.record(set, "Normal", "SuccessfulCreate", message);
      } catch (thrown) {
        failures.push(`failed to create PVC ${name}: ${messageOf(thrown)}`);
        if (isAlreadyExists(thrown)) continue;
        const message = `Create ${about} for ${place} failed error: ${messageOf(thrown)}`;
        await this.#tools.events.record(set, "Warning", "FailedCreate", message);
      }
    }
    if (failures.length === 0) return;
    throw new Error(failures.length === 1 ? failures[0] : `[${failures.join(", ")}]`);
  }

  /**
   * Whether a claim of the pod to create still belongs to its predecessor, and is deleted with that
   * one.
   */
  isStale(set: StatefulSet, pod: Pod): boolean {
    if (policyOf(set).whenScaled !== "Delete") return false;
    return this.#claimsOf(set, pod).some((claim) => hasStaleReference(claim, pod, POD_KIND));
  }

  /** Whether the owners of a pod's claims are those of the policy. */
  areSettled(set: StatefulSet, pod: Pod): boolean {
    return this.#claimsOf(set, pod).every((claim) => isSettled(claim, set, pod));
  }

  /** Sets the owners of a pod's claims by the policy. */
  async settle(set: StatefulSet, pod: Pod): Promise<void> {
    for (const claim of this.#claimsOf(set, pod)) {
      const isConflicting = hasOtherController(claim, set, pod);
      if (isConflicting) {
        const message = `PersistentVolumeClaim ${claim.metadata.name ?? ""} has a conflicting OwnerReference that acts as a manging controller, the retention policy is ignored for this claim`;
        await this.#tools.events.record(set, "Warning", "ConflictingController", message);
      }
      if (isSettled(claim, set, pod)) continue;
      const others = (claim.metadata.ownerReferences ?? []).filter(
        (reference) => !names(reference, set, KIND) && !names(reference, pod, POD_KIND),
      );
      const owner = isConflicting ? undefined : wantedOwner(set, pod);
      const ownerReferences = owner ? [...others, owner] : others;
      const metadata = { ...claim.metadata, ownerReferences };
      await this.#tools.client.update(CLAIMS, { ...claim, metadata });
    }
  }

  #claimsOf(set: StatefulSet, pod: Pod): PersistentVolumeClaim[] {
    return claimsFor(set, ordinalOf(set, pod)).flatMap(
      ({ metadata }) => this.#find(set, metadata.name ?? "") ?? [],
    );
  }

  #find(set: StatefulSet, name: string): PersistentVolumeClaim | undefined {
    const key = { namespace: set.metadata.namespace ?? "", name };
    return this.#tools.client.find(CLAIMS, key);
  }
}

const policyOf = ({
  spec,
}: StatefulSet): NonNullable<StatefulSet["spec"]["persistentVolumeClaimRetentionPolicy"]> =>
  spec.persistentVolumeClaimRetentionPolicy ?? { whenDeleted: "Retain", whenScaled: "Retain" };

/** The owner that a claim of the pod should have. */
function wantedOwner(set: StatefulSet, pod: Pod): OwnerReference | undefined {
  const { whenDeleted, whenScaled } = policyOf(set);
  if (whenScaled === "Delete" && !isInRange(set, pod)) return controllerReference(pod, POD_KIND);
  return whenDeleted === "Delete" ? controllerReference(set, KIND) : undefined;
}

const names = (reference: OwnerReference, object: SentObject, kind: OwnerKind): boolean =>
  reference.apiVersion === kind.apiVersion &&
  reference.kind === kind.kind &&
  reference.name === object.metadata.name;

const referencesOf = (claim: PersistentVolumeClaim): readonly OwnerReference[] =>
  claim.metadata.ownerReferences ?? [];

/** Whether the claim has an owner of that name with another uid. */
function hasStaleReference(
  claim: PersistentVolumeClaim,
  object: SentObject,
  kind: OwnerKind,
): boolean {
  const found = referencesOf(claim).find((reference) => names(reference, object, kind));
  return found !== undefined && found.uid !== (object.metadata.uid ?? "");
}

const isOwnedBy = (claim: PersistentVolumeClaim, { metadata }: SentObject): boolean =>
  referencesOf(claim).some(({ uid }) => uid === (metadata.uid ?? ""));

/** Whether another object controls the claim; never where the policy retains everything. */
function hasOtherController(claim: PersistentVolumeClaim, set: StatefulSet, pod: Pod): boolean {
  const { whenDeleted, whenScaled } = policyOf(set);
  if (whenDeleted !== "Delete" && whenScaled !== "Delete") return false;
  return referencesOf(claim).some((reference) => {
    if (names(reference, set, KIND)) return reference.uid !== set.metadata.uid;
    if (names(reference, pod, POD_KIND)) return reference.uid !== (pod.metadata.uid ?? "");
    return reference.controller === true;
  });
}

/**
 * Whether the owners of a claim need no change: they are right, or not this controller's to set.
 */
function isSettled(claim: PersistentVolumeClaim, set: StatefulSet, pod: Pod): boolean {
  if (hasStaleReference(claim, set, KIND) || hasStaleReference(claim, pod, POD_KIND)) return true;
  const [ownedBySet, ownedByPod] = [isOwnedBy(claim, set), isOwnedBy(claim, pod)];
  if (hasOtherController(claim, set, pod)) return !ownedBySet && !ownedByPod;
  const own = [set.metadata.uid, pod.metadata.uid];
  if (referencesOf(claim).some(({ uid, controller }) => own.includes(uid) && controller !== true)) {
    return false;
  }
  const wanted = wantedOwner(set, pod)?.kind;
  return ownedBySet === (wanted === KIND.kind) && ownedByPod === (wanted === POD_KIND.kind);
}
