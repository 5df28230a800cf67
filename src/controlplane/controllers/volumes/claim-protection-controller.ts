/**
 * Claims and volumes in use are not deleted: their finalizers are removed when they are no longer
 * in use.
 *
 * @see
 * https://kubernetes.io/docs/concepts/storage/persistent-volumes/#storage-object-in-use-protection
 */
import { usedClaims, usersOf } from "./claims.ts";
import { dropFinalizer } from "../finalizers.ts";
import { keyFrom } from "../keys.ts";
import { CLAIMS, PODS, VOLUMES } from "../../builtin/tokens.ts";
import { isFinished } from "../pods/pods.ts";
import { Controller, watch } from "../controller.ts";

const CLAIM_FINALIZER = "kubernetes.io/pvc-protection";
const VOLUME_FINALIZER = "kubernetes.io/pv-protection";

/** Removes the finalizers of claims and volumes. */
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
    // A pod without a node will not be started with a claim that is being deleted.
    const isUsed = usersOf(this.client, { namespace, name }).some(
      (pod) => pod.spec.nodeName && !isFinished(pod),
    );
    if (!isUsed) {
      const claim = this.client.find(CLAIMS, { namespace, name });
      await dropFinalizer(this.client, CLAIMS, claim, CLAIM_FINALIZER);
    }
  }
}
