import type * as core from "../../../../generated/k8s/core-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { sameJson } from "../../../../kube/json.ts";
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  qualifiedNameErrors,
} from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { listAt, textAt } from "../../at.ts";
import { addressErrors, endpointAddressErrors } from "../../shared/addresses/addresses.ts";
import { checkPortNumber, checked, checkedChange } from "../../shared/checks.ts";
import { PROTOCOLS } from "../../shared/endpoint-ports.ts";
import type { ShapedObject } from "../../shared/shapes.ts";
import type { KindRules } from "../../kind-rules.ts";
import { listWithMore } from "../../tables/cells.ts";

function setEndpointsDefaults(object: Endpoints): void {
  for (const { ports = [] } of object.subsets ?? []) {
    for (const port of ports) port.protocol ??= "TCP";
  }
}

// oxlint-disable-next-line typescript/no-deprecated -- it is deprecated for its users
type Endpoints = ShapedObject<core.Endpoints>;
type Subset = NonNullable<Endpoints["subsets"]>[number];

function checkEndpoints(endpoints: Check<Endpoints>): void {
  endpoints.at("subsets").each((subset) => {
    const { addresses = [], notReadyAddresses = [], ports = [] } = subset.value;
    if (addresses.length + notReadyAddresses.length === 0) {
      subset.required("must specify `addresses` or `notReadyAddresses`");
    }
    subset.at("addresses").each(checkAddress);
    subset.at("notReadyAddresses").each(checkAddress);
    subset.at("ports").each((port) => checkPort(port, ports.length > 1));
  });
}

/** Validates an update; subsets that are unchanged may stay invalid. */
function checkChange(endpoints: Check<Endpoints>, old: Endpoints): void {
  if (!sameJson(endpoints.value.subsets, old.subsets)) checkEndpoints(endpoints);
}

function checkAddress(address: Check<NonNullable<Subset["addresses"]>[number]>): void {
  address.at("ip").named(addressErrors);
  address.at("hostname").nameIfGiven(dns1123LabelErrors);
  address.at("nodeName").ifSet((name) => name.named(dns1123SubdomainErrors));
  address.at("ip").named(endpointAddressErrors);
}

function checkPort(port: Check<NonNullable<Subset["ports"]>[number]>, needsName: boolean): void {
  if (port.value.name) port.at("name").named(dns1123LabelErrors);
  else if (needsName) port.at("name").required();
  checkPortNumber(port.at("port"));
  if (port.at("protocol").given()) port.at("protocol").oneOf(PROTOCOLS);
  port.at("appProtocol").ifSet((protocol) => protocol.named(qualifiedNameErrors));
}

function endpointsText(endpoints: SentObject): string {
  const subsets = listAt(endpoints, "subsets");
  if (subsets.length === 0) return "<none>";
  const all = subsets.flatMap((subset) => {
    const addresses = listAt(subset, "addresses").map((address) => textAt(address, "ip"));
    const ports = listAt(subset, "ports");
    if (ports.length === 0) return addresses;
    return ports.flatMap((port) =>
      addresses.map((ip) => `${ip.includes(":") ? `[${ip}]` : ip}:${textAt(port, "port", "0")}`),
    );
  });
  return listWithMore(all);
}

export const endpointsRules: KindRules = {
  validateCreate: checked(checkEndpoints),
  validateUpdate: checkedChange(checkChange),
  createOnUpdate: true,
  setDefaults: setEndpointsDefaults,
  table: { Endpoints: endpointsText },
  metadataChecks: ["change", "whole"],
  deprecationWarning: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
};
