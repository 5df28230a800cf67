/**
 * Claims and volumes: a claim is bound to the smallest volume that fits, or an event says what it
 * waits for.
 *
 * @see https://kubernetes.io/docs/concepts/storage/persistent-volumes/
 */
import type { SentObject } from "../../../kube/object.ts";
import type { StorageClass } from "../../builtin/kinds/storage/storage-class.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../../builtin/shared/shapes.ts";
import { classOf, defaultClassOf } from "../../builtin/kinds/core/persistent-volume-claim.ts";
import { claimReference, usedClaims, usersOf } from "./claims.ts";
import { textOf } from "../keys.ts";
import { CLAIMS, PODS, STORAGE_CLASSES, VOLUMES } from "../../builtin/tokens.ts";
import {
  BIND_COMPLETED,
  BOUND_BY,
  NO_PROVISIONER,
  PROVISIONERS,
  SELECTED_NODE,
} from "./volume-annotations.ts";
import { bestVolumeFor, isBoundTo, mismatchOf } from "./volume-matching.ts";
import { ObjectController, watch } from "../controller.ts";
import { present } from "../../../present.ts";

/** Binds claims to volumes. */
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
      const isBound = claim.metadata.annotations?.[BIND_COMPLETED] !== undefined;
      if (isBound ? isLost && volumeName === name : !volumeName || volumeName === name) {
        yield textOf(claim);
      }
    }
  }

  protected async reconcile(claim: PersistentVolumeClaim): Promise<undefined> {
    if (claim.metadata.deletionTimestamp) return;
    if (claim.metadata.annotations?.[BIND_COMPLETED] !== undefined) await this.#keep(claim);
    else if (claim.spec.volumeName) await this.#take(claim, claim.spec.volumeName);
    else {
      const volumes = this.client.list(VOLUMES);
      const volume = bestVolumeFor(claim, volumes, this.#isDelayed(claim));
      if (volume) await this.#bind(claim, volume);
      else await this.#wait(claim);
    }
  }

  /** Keeps a bound claim bound, or marks it lost when its volume is gone. */
  async #keep(claim: PersistentVolumeClaim): Promise<void> {
    const { volumeName } = claim.spec;
    const lose = async (reason: string, message: string): Promise<void> => {
      if (claim.status?.phase === "Lost") return;
      const status = { phase: "Lost", accessModes: null, capacity: null };
      await this.client.patch(CLAIMS, claim.metadata, { status }, "status");
      await this.events.record(claim, "Warning", reason, message);
    };
    const lost = (what: string): string =>
      `Bound claim has lost ${what}. Data on the volume is lost!`;
    if (!volumeName) {
      await lose("ClaimLost", lost("reference to PersistentVolume"));
      return;
    }
    const volume = this.client.find(VOLUMES, { name: volumeName });
    if (!volume) await lose("ClaimLost", lost("its PersistentVolume"));
    else if (!volume.spec.claimRef || volume.spec.claimRef.uid === claim.metadata.uid) {
      await this.#bind(claim, volume);
    } else {
      const message = "Two claims are bound to the same volume, this one is bound incorrectly";
      await lose("ClaimMisbound", message);
    }
  }

  /** Binds a claim that names its volume, to that one or none. */
  async #take(claim: PersistentVolumeClaim, name: string): Promise<void> {
    const volume = this.client.find(VOLUMES, { name });
    if (!volume) return;
    const quoted = JSON.stringify(name);
    if (volume.spec.claimRef && !isBoundTo(volume, claim)) {
      const message = `volume ${quoted} already bound to a different claim.`;
      await this.events.record(claim, "Warning", "FailedBinding", message);
      return;
    }
    const mismatch = volume.spec.claimRef ? undefined : mismatchOf(volume, claim);
    if (mismatch === undefined) await this.#bind(claim, volume);
    else {
      const message = `Cannot bind to requested volume ${quoted}: ${mismatch}`;
      await this.events.record(claim, "Warning", "VolumeMismatch", message);
    }
  }

  /** Whether the claim waits for a pod, and for the scheduler to choose a node. */
  #isDelayed(claim: PersistentVolumeClaim): boolean {
    if (claim.metadata.annotations?.[SELECTED_NODE] !== undefined) return false;
    return this.#classNamed(classOf(claim) ?? "")?.volumeBindingMode === "WaitForFirstConsumer";
  }

  #classNamed(name: string): StorageClass | undefined {
    return name === "" ? undefined : this.client.find(STORAGE_CLASSES, { name });
  }

  async #bind(claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> {
    const volumeName = volume.metadata.name ?? "";
    if (volume.spec.claimRef?.uid !== claim.metadata.uid) {
      const annotations = isBoundTo(volume, claim) ? {} : { annotations: { [BOUND_BY]: "yes" } };
      const patch = { metadata: annotations, spec: { claimRef: claimReference(claim) } };
      await this.client.patch(VOLUMES, volume.metadata, patch);
    }
    if (volume.status?.phase !== "Bound") {
      const status = { phase: "Bound", message: null };
      await this.client.patch(VOLUMES, volume.metadata, { status }, "status");
    }
    if (claim.metadata.annotations?.[BIND_COMPLETED] === undefined) {
      const annotations = {
        [BIND_COMPLETED]: "yes",
        ...(claim.spec.volumeName ? {} : { [BOUND_BY]: "yes" }),
      };
      const patch = { metadata: { annotations }, spec: { volumeName } };
      await this.client.patch(CLAIMS, claim.metadata, patch);
    }
    if (claim.status?.phase === "Bound") return;
    const { accessModes, capacity, volumeAttributesClassName: attributes } = volume.spec;
    const status = {
      phase: "Bound",
      accessModes,
      capacity,
      ...present({ currentVolumeAttributesClassName: attributes }),
    };
    await this.client.patch(CLAIMS, claim.metadata, { status }, "status");
  }

  /** Records what a claim waits for. */
  async #wait(claim: PersistentVolumeClaim): Promise<void> {
    const storageClassName =
      classOf(claim) ?? defaultClassOf(this.client.list(STORAGE_CLASSES)) ?? "";
    const tell = (type: "Normal" | "Warning", reason: string, message: string): Promise<void> =>
      this.events.record(claim, type, reason, message);
    if (storageClassName === "") {
      const message = "no persistent volumes available for this claim and no storage class is set";
      await tell("Normal", "FailedBinding", message);
      return;
    }
    if (classOf(claim) === undefined) {
      await this.client.patch(CLAIMS, claim.metadata, { spec: { storageClassName } });
      return;
    }
    const found = this.#classNamed(storageClassName);
    if (!found) {
      const message = `storageclass.storage.k8s.io "${storageClassName}" not found`;
      await tell("Warning", "ProvisioningFailed", message);
      return;
    }
    if (this.#isDelayed(claim)) {
      await tell("Normal", ...waitOf(usersOf(this.client, claim.metadata)));
      return;
    }
    if (found.provisioner === NO_PROVISIONER) {
      const message = `no volume plugin matched name: ${NO_PROVISIONER}`;
      await tell("Warning", "ProvisioningFailed", message);
      return;
    }
    const provisioner = found.provisioner ?? "";
    if (claim.metadata.annotations?.[PROVISIONERS[0] ?? ""] !== provisioner) {
      const annotations = Object.fromEntries(PROVISIONERS.map((key) => [key, provisioner]));
      await this.client.patch(CLAIMS, claim.metadata, { metadata: { annotations } });
    }
    await tell(
      "Normal",
      "ExternalProvisioning",
      `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`,
    );
  }
}

/** The event of a claim that waits for its pod. */
function waitOf(users: readonly Pod[]): [reason: string, message: string] {
  const waiting = users
    .filter(({ spec }) => !spec.nodeName)
    .map(({ metadata }) => metadata.name ?? "")
    .sort();
  if (waiting.length === 0) {
    const message = "waiting for first consumer to be created before binding";
    return ["WaitForFirstConsumer", message];
  }
  const what = `pod${waiting.length > 1 ? "s" : ""} ${waiting.join(",")}`;
  return ["WaitForPodScheduled", `waiting for ${what} to be scheduled`];
}
