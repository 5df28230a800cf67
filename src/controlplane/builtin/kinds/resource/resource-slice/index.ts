/** Rules of the kind ResourceSlice. */
import type { KindRules } from "../../../strategies/kind-rules.ts";
import { ageColumn, nameColumn, printer, textColumn } from "../../../tables/column.ts";
import { stampDeviceTaints } from "./preparation.ts";
import {
  dropFromResourceSlice,
  newResourceSliceErrors,
  resourceSliceUpdateErrors,
  resourceSliceWarnings,
} from "./validation.ts";
import { fields } from "../../../selectable-fields.ts";

/** The rules of ResourceSlices. */
export const resourceSliceRules: KindRules = {
  generation: ["spec"],
  generationSeesDisabled: true,
  warnings: resourceSliceWarnings,
  dropDisabled: dropFromResourceSlice,
  prepareForCreate: stampDeviceTaints,
  prepareForUpdate: (object, _old, context) => stampDeviceTaints(object, context),
  validateCreate: newResourceSliceErrors,
  validateUpdate: resourceSliceUpdateErrors,
  table: printer([
    nameColumn,
    textColumn("Node", "spec.nodeName"),
    textColumn("Driver", "spec.driver"),
    textColumn("Pool", "spec.pool.name"),
    ageColumn,
  ]),
  deletion: { answersObject: true },
  refuseFieldLabel: (field) =>
    `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
  selectsNoNamespace: true,
  selectableFields: fields("spec.nodeName", "spec.driver"),
  columnFields: {
    Node: "resource.v1.ResourceSliceSpec.nodeName",
    Driver: "resource.v1.ResourceSliceSpec.driver",
    Pool: "resource.v1.ResourcePool.name",
  },
};
