import type { CSIStorageCapacity } from "../../../../generated/k8s/storage-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { dns1123SubdomainErrors } from "../../../../kube/names.ts";
import { parseQuantity } from "../../../../kube/values/quantity.ts";
import { checkSelector, checkUnchangedForm, checked, checkedChange } from "../../shared/checks.ts";
import type { ShapedObject } from "../../shared/shapes.ts";
import type { KindRules } from "../../kind-rules.ts";

type Capacity = ShapedObject<CSIStorageCapacity>;

function checkCapacity(object: Check<Capacity>): void {
  checkSelector(object.at("nodeTopology"));
  object.at("storageClassName").named(dns1123SubdomainErrors);
  object.at("capacity").ifSet((capacity) => {
    if (parseQuantity(capacity.value).nanos >= 0n) return;
    capacity.invalid("must be greater than or equal to 0");
  });
}

function checkChange(object: Check<Capacity>, old: Capacity): void {
  checkUnchangedForm(object.at("nodeTopology"), "*metav1.LabelSelector", old.nodeTopology);
  object.at("storageClassName").unchanged(old.storageClassName);
}

export const csiStorageCapacityRules: KindRules = {
  conditionalUpdate: true,
  validate: checked(checkCapacity),
  validateUpdate: checkedChange(checkChange),
  metadataChecks: ["whole", "change"],
};
