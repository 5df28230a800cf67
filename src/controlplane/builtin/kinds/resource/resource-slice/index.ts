import { timeOf } from "../../../../../kube/values/times.ts";
import type { WriteContext } from "../../../../kinds.ts";
import { checked, checkedChange } from "../../../shared/checks.ts";
import type { KindRules } from "../../../kind-rules.ts";
import { raiseGeneration } from "../../../generation.ts";
import { sameJson } from "../../../../../kube/json.ts";
import {
  type ResourceSlice,
  checkResourceSlice,
  dropFromResourceSlice,
  resourceSliceWarnings,
} from "./resource-slice-validation.ts";
import { fields } from "../../../selectable-fields.ts";

/** Sets the time at which the taints of devices were added. */
function stampDeviceTaints(object: ResourceSlice, context: WriteContext): void {
  for (const { taints = [] } of object.spec?.devices ?? []) {
    for (const taint of taints) taint.timeAdded ??= timeOf(context.clock.now());
  }
}

export const resourceSliceRules: KindRules = {
  generation: ["spec"],
  warnings: resourceSliceWarnings,
  dropDisabled: dropFromResourceSlice,
  prepareForCreate: stampDeviceTaints,
  prepareForUpdate: (object, _old, context) => {
    stampDeviceTaints(object, context);
  },
  validateCreate: checked<ResourceSlice>((object) => {
    checkResourceSlice(object);
  }),
  validateUpdate: checkedChange(checkResourceSlice),
  table: { Node: "spec.nodeName", Driver: "spec.driver", Pool: "spec.pool.name" },
  deletion: { answersObject: true },
  refuseFieldLabel: (field) =>
    `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
  selectsNoNamespace: true,
  selectableFields: fields("spec.nodeName", "spec.driver"),
  wrap: (strategy) => ({
    ...strategy,
    prepareForUpdate(slice: ResourceSlice, old: ResourceSlice, context) {
      // A change of fields of disabled features counts, though they are dropped.
      const isChanged = !sameJson(slice.spec, old.spec);
      strategy.prepareForUpdate(slice, old, context);
      if (isChanged) raiseGeneration(slice, old);
    },
  }),
};
