/**
 * Claims and volumes: a claim is bound to the smallest volume that fits, or an event says what it
 * waits for.
 *
 * @see https://kubernetes.io/docs/concepts/storage/persistent-volumes/
 */
import type { SentObject } from "../../../kube/object.ts";
import { present } from "../../../present.ts";
import { classOf, defaultClassOf } from "../../builtin/kinds/core/persistent-volume-claim.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../builtin/shared/shapes.ts";
import { CLAIMS, PODS, STORAGE_CLASSES, VOLUMES } from "../../builtin/tokens.ts";
import { ObjectController, watch } from "../framework/controller.ts";
import { textOf } from "../framework/keys.ts";
import {
  BIND_COMPLETED,
  BOUND_BY,
  NO_PROVISIONER,
  PROVISIONERS,
  claimReference,
  isBindComplete,
  isDelayed,
  storageClassOf,
  usedClaims,
  usersOf,
} from "./claims.ts";
import { bestVolumeFor, isBoundTo, mismatchOf } from "./volume-matching.ts";

export class VolumeBinder extends ObjectController<PersistentVolumeClaim> {
  readonly name = "VolumeBinder";
  readonly resource = CLAIMS;
  readonly watches = [
    watch(CLAIMS),
    watch(VOLUMES, ({ type, object }) => this.#claimsFor(object, type === "DELETED")),
    watch(STORAGE_CLASSES, ({ object }) => this.#claimsFor(object, false)),
    watch(PODS, usedClaims),
  ];

  /** The claims that a volume or a class may serve, and those that lost their volume. */
  *#claimsFor({ metadata: { name } }: SentObject, isLost: boolean): Iterable<string> {
    for (const claim of this.client.list(CLAIMS)) {
      const { volumeName } = claim.spec;
      const isConcerned = isBindComplete(claim)
        ? isLost && volumeName === name
        : !volumeName || volumeName === name;
      if (isConcerned) yield textOf(claim);
    }
  }

  protected async reconcile(claim: PersistentVolumeClaim): Promise<undefined> {
    if (claim.metadata.deletionTimestamp) return;
    if (isBindComplete(claim)) await this.#keep(claim);
    else if (claim.spec.volumeName) await this.#take(claim, claim.spec.volumeName);
    else {
      const volumes = this.client.list(VOLUMES);
      const volume = bestVolumeFor(claim, volumes, isDelayed(this.client, claim));
      await (volume ? this.#bind(claim, volume) : this.#wait(claim));
    }
  }

  /** Keeps a bound claim bound, or marks it lost when its volume is gone. */
  async #keep(claim: PersistentVolumeClaim): Promise<void> {
    const { volumeName: name } = claim.spec;
    const volume = name ? this.client.find(VOLUMES, { name }) : undefined;
    const { claimRef } = volume?.spec ?? {};
    if (volume && (!claimRef || claimRef.uid === claim.metadata.uid)) {
      await this.#bind(claim, volume);
      return;
    }
    if (claim.status?.phase === "Lost") return;
    const status = { phase: "Lost", accessModes: null, capacity: null };
    await this.client.patch(CLAIMS, claim.metadata, { status }, "status");
    const lost = name ? "its PersistentVolume" : "reference to PersistentVolume";
    const message = volume
      ? "Two claims are bound to the same volume, this one is bound incorrectly"
      : `Bound claim has lost ${lost}. Data on the volume is lost!`;
    await this.events.record(claim, "Warning", volume ? "ClaimMisbound" : "ClaimLost", message);
  }

  /** Binds a claim that names its volume, to that one or none. */
  async #take(claim: PersistentVolumeClaim, name: string): Promise<void> {
    const volume = this.client.find(VOLUMES, { name });
    if (!volume) return;
    const quoted = JSON.stringify(name);
    const { claimRef } = volume.spec;
    if (claimRef && !isBoundTo(volume, claim)) {
      const message = `volume ${quoted} already bound to a different claim.`;
      await this.events.record(claim, "Warning", "FailedBinding", message);
      return;
    }
    const mismatch = claimRef ? undefined : mismatchOf(volume, claim);
    if (mismatch === undefined) await this.#bind(claim, volume);
    else {
      const message = `Cannot bind to requested volume ${quoted}: ${mismatch}`;
      await this.events.record(claim, "Warning", "VolumeMismatch", message);
    }
  }

  async #bind(claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> {
    const volumeName = volume.metadata.name ?? "";
    if (volume.spec.claimRef?.uid !== claim.metadata.uid) {
      const metadata = isBoundTo(volume, claim) ? {} : { annotations: { [BOUND_BY]: "yes" } };
      const patch = { metadata, spec: { claimRef: claimReference(claim) } };
      await this.client.patch(VOLUMES, volume.metadata, patch);
    }
    if (volume.status?.phase !== "Bound") {
      const status = { phase: "Bound", message: null };
      await this.client.patch(VOLUMES, volume.metadata, { status }, "status");
    }
    if (!isBindComplete(claim)) {
      const chosen = claim.spec.volumeName ? {} : { [BOUND_BY]: "yes" };
      const annotations = { [BIND_COMPLETED]: "yes", ...chosen };
      const patch = { metadata: { annotations }, spec: { volumeName } };
      await this.client.patch(CLAIMS, claim.metadata, patch);
    }
    if (claim.status?.phase === "Bound") return;
    const { accessModes, capacity, volumeAttributesClassName } = volume.spec;
    const current = present({ currentVolumeAttributesClassName: volumeAttributesClassName });
    const status = { phase: "Bound", accessModes, capacity, ...current };
    await this.client.patch(CLAIMS, claim.metadata, { status }, "status");
  }

  /** Records what a claim waits for. */
  async #wait(claim: PersistentVolumeClaim): Promise<void> {
    const tell = (type: "Normal" | "Warning", reason: string, message: string): Promise<void> =>
      this.events.record(claim, type, reason, message);
    const storageClassName =
      classOf(claim) ?? defaultClassOf(this.client.list(STORAGE_CLASSES)) ?? "";
    if (storageClassName === "") {
      const message = "no persistent volumes available for this claim and no storage class is set";
      return tell("Normal", "FailedBinding", message);
    }
    if (classOf(claim) === undefined) {
      await this.client.patch(CLAIMS, claim.metadata, { spec: { storageClassName } });
      return;
    }
    const storage = storageClassOf(this.client, claim);
    if (!storage) {
      const message = `storageclass.storage.k8s.io "${storageClassName}" not found`;
      return tell("Warning", "ProvisioningFailed", message);
    }
    if (isDelayed(this.client, claim)) {
      return tell("Normal", ...waitOf(usersOf(this.client, claim.metadata)));
    }
    const { provisioner = "" } = storage;
    if (provisioner === NO_PROVISIONER) {
      const message = `no volume plugin matched name: ${NO_PROVISIONER}`;
      return tell("Warning", "ProvisioningFailed", message);
    }
    if (claim.metadata.annotations?.[PROVISIONERS[0] ?? ""] !== provisioner) {
      const annotations = Object.fromEntries(PROVISIONERS.map((key) => [key, provisioner]));
      await this.client.patch(CLAIMS, claim.metadata, { metadata: { annotations } });
    }
    const message = `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`;
    await tell("Normal", "ExternalProvisioning", message);
  }
}

/** The event of a claim that waits for its pod. */
function waitOf(users: readonly Pod[]): [reason: string, message: string] {
  const names = users
    .filter(({ spec }) => !spec.nodeName)
    .map(({ metadata }) => metadata.name ?? "")
    .sort();
  if (names.length === 0) {
    return ["WaitForFirstConsumer", "waiting for first consumer to be created before binding"];
  }
  const what = `pod${names.length > 1 ? "s" : ""} ${names.join(",")}`;
  return ["WaitForPodScheduled", `waiting for ${what} to be scheduled`];
}
