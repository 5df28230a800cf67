/**
 * Claims that request more than they have: the volume grows, then the file system when a pod uses
 * it.
 *
 * @see
 * https://kubernetes.io/docs/concepts/storage/persistent-volumes/#expanding-persistent-volumes-claims
 */
import { compareAmounts } from "../../../kube/values/quantity.ts";
import type { Pod } from "../../builtin/kinds/core/pod/shape.ts";
import type { PersistentVolumeClaim } from "../../builtin/shared/shapes.ts";
import { EventRecorder } from "../framework/event-recorder.ts";
import { CLAIMS, PODS, VOLUMES } from "../../builtin/tokens.ts";
import { timeOf } from "../../../kube/values/times.ts";
import { isBindComplete, usedClaims, usersOf } from "./claims.ts";
import { storageOf } from "./volume-matching.ts";
import { ObjectController, watch } from "../framework/controller.ts";

const PENDING = "FileSystemResizePending";

export class VolumeResizer extends ObjectController<PersistentVolumeClaim> {
  readonly name = "VolumeResizer";
  readonly resource = CLAIMS;
  readonly watches = [watch(CLAIMS), watch(PODS, usedClaims)];
  readonly #kubelet = new EventRecorder(this.client, this.clock, "kubelet");

  protected async reconcile(claim: PersistentVolumeClaim): Promise<undefined> {
    const { status, spec } = claim;
    if (!isBindComplete(claim) || status?.phase !== "Bound") return;
    const wanted = storageOf(spec.resources?.requests);
    if (compareAmounts(storageOf(status.capacity), wanted) >= 0) return;
    const name = spec.volumeName ?? "";
    const volume = this.client.find(VOLUMES, { name });
    if (!volume) return;
    if (compareAmounts(storageOf(volume.spec.capacity), wanted) < 0) {
      const message = `External resizer is resizing volume ${name}`;
      await this.events.record(claim, "Normal", "Resizing", message);
      const capacity = { storage: wanted };
      await this.client.patch(VOLUMES, { name }, { spec: { capacity } });
    }
    const user = usersOf(this.client, claim.metadata).find(
      ({ status: podStatus }) => podStatus?.phase === "Running",
    );
    if (spec.volumeMode === "Block") {
      await this.#finish(claim, wanted);
      const message = "Resize volume succeeded";
      await this.events.record(claim, "Normal", "VolumeResizeSuccessful", message);
    } else if (user) await this.#growFileSystem(claim, user, wanted);
    else await this.#waitForPod(claim, wanted);
  }

  async #growFileSystem(claim: PersistentVolumeClaim, user: Pod, wanted: string): Promise<void> {
    await this.#finish(claim, wanted);
    const volume = claim.spec.volumeName ?? "";
    const message = `MountVolume.NodeExpandVolume succeeded for volume "${volume}" ${user.spec.nodeName ?? ""}`;
    await this.#kubelet.record(user, "Normal", "FileSystemResizeSuccessful", message);
    await this.#kubelet.record(claim, "Normal", "FileSystemResizeSuccessful", message);
  }

  async #waitForPod(claim: PersistentVolumeClaim, wanted: string): Promise<void> {
    const conditions = claim.status?.conditions ?? [];
    if (conditions.some(({ type }) => type === PENDING)) return;
    const condition = {
      type: PENDING,
      status: "True",
      lastProbeTime: null,
      lastTransitionTime: timeOf(this.clock.now()),
      message:
        "Waiting for user to (re-)start a pod to finish file system resize of volume on node.",
    };
    await this.#writeStatus(claim, {
      conditions: [...conditions, condition],
      allocatedResources: { storage: wanted },
      allocatedResourceStatuses: { storage: "NodeResizePending" },
    });
    const message = "Require file system resize of volume on node";
    await this.events.record(claim, "Normal", "FileSystemResizeRequired", message);
  }

  async #finish(claim: PersistentVolumeClaim, wanted: string): Promise<void> {
    const conditions = (claim.status?.conditions ?? []).filter(({ type }) => type !== PENDING);
    await this.#writeStatus(claim, {
      capacity: { storage: wanted },
      allocatedResources: { storage: wanted },
      allocatedResourceStatuses: null,
      conditions: conditions.length > 0 ? conditions : null,
    });
  }

  async #writeStatus({ metadata }: PersistentVolumeClaim, status: object): Promise<void> {
    await this.client.patch(CLAIMS, metadata, { status }, "status");
  }
}
