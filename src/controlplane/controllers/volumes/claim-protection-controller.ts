/**
 * Claims and volumes in use are not deleted: their finalizers are removed when they are no longer
 * in use.
 *
 * @see
 * https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection
 */
import { usedClaims, usersOf } from "./claims.ts";
import { withCondition } from "../conditions.ts";
import { dropFinalizer } from "../finalizers.ts";
import { keyFrom } from "../keys.ts";
import { CLAIMS, PODS, VOLUMES } from "../../builtin/tokens.ts";
import { isFinished } from "../pods/pods.ts";
import { Controller, watch } from "../controller.ts";
import type { Condition, PersistentVolumeClaim } from "../../builtin/shared/shapes.ts";

const CLAIM_FINALIZER = "kubernetes.io/pvc-protection";
const VOLUME_FINALIZER = "kubernetes.io/pv-protection";

const USED: Condition = {
  type: "Unused",
  status: "False",
  reason: "PodUsingPVC",
  message: "A pod is currently referencing this PVC",
};
const UNUSED: Condition = {
  type: "Unused",
  status: "True",
  reason: "NoPodsUsingPVC",
  message: "No pods are currently referencing this PVC",
};

/** Removes the finalizers of claims and volumes, and notes which claims are in use. */
export class ClaimProtectionController extends Controller {
  readonly name = "ClaimProtection";
  readonly watches = [watch(CLAIMS), watch(VOLUMES), watch(PODS, usedClaims)];

  async sync(key: string): Promise<undefined> {
    const { namespace, name } = keyFrom(key);
    if (namespace === "") {
      const volume = this.client.find(VOLUMES, { name });
      if (volume?.status?.phase !== "Bound") {
        await dropFinalizer(this.client, VOLUMES, volume, VOLUME_FINALIZER);
      }
      return;
    }
    const users = usersOf(this.client, { namespace, name }).filter((pod) => !isFinished(pod));
    const claim = this.client.find(CLAIMS, { namespace, name });
    if (claim) await this.#noteUse(claim, users.length > 0);
    // A pod without a node will not be started with a claim that is being deleted.
    if (users.every((pod) => !pod.spec.nodeName)) {
      await dropFinalizer(this.client, CLAIMS, claim, CLAIM_FINALIZER);
    }
  }

  /** Writes into the status of a bound claim whether a pod names it, and since when none does. */
  async #noteUse(claim: PersistentVolumeClaim, isUsed: boolean): Promise<void> {
    const { metadata, status } = claim;
    if (metadata.deletionTimestamp || status?.phase !== "Bound") return;
    const use = isUsed ? USED : UNUSED;
    const known = status.conditions?.find(({ type }) => type === use.type);
    if (known?.status === use.status) return;
    const conditions = withCondition(status.conditions, use, this.clock.now());
    await this.client.updateStatus(CLAIMS, claim, { ...status, conditions });
  }
}
