/**
 * The phase of volumes, and the reclaiming of those whose claim is gone.
 *
 * @see https://kubernetes.io/docs/concepts/storage/persistent-volumes/#reclaiming
 */
import type { PersistentVolume, PersistentVolumeClaim } from "../../builtin/shared/shapes.ts";
import { unlessGone } from "../framework/absence.ts";
import { CLAIMS, VOLUMES } from "../../builtin/tokens.ts";
import { BOUND_BY, PROVISIONED_BY } from "./claims.ts";
import { haveSameMode } from "./volume-matching.ts";
import { ObjectController, type Tools, watch } from "../framework/controller.ts";

type Phase = "Available" | "Bound" | "Released" | "Failed";

export class VolumePhaseController extends ObjectController<PersistentVolume> {
  readonly name = "VolumePhase";
  readonly resource = VOLUMES;
  readonly watches = [
    watch(VOLUMES),
    watch(CLAIMS, ({ object: { spec } }) => (spec.volumeName ? [`/${spec.volumeName}`] : [])),
  ];
  readonly #provisions: boolean;

  /**
   * @param provisions - whether a provisioner is simulated, which reclaims the volumes of CSI
   *   drivers
   */
  constructor(tools: Tools, provisions: boolean) {
    super(tools);
    this.#provisions = provisions;
  }

  protected async reconcile(volume: PersistentVolume): Promise<undefined> {
    const { claimRef } = volume.spec;
    if (!claimRef || (claimRef.uid ?? "") === "") {
      await this.#setPhase(volume, "Available");
      return;
    }
    const found = this.client.find(CLAIMS, claimRef);
    const claim = found?.metadata.uid === claimRef.uid ? found : undefined;
    if (!claim) await this.#release(volume);
    else if (!claim.spec.volumeName) await this.#noteMode(volume, claim);
    else if (claim.spec.volumeName === volume.metadata.name) await this.#setPhase(volume, "Bound");
    else await this.#unbind(volume);
  }

  /** Warns when the volume modes of volume and claim differ; otherwise the claim's controller finishes the binding. */
  async #noteMode(volume: PersistentVolume, claim: PersistentVolumeClaim): Promise<void> {
    if (haveSameMode(volume, claim)) return;
    const mismatch = (given: string, asked: string): string =>
      `Cannot bind PersistentVolume${given} to requested PersistentVolumeClaim${asked} due to incompatible volumeMode.`;
    const claimName = ` ${JSON.stringify(claim.metadata.name)}`;
    const volumeName = ` ${JSON.stringify(volume.metadata.name)}`;
    await this.events.record(volume, "Warning", "VolumeMismatch", mismatch("", claimName));
    await this.events.record(claim, "Warning", "VolumeMismatch", mismatch(volumeName, ""));
  }

  /** Releases a volume whose claim has another volume. */
  async #unbind(volume: PersistentVolume): Promise<void> {
    const { annotations } = volume.metadata;
    const policy = volume.spec.persistentVolumeReclaimPolicy;
    if (annotations?.[PROVISIONED_BY] !== undefined && policy === "Delete") {
      await this.#release(volume);
      return;
    }
    const patch =
      annotations?.[BOUND_BY] === undefined
        ? { spec: { claimRef: { uid: null } } }
        : { metadata: { annotations: { [BOUND_BY]: null } }, spec: { claimRef: null } };
    const next = await this.client.patch(VOLUMES, volume.metadata, patch);
    await this.#setPhase(next, "Available");
  }

  async #release(volume: PersistentVolume): Promise<void> {
    const { phase } = volume.status ?? {};
    if (phase !== "Released" && phase !== "Failed") await this.#setPhase(volume, "Released");
    const { persistentVolumeReclaimPolicy, csi, hostPath } = volume.spec;
    if (persistentVolumeReclaimPolicy !== "Delete") return;
    const { name = "", annotations, deletionTimestamp } = volume.metadata;
    const isProvisioned = csi !== undefined || annotations?.[PROVISIONED_BY] !== undefined;
    const path = hostPath?.path ?? "";
    if (isProvisioned || /^\/tmp\/./.test(path)) {
      const isMine = this.#provisions || !isProvisioned;
      if (isMine && !deletionTimestamp) await unlessGone(this.client.remove(VOLUMES, { name }));
      return;
    }
    const problem = hostPath
      ? `host_path deleter only supports /tmp/.+ but received provided ${path}`
      : `error getting deleter volume plugin for volume ${JSON.stringify(name)}: no deletable volume plugin matched`;
    await this.#setPhase(volume, "Failed", problem);
  }

  async #setPhase(volume: PersistentVolume, phase: Phase, message = ""): Promise<void> {
    if (volume.status?.phase === phase && (volume.status.message ?? "") === message) return;
    const status = { phase, message: message === "" ? null : message };
    await this.client.patch(VOLUMES, volume.metadata, { status }, "status");
    if (phase === "Failed") {
      await this.events.record(volume, "Warning", "VolumeFailedDelete", message);
    }
  }
}
