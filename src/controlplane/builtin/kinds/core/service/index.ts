import type { SentObject } from "../../../../../kube/object.ts";
import { listAt, numberAt, textAt, textOf } from "../../../at.ts";
import { loadBalancerAddresses } from "../../../shared/addresses/load-balancers.ts";
import { checked, checkedChange } from "../../../shared/checks.ts";
import type { KindRules } from "../../../kind-rules.ts";
import { labelsCell } from "../../../tables/cells.ts";
import {
  prepareServiceForCreate,
  prepareServiceForUpdate,
  setServiceDefaults,
} from "./preparation.ts";
import { checkService, checkServiceChange, checkServiceStatus } from "./service-validation.ts";
import { serviceWarnings } from "./warnings.ts";
import { fields } from "../../../selectable-fields.ts";

/** The addresses under which clients outside of the cluster reach the Service. */
function externalAddress(service: SentObject): string {
  const external = listAt(service, "spec.externalIPs").map(String);
  switch (textAt(service, "spec.type")) {
    case "ClusterIP":
    case "NodePort":
      return external.join(",") || "<none>";
    case "LoadBalancer":
      return [...loadBalancerAddresses(service), ...external].join(",") || "<pending>";
    case "ExternalName":
      return textAt(service, "spec.externalName");
    default:
      return "<unknown>";
  }
}

function servicePort(port: unknown): string {
  const nodePort = numberAt(port, "nodePort");
  const number = textAt(port, "port");
  return `${nodePort > 0 ? `${number}:${nodePort}` : number}/${textAt(port, "protocol")}`;
}

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
  selectableFields: fields("spec.clusterIP", "spec.type"),
  // An apply to the status of a missing Service creates it.
  wrap: (strategy) => ({ ...strategy, allowCreateOnApply: true }),
};
