/**
 * Whether a claim may become larger: only when it is bound and its class lets volumes grow.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#persistentvolumeclaimresize
 * @module
 */
import type { SentObject } from "../../../kube/object.ts";
import { compareQuantities, parseQuantity } from "../../../kube/quantity.ts";
import { failure } from "../../../kube/status.ts";
import type { WriteContext } from "../../kinds.ts";
import type { PersistentVolumeClaim } from "./shapes.ts";
import { classOf } from "./storage-class-of.ts";

interface StorageClass extends SentObject {
  readonly allowVolumeExpansion?: boolean;
}

/** Lets a claim grow, or not. @throws StatusError 403 */
export function admitExpansion(
  object: SentObject,
  before: SentObject,
  context: WriteContext,
): void {
  if (!context.plugins.isOn("PersistentVolumeClaimResize")) return;
  const claim = object as PersistentVolumeClaim;
  const old = before as PersistentVolumeClaim;
  if (compareQuantities(sizeOf(claim), sizeOf(old)) <= 0) return;
  const { name = "" } = claim.metadata;
  const refuse = (why: string): Error =>
    failure(403, "Forbidden", `persistentvolumeclaims "${name}" is forbidden: ${why}`, {
      name,
      kind: "persistentvolumeclaims",
    });
  if (old.status?.phase !== "Bound") {
    throw refuse("Only bound persistent volume claims can be expanded");
  }
  const named = classOf(claim) ?? "";
  const storageClass: StorageClass | undefined =
    named === "" || named !== classOf(old)
      ? undefined
      : context.find("storage.k8s.io", "storageclasses", "", named);
  if (storageClass?.allowVolumeExpansion !== true) {
    throw refuse(
      "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize",
    );
  }
}

const sizeOf = ({ spec }: PersistentVolumeClaim): ReturnType<typeof parseQuantity> =>
  parseQuantity(spec.resources?.requests?.["storage"] ?? "0");
