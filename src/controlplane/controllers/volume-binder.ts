/**
 * Claims and volumes: a claim takes the smallest volume that fits, or says what it waits for.
 *
 * Nothing is provisioned in truth. Where the nodes are simulated, a claim of a class without a fitting volume
 * gets one made up, as a provisioner would.
 *
 * @see https://kubernetes.io/docs/concepts/storage/persistent-volumes/
 * @module
 */
import type { KubeObject } from "../../kube/object.ts";
import { compareQuantities, parseQuantity } from "../../kube/quantity.ts";
import { matchesLabelSelector } from "../../kube/selector.ts";
import type { PersistentVolume, PersistentVolumeClaim } from "../builtin/strategies/shapes.ts";
import { usedClaims, usersOf } from "./claims.ts";
import type { ControllerClient, StoreEvent } from "./client.ts";
import type { EventRecorder } from "./event-recorder.ts";
import { CLAIMS, PODS, STORAGE_CLASSES, VOLUMES, concerns, keyFrom, textOf } from "./keys.ts";
import type { Controller } from "./work-loop.ts";

interface StorageClass extends KubeObject {
  provisioner?: string;
  reclaimPolicy?: string;
  volumeBindingMode?: string;
}

const BOUND_BY = "pv.kubernetes.io/bound-by-controller";
const BIND_COMPLETED = "pv.kubernetes.io/bind-completed";
const PROVISIONERS = [
  "volume.beta.kubernetes.io/storage-provisioner",
  "volume.kubernetes.io/storage-provisioner",
];

const storageOf = (amounts: Readonly<Record<string, string>> | undefined): string =>
  amounts?.["storage"] ?? "0";

/** Binds claims. Keys are `/volume` and `namespace/claim`. */
export class VolumeBinder implements Controller {
  readonly name = "VolumeBinder";
  readonly watches = [CLAIMS, VOLUMES, STORAGE_CLASSES, PODS];
  readonly #client: ControllerClient;
  readonly #events: EventRecorder;
  readonly #provisions: boolean;

  constructor(client: ControllerClient, events: EventRecorder, provisions: boolean) {
    this.#client = client;
    this.#events = events;
    this.#provisions = provisions;
  }

  *observe(event: StoreEvent): Iterable<string> {
    if (concerns(event, CLAIMS)) {
      yield textOf(event.object);
      const { volumeName } = (event.object as PersistentVolumeClaim).spec;
      if (volumeName) yield `/${volumeName}`;
    } else if (concerns(event, VOLUMES)) {
      yield textOf(event.object);
      for (const claim of this.#client.list(CLAIMS) as readonly PersistentVolumeClaim[]) {
        if (!claim.spec.volumeName) yield textOf(claim);
      }
    } else if (concerns(event, STORAGE_CLASSES)) {
      const { name } = event.object.metadata;
      for (const claim of this.#client.list(CLAIMS) as readonly PersistentVolumeClaim[]) {
        if (claim.spec.storageClassName === name) yield textOf(claim);
      }
    } else yield* usedClaims(event);
  }

  async sync(key: string): Promise<undefined> {
    const { namespace, name } = keyFrom(key);
    if (namespace === "") {
      const volume = this.#client.find(VOLUMES, { name }) as PersistentVolume | undefined;
      if (volume) await this.#syncVolume(volume);
      return;
    }
    const claim = this.#client.find(CLAIMS, { namespace, name }) as
      PersistentVolumeClaim | undefined;
    if (!claim || claim.metadata.deletionTimestamp || claim.status?.phase === "Bound") return;
    const volume = this.#volumeFor(claim);
    if (volume) await this.#bind(claim, volume);
    else if (!claim.spec.volumeName) await this.#wait(claim);
  }

  async #syncVolume(volume: PersistentVolume): Promise<void> {
    const { claimRef, persistentVolumeReclaimPolicy } = volume.spec;
    const claim =
      claimRef &&
      this.#client.find(CLAIMS, { namespace: claimRef.namespace ?? "", name: claimRef.name ?? "" });
    const isBound = claim?.metadata.uid === claimRef?.uid && claim !== undefined;
    const phase = !claimRef
      ? "Available"
      : isBound
        ? "Bound"
        : claimRef.uid === undefined
          ? "Available"
          : "Released";
    if (volume.status?.phase !== phase) {
      const { name = "" } = volume.metadata;
      await this.#client.patch(VOLUMES, { name }, { status: { phase } }, "status");
    }
    if (phase !== "Released" || persistentVolumeReclaimPolicy !== "Delete") return;
    if (!volume.metadata.deletionTimestamp && this.#provisions) {
      await this.#client.remove(VOLUMES, { name: volume.metadata.name ?? "" });
    }
  }

  /** The volume that names the claim or is named by it, else the smallest one that will do. */
  #volumeFor(claim: PersistentVolumeClaim): PersistentVolume | undefined {
    const { namespace, name, uid } = claim.metadata;
    const {
      volumeName,
      accessModes = [],
      storageClassName = "",
      volumeMode,
      selector,
    } = claim.spec;
    const volumes = this.#client.list(VOLUMES) as readonly PersistentVolume[];
    const refersHere = ({ spec: { claimRef } }: PersistentVolume): boolean =>
      claimRef?.namespace === namespace &&
      claimRef?.name === name &&
      (claimRef?.uid === undefined || claimRef.uid === uid);
    if (volumeName) {
      return volumes.find(
        (volume) =>
          volume.metadata.name === volumeName && (!volume.spec.claimRef || refersHere(volume)),
      );
    }
    const wanted = parseQuantity(storageOf(claim.spec.resources?.requests));
    const size = ({ spec }: PersistentVolume): ReturnType<typeof parseQuantity> =>
      parseQuantity(storageOf(spec.capacity));
    return volumes
      .filter((volume) => {
        const { spec, metadata } = volume;
        if (metadata.deletionTimestamp) return false;
        if (spec.claimRef ? !refersHere(volume) : volume.status?.phase === "Released") return false;
        return (
          (spec.storageClassName ?? "") === storageClassName &&
          (spec.volumeMode ?? "Filesystem") === (volumeMode ?? "Filesystem") &&
          accessModes.every((mode) => spec.accessModes?.includes(mode)) &&
          (!selector || matchesLabelSelector(selector, metadata.labels)) &&
          compareQuantities(size(volume), wanted) >= 0
        );
      })
      .toSorted(
        (left, right) =>
          Number(refersHere(right)) - Number(refersHere(left)) ||
          compareQuantities(size(left), size(right)),
      )[0];
  }

  async #bind(claim: PersistentVolumeClaim, volume: PersistentVolume): Promise<void> {
    const { namespace = "", name = "", uid = "", resourceVersion = "" } = claim.metadata;
    const volumeName = volume.metadata.name ?? "";
    if (volume.spec.claimRef?.uid !== uid) {
      const claimRef = {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        namespace,
        name,
        uid,
        resourceVersion,
      };
      await this.#client.patch(
        VOLUMES,
        { name: volumeName },
        {
          ...(volume.spec.claimRef ? {} : { metadata: { annotations: { [BOUND_BY]: "yes" } } }),
          spec: { claimRef },
        },
      );
    }
    await this.#client.patch(
      VOLUMES,
      { name: volumeName },
      { status: { phase: "Bound" } },
      "status",
    );
    const key = { namespace, name };
    const annotations = {
      [BIND_COMPLETED]: "yes",
      ...(claim.spec.volumeName ? {} : { [BOUND_BY]: "yes" }),
    };
    await this.#client.patch(CLAIMS, key, { metadata: { annotations }, spec: { volumeName } });
    const status = {
      phase: "Bound",
      accessModes: volume.spec.accessModes,
      capacity: volume.spec.capacity,
    };
    await this.#client.patch(CLAIMS, key, { status }, "status");
  }

  /** Says what a claim waits for, and makes a volume up where that is simulated. */
  async #wait(claim: PersistentVolumeClaim): Promise<void> {
    const { namespace = "", name = "" } = claim.metadata;
    const { storageClassName = "" } = claim.spec;
    const tell = (type: "Normal" | "Warning", reason: string, message: string): Promise<void> =>
      this.#events.record(claim, type, reason, message);
    if (storageClassName === "") {
      const message = "no persistent volumes available for this claim and no storage class is set";
      await tell("Normal", "FailedBinding", message);
      return;
    }
    const found = this.#client.find(STORAGE_CLASSES, { name: storageClassName }) as
      StorageClass | undefined;
    if (!found) {
      const message = `storageclass.storage.k8s.io "${storageClassName}" not found`;
      await tell("Warning", "ProvisioningFailed", message);
      return;
    }
    const used = usersOf(this.#client, { namespace, name }).length > 0;
    if (found.volumeBindingMode === "WaitForFirstConsumer" && !used) {
      const message = "waiting for first consumer to be created before binding";
      await tell("Normal", "WaitForFirstConsumer", message);
      return;
    }
    if (this.#provisions) {
      await this.#provision(claim, found);
      return;
    }
    const provisioner = found.provisioner ?? "";
    if (claim.metadata.annotations?.[PROVISIONERS[0] ?? ""] !== provisioner) {
      const annotations = Object.fromEntries(PROVISIONERS.map((key) => [key, provisioner]));
      await this.#client.patch(CLAIMS, { namespace, name }, { metadata: { annotations } });
    }
    await tell(
      "Normal",
      "ExternalProvisioning",
      `Waiting for a volume to be created either by the external provisioner '${provisioner}' or manually by the system administrator. If volume creation is delayed, please verify that the provisioner is running and correctly registered.`,
    );
  }

  async #provision(claim: PersistentVolumeClaim, storage: StorageClass): Promise<void> {
    const { namespace = "", name = "", uid = "" } = claim.metadata;
    const volume = {
      apiVersion: "v1",
      kind: "PersistentVolume",
      metadata: {
        name: `pvc-${uid}`,
        annotations: { "pv.kubernetes.io/provisioned-by": storage.provisioner ?? "" },
      },
      spec: {
        capacity: { storage: storageOf(claim.spec.resources?.requests) },
        accessModes: claim.spec.accessModes ?? [],
        storageClassName: storage.metadata.name ?? "",
        volumeMode: claim.spec.volumeMode ?? "Filesystem",
        persistentVolumeReclaimPolicy: storage.reclaimPolicy ?? "Delete",
        claimRef: { apiVersion: "v1", kind: "PersistentVolumeClaim", namespace, name, uid },
        csi: { driver: storage.provisioner ?? "simulated", volumeHandle: uid },
      },
    };
    await this.#client.create(VOLUMES, volume);
    const message = `Successfully provisioned volume pvc-${uid}`;
    await this.#events.record(claim, "Normal", "ProvisioningSucceeded", message);
  }
}
