/** Rules of the kind Service. */
import { listAt, textOf } from "../../../at.ts";
import { checked, checkedChange } from "../../../shared/checks.ts";
import type { KindRules } from "../../../strategies/kind-rules.ts";
import { labelsCell } from "../../../tables/cells.ts";
import {
  prepareServiceForCreate,
  prepareServiceForUpdate,
  setServiceDefaults,
} from "./preparation.ts";
import { externalAddress, servicePort } from "./table.ts";
import { checkService, checkServiceChange, checkServiceStatus } from "./validation.ts";
import { serviceWarnings } from "./warnings.ts";
import { fields, labelNotSupported } from "../../../selectable-fields.ts";

/** The rules of Services. */
export const serviceRules: KindRules = {
  warnings: serviceWarnings,
  validateCreate: checked(checkService),
  validateUpdate: checkedChange(checkServiceChange),
  validateStatus: checkedChange(checkServiceStatus),
  name: "label",
  status: "all",
  createOnUpdate: true,
  setDefaults: setServiceDefaults,
  prepareForCreate: prepareServiceForCreate,
  prepareForUpdate: prepareServiceForUpdate,
  table: {
    Type: "spec.type",
    "Cluster-IP": (object) => textOf(listAt(object, "spec.clusterIPs")[0], "<none>"),
    "External-IP": externalAddress,
    "Port(s)": (object) => listAt(object, "spec.ports").map(servicePort).join(",") || "<none>",
    Selector: labelsCell("spec.selector"),
  },
  deletion: { answersObject: true },
  refuseFieldLabel: labelNotSupported,
  selectableFields: fields("spec.clusterIP", "spec.type"),
  statusCreates: true,
};
