/**
 * The provisioners of all StorageClasses, simulated: each claim that waits for one gets a made-up
 * volume.
 *
 * @see https://kubernetes.io/docs/concepts/storage/dynamic-provisioning/
 */
import type { StorageClass } from "../../builtin/kinds/storage/storage-class.ts";
import { dns1123SubdomainErrors } from "../../../kube/names.ts";
import { isAlreadyExists, StatusError } from "../../../kube/status.ts";
import type { PersistentVolumeClaim } from "../../builtin/shared/shapes.ts";
import { EventRecorder } from "../framework/event-recorder.ts";
import { CLAIMS, VOLUMES } from "../../builtin/tokens.ts";
import {
  PROVISIONED_BY,
  PROVISIONERS,
  claimReference,
  isBindComplete,
  isDelayed,
  storageClassOf,
} from "./claims.ts";
import { storageOf } from "./volume-matching.ts";
import { ObjectController, watch } from "../framework/controller.ts";
import { present } from "../../../present.ts";

const LONGEST_DRIVER_NAME = 63;

export class VolumeProvisioner extends ObjectController<PersistentVolumeClaim> {
  readonly name = "VolumeProvisioner";
  readonly resource = CLAIMS;
  readonly watches = [watch(CLAIMS)];
  readonly #recorders = new Map<string, EventRecorder>();

  protected async reconcile(claim: PersistentVolumeClaim): Promise<undefined> {
    if (claim.metadata.deletionTimestamp || claim.spec.volumeName) return;
    const { annotations = {}, uid = "" } = claim.metadata;
    const provisioner = PROVISIONERS.map((name) => annotations[name]).find(Boolean);
    if (provisioner === undefined || isBindComplete(claim)) return;
    const storage = storageClassOf(this.client, claim);
    if (storage?.provisioner !== provisioner || isDelayed(this.client, claim)) return;
    if (this.client.find(VOLUMES, { name: `pvc-${uid}` })) return;
    await this.#provision(claim, storage, provisioner);
  }

  async #provision(
    claim: PersistentVolumeClaim,
    storage: StorageClass,
    provisioner: string,
  ): Promise<void> {
    const { namespace = "", name = "", uid = "" } = claim.metadata;
    let events = this.#recorders.get(provisioner);
    if (!events) {
      events = new EventRecorder(this.client, this.clock, provisioner);
      this.#recorders.set(provisioner, events);
    }
    const begun = `External provisioner is provisioning volume for claim "${namespace}/${name}"`;
    await events.record(claim, "Normal", "Provisioning", begun);
    const volume = {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: { name: `pvc-${uid}`, annotations: { [PROVISIONED_BY]: provisioner } },
      spec: {
        capacity: { storage: storageOf(claim.spec.resources?.requests) },
        accessModes: claim.spec.accessModes ?? [],
        storageClassName: storage.metadata.name ?? "",
        volumeMode: claim.spec.volumeMode ?? "Filesystem",
        persistentVolumeReclaimPolicy: storage.reclaimPolicy ?? "Delete",
        ...present({
          mountOptions: storage.mountOptions,
          volumeAttributesClassName: claim.spec.volumeAttributesClassName,
        }),
        claimRef: claimReference(claim),
        ...sourceOf(provisioner, uid),
      },
    };
    try {
      await this.client.create(VOLUMES, volume);
    } catch (thrown) {
      if (isAlreadyExists(thrown)) return;
      if (!(thrown instanceof StatusError)) throw thrown;
      const message = `failed to provision volume with StorageClass "${storage.metadata.name ?? ""}": ${thrown.message}`;
      await events.record(claim, "Warning", "ProvisioningFailed", message);
      return;
    }
    const message = `Successfully provisioned volume pvc-${uid}`;
    await events.record(claim, "Normal", "ProvisioningSucceeded", message);
  }
}

/** The source of a volume: CSI for a provisioner whose name a CSI driver may have, a folder on the node for others. */
function sourceOf(provisioner: string, uid: string): object {
  const isDriver =
    provisioner.length <= LONGEST_DRIVER_NAME && dns1123SubdomainErrors(provisioner).length === 0;
  return isDriver
    ? { csi: { driver: provisioner, volumeHandle: uid } }
    : { hostPath: { path: `/var/lib/volumes/pvc-${uid}`, type: "DirectoryOrCreate" } };
}
