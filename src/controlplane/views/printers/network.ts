/**
 * Networking as tables: the groups networking.k8s.io and discovery.k8s.io.
 *
 * @module
 */
import type { SentObject } from "../../../kube/object.ts";
import { at, listAt, textAt } from "../../builtin/at.ts";
import type { TablePrinter } from "../../kinds.ts";
import { ageOf } from "../age.ts";
import {
  ageColumn,
  column,
  defaultNameColumn,
  formatLabelSelector,
  listWithMore,
  nameColumn,
  printer,
  textColumn,
} from "./column.ts";
import { loadBalancerAddresses } from "./core.ts";

function hosts(ingress: SentObject): string {
  const rules = listAt(ingress, "spec.rules");
  const shown: string[] = [];
  for (const rule of rules) {
    // What is left counts rules, named or not, as soon as three names stand there and a rule follows.
    if (shown.length === 3) return `${shown.join(",")} + ${rules.length - 3} more...`;
    const host = textAt(rule, "host");
    if (host !== "") shown.push(host);
  }
  return shown.join(",") || "*";
}

function ingressParameters(ingressClass: SentObject): string {
  if (!at(ingressClass, "spec.parameters")) return "<none>";
  const group = textAt(ingressClass, "spec.parameters.apiGroup");
  const kind = textAt(ingressClass, "spec.parameters.kind");
  const name = textAt(ingressClass, "spec.parameters.name");
  return `${kind}${group === "" ? "" : `.${group}`}/${name}`;
}

function parentReference(address: SentObject): string {
  const parent = at(address, "spec.parentRef");
  if (!parent) return "<none>";
  const group = textAt(parent, "group");
  const resource = `${textAt(parent, "resource")}${group === "" ? "" : `.${group}`}`.toLowerCase();
  return [resource, textAt(parent, "namespace"), textAt(parent, "name")]
    .filter((part, index) => part !== "" || index !== 1)
    .join("/");
}

/** The group networking.k8s.io, by kind. */
export const networkingPrinters: Readonly<Record<string, TablePrinter>> = {
  Ingress: printer([
    nameColumn,
    textColumn("Class", "spec.ingressClassName", "<none>"),
    column("Hosts", hosts),
    column("Address", (object) => loadBalancerAddresses(object).join(",")),
    column("Ports", (object) => (listAt(object, "spec.tls").length > 0 ? "80, 443" : "80")),
    ageColumn,
  ]),
  IngressClass: printer([
    defaultNameColumn("ingressclass.kubernetes.io/is-default-class"),
    textColumn("Controller", "spec.controller"),
    column("Parameters", ingressParameters),
    ageColumn,
  ]),
  NetworkPolicy: printer([
    nameColumn,
    column(
      "Pod-Selector",
      (object) => formatLabelSelector(at(object, "spec.podSelector")) || "<none>",
    ),
    ageColumn,
  ]),
  ServiceCIDR: printer([
    nameColumn,
    column("CIDRs", (object) => listAt(object, "spec.cidrs").join(",")),
    ageColumn,
  ]),
  IPAddress: withUnnamedAge(printer([nameColumn, column("ParentRef", parentReference)])),
};

/** Kubernetes sends the age of an IPAddress without a column for it. */
function withUnnamedAge(table: TablePrinter): TablePrinter {
  return {
    ...table,
    cells: (object, nowMs) => [
      ...table.cells(object, nowMs),
      ageOf(object.metadata.creationTimestamp, nowMs),
    ],
  };
}

const slicePort = (port: unknown): string =>
  textAt(port, "port", at(port, "name") === undefined ? "*" : textAt(port, "name"));

/** The group discovery.k8s.io, by kind. */
export const discoveryPrinters: Readonly<Record<string, TablePrinter>> = {
  EndpointSlice: printer([
    nameColumn,
    textColumn("AddressType", "addressType"),
    column("Ports", (object) =>
      listWithMore(listAt(object, "ports").map(slicePort), { absent: "<unset>" }),
    ),
    column("Endpoints", (object) =>
      listWithMore(
        listAt(object, "endpoints").flatMap((endpoint) =>
          listAt(endpoint, "addresses").map(String),
        ),
        { absent: "<unset>" },
      ),
    ),
    ageColumn,
  ]),
};
