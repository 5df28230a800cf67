/** Rules of the kind CSIStorageCapacity. */
import { type FieldError, invalidValue, nameErrorsAt } from "../../../../kube/field-errors.ts";
import { dns1123SubdomainErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { parseQuantity } from "../../../../kube/values/quantity.ts";
import { selectorErrors } from "../../../../kube/selectors/selector-rules.ts";
import { IMMUTABLE, immutableForm } from "../../shared/checks.ts";
import type { LabelSelector } from "../../shared/shapes.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";

interface Capacity extends SentObject {
  nodeTopology?: LabelSelector;
  storageClassName?: string;
  capacity?: string;
}

function storageCapacityErrors(object: Capacity): FieldError[] {
  const { nodeTopology, storageClassName = "", capacity } = object;
  const errors = nodeTopology ? selectorErrors("nodeTopology", nodeTopology) : [];
  errors.push(...nameErrorsAt("storageClassName", storageClassName, dns1123SubdomainErrors));
  return capacity !== undefined && parseQuantity(capacity).nanos < 0n
    ? [...errors, invalidValue("capacity", capacity, "must be greater than or equal to 0")]
    : errors;
}

function storageCapacityUpdateErrors(now: Capacity, old: Capacity): FieldError[] {
  return [
    ...immutableForm("nodeTopology", "*metav1.LabelSelector", now.nodeTopology, old.nodeTopology),
    ...(now.storageClassName === old.storageClassName
      ? []
      : [invalidValue("storageClassName", now.storageClassName ?? "", IMMUTABLE)]),
  ];
}

/** The rules of CSIStorageCapacities. */
export const csiStorageCapacityRules: KindRules = {
  conditionalUpdate: true,
  validate: storageCapacityErrors,
  validateUpdate: storageCapacityUpdateErrors,
  metadataChecks: ["whole", "change"],
};
