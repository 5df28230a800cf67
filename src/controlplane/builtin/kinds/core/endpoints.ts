/** Rules of the kind Endpoints. */
import { type FieldError, nameErrorsAt, required } from "../../../../kube/field-errors.ts";
import { sameJson } from "../../../../kube/json.ts";
import { dns1123LabelErrors, dns1123SubdomainErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { listAt, textAt } from "../../at.ts";
import { addressErrors, endpointAddressErrors } from "../../shared/addresses/addresses.ts";
import { oneOf, portNumber } from "../../shared/checks.ts";
import { type EndpointPort, PROTOCOLS, appProtocolErrors } from "../../shared/endpoint-ports.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import { ageColumn, column, listWithMore, nameColumn, printer } from "../../tables/column.ts";

function setEndpointsDefaults(object: Endpoints): void {
  for (const { ports = [] } of object.subsets ?? []) {
    for (const port of ports) port.protocol ??= "TCP";
  }
}

interface Address {
  ip: string;
  hostname?: string;
  nodeName?: string;
}

interface Endpoints extends SentObject {
  subsets?: {
    addresses?: Address[];
    notReadyAddresses?: Address[];
    ports?: EndpointPort[];
  }[];
}

function newEndpointsErrors(object: Endpoints): FieldError[] {
  const { subsets = [] } = object;
  return subsets.flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }, index) => {
    const at = `subsets[${index}]`;
    return [
      ...(addresses.length + notReadyAddresses.length === 0
        ? [required(at, "must specify `addresses` or `notReadyAddresses`")]
        : []),
      ...addresses.flatMap((address, position) =>
        subsetAddressErrors(`${at}.addresses[${position}]`, address),
      ),
      ...notReadyAddresses.flatMap((address, position) =>
        subsetAddressErrors(`${at}.notReadyAddresses[${position}]`, address),
      ),
      ...ports.flatMap((port, position) =>
        subsetPortErrors(`${at}.ports[${position}]`, port, ports.length > 1),
      ),
    ];
  });
}

/** Validates an update; subsets that are unchanged may stay invalid. */
function endpointsUpdateErrors(object: Endpoints, previous: Endpoints): FieldError[] {
  const same = sameJson(object.subsets, previous.subsets);
  return same ? [] : newEndpointsErrors(object);
}

function subsetAddressErrors(at: string, { ip, hostname = "", nodeName }: Address): FieldError[] {
  return [
    ...addressErrors(`${at}.ip`, ip),
    ...(hostname === "" ? [] : nameErrorsAt(`${at}.hostname`, hostname, dns1123LabelErrors)),
    ...(nodeName === undefined
      ? []
      : nameErrorsAt(`${at}.nodeName`, nodeName, dns1123SubdomainErrors)),
    ...endpointAddressErrors(`${at}.ip`, ip),
  ];
}

function subsetPortErrors(at: string, port: EndpointPort, needsName: boolean): FieldError[] {
  const { name = "", protocol = "", appProtocol } = port;
  const nameErrors =
    name === ""
      ? needsName
        ? [required(`${at}.name`)]
        : []
      : nameErrorsAt(`${at}.name`, name, dns1123LabelErrors);
  return [
    ...nameErrors,
    ...portNumber(`${at}.port`, port.port),
    ...protocolErrors(at, protocol),
    ...appProtocolErrors(at, appProtocol),
  ];
}

const protocolErrors = (at: string, protocol: string): FieldError[] =>
  protocol === "" ? [required(`${at}.protocol`)] : oneOf(`${at}.protocol`, protocol, PROTOCOLS);

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

/** The rules of Endpoints. */
export const endpointsRules: KindRules = {
  validateCreate: newEndpointsErrors,
  validateUpdate: endpointsUpdateErrors,
  createOnUpdate: true,
  setDefaults: setEndpointsDefaults,
  table: printer([nameColumn, column("Endpoints", endpointsText), ageColumn]),
  metadataChecks: ["change", "whole"],
  deprecationWarning: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
  columnFields: {
    Endpoints: "core.v1.Endpoints.subsets",
  },
};
