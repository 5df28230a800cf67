/**
 * Validation of Endpoints and EndpointSlices.
 *
 * @module
 */
import { sameJson } from "../../../../kube/json.ts";
import {
  type FieldError,
  duplicate,
  invalidValue,
  required,
  tooMany,
  nameErrorsAt,
} from "../../../../kube/field-errors.ts";
import { validateLabels } from "../../../../kube/metadata.ts";
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelValueErrors,
  qualifiedNameErrors,
} from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { addressWarnings } from "../address-warnings.ts";
import { addressErrors, endpointAddressErrors } from "./addresses.ts";
import { immutable, oneOf, portNumber } from "./checks.ts";

const PROTOCOLS = ["SCTP", "TCP", "UDP"];
const MAX_ENDPOINTS = 1000;
const MAX_ADDRESSES = 100;
const MAX_PORTS = 20_000;
const MAX_HINTS = 8;
const MAX_TOPOLOGY = 16;

interface Address {
  ip: string;
  hostname?: string;
  nodeName?: string;
}

interface EndpointPort {
  name?: string;
  port?: number;
  protocol?: string;
  appProtocol?: string;
}

interface Endpoints extends SentObject {
  subsets?: {
    addresses?: Address[];
    notReadyAddresses?: Address[];
    ports?: EndpointPort[];
  }[];
}

export function newEndpointsErrors(object: SentObject): FieldError[] {
  const { subsets = [] } = object as Endpoints;
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

/** What is wrong already may stay. */
export function endpointsUpdateErrors(object: SentObject, previous: SentObject): FieldError[] {
  const same = sameJson((object as Endpoints).subsets, (previous as Endpoints).subsets);
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

const appProtocolErrors = (at: string, appProtocol: string | undefined): FieldError[] =>
  appProtocol === undefined
    ? []
    : nameErrorsAt(`${at}.appProtocol`, appProtocol, qualifiedNameErrors);

interface Endpoint {
  addresses?: string[] | null;
  hostname?: string;
  nodeName?: string;
  deprecatedTopology?: Record<string, string>;
  hints?: { forZones?: { name: string }[]; forNodes?: { name: string }[] };
}

interface EndpointSlice extends SentObject {
  addressType?: string;
  endpoints?: Endpoint[] | null;
  ports?: EndpointPort[] | null;
}

const ADDRESS_TYPES = ["FQDN", "IPv4", "IPv6"];

export function newEndpointSliceErrors(object: SentObject): FieldError[] {
  return [...frameErrors(object), ...sliceEndpointsErrors(object)];
}

/** What is wrong with endpoints already may stay; the type of the addresses has to. */
export function endpointSliceUpdateErrors(object: SentObject, previous: SentObject): FieldError[] {
  const slice = object as EndpointSlice;
  const old = previous as EndpointSlice;
  return [
    ...frameErrors(slice),
    ...(sameJson(slice.endpoints, old.endpoints) ? [] : sliceEndpointsErrors(slice)),
    ...immutable("addressType", slice.addressType, old.addressType),
  ];
}

/** What a writer of domain names, or of addresses in an odd form, is told. */
export function endpointSliceWarnings(object: SentObject, old: SentObject | undefined): string[] {
  const { addressType, endpoints } = object as EndpointSlice;
  if (addressType === "FQDN") {
    return old ? [] : ["spec.addressType: FQDN endpoints are deprecated"];
  }
  return (endpoints ?? []).flatMap(({ addresses }, index) =>
    (addresses ?? []).flatMap((address, position) =>
      addressWarnings(`endpoints[${index}].addresses[${position}]`, address),
    ),
  );
}

function frameErrors({ addressType = "", ports }: EndpointSlice): FieldError[] {
  const errors =
    addressType === ""
      ? [required("addressType")]
      : oneOf("addressType", addressType, ADDRESS_TYPES);
  const list = ports ?? [];
  if (list.length > MAX_PORTS) return [...errors, tooMany("ports", list.length, MAX_PORTS)];
  const names = new Set<string>();
  for (const [index, { name = "", protocol = "", appProtocol }] of list.entries()) {
    const at = `ports[${index}]`;
    if (name !== "") errors.push(...nameErrorsAt(`${at}.name`, name, dns1123LabelErrors));
    if (names.has(name)) errors.push(duplicate(`${at}.name`, name));
    names.add(name);
    errors.push(
      ...oneOf(`${at}.protocol`, protocol, PROTOCOLS),
      ...appProtocolErrors(at, appProtocol),
    );
  }
  return errors;
}

function sliceEndpointsErrors({ addressType = "", endpoints }: EndpointSlice): FieldError[] {
  const list = endpoints ?? [];
  if (list.length > MAX_ENDPOINTS) return [tooMany("endpoints", list.length, MAX_ENDPOINTS)];
  return list.flatMap((endpoint, index) =>
    endpointErrors(`endpoints[${index}]`, endpoint, addressType),
  );
}

function endpointErrors(at: string, endpoint: Endpoint, addressType: string): FieldError[] {
  const { nodeName, hostname, deprecatedTopology = {}, hints } = endpoint;
  const addresses = endpoint.addresses ?? [];
  const field = `${at}.addresses`;
  const errors: FieldError[] = [];
  if (addresses.length === 0) errors.push(required(field, "must contain at least 1 address"));
  else if (addresses.length > MAX_ADDRESSES) {
    errors.push(tooMany(field, addresses.length, MAX_ADDRESSES));
  }
  for (const [index, address] of addresses.entries()) {
    errors.push(...typedAddressErrors(field, index, address, addressType));
  }
  if (nodeName !== undefined) {
    errors.push(...nameErrorsAt(`${at}.nodeName`, nodeName, dns1123SubdomainErrors));
  }
  const topology = Object.keys(deprecatedTopology).length;
  if (topology > MAX_TOPOLOGY) {
    errors.push(tooMany(`${at}.deprecatedTopology`, topology, MAX_TOPOLOGY));
  }
  errors.push(...validateLabels(deprecatedTopology, `${at}.deprecatedTopology`));
  if (hostname !== undefined) {
    errors.push(...nameErrorsAt(`${at}.hostname`, hostname, dns1123LabelErrors));
  }
  return [
    ...errors,
    ...hintErrors(`${at}.hints.forZones`, hints?.forZones, labelValueErrors),
    ...hintErrors(`${at}.hints.forNodes`, hints?.forNodes, dns1123SubdomainErrors),
  ];
}

function typedAddressErrors(
  list: string,
  index: number,
  address: string,
  type: string,
): FieldError[] {
  const field = `${list}[${index}]`;
  if (type === "FQDN") {
    const bare = address.replace(/\.$/, "");
    if (bare === "") return [required(field)];
    const errors = nameErrorsAt(field, bare, dns1123SubdomainErrors);
    if (errors.length > 0 || bare.includes(".")) return errors;
    const detail = "should be a domain with at least two segments separated by dots";
    return [invalidValue(field, bare, detail)];
  }
  if (type !== "IPv4" && type !== "IPv6") return [];
  const errors = addressErrors(field, address);
  if (errors.length > 0) return errors;
  const family = address.includes(":") ? "IPv6" : "IPv4";
  return [
    ...(family === type ? [] : [invalidValue(list, address, `must be an ${type} address`)]),
    ...endpointAddressErrors(field, address),
  ];
}

function hintErrors(
  field: string,
  hints: readonly { name: string }[] = [],
  check: (name: string) => string[],
): FieldError[] {
  if (hints.length > MAX_HINTS) return [tooMany(field, hints.length, MAX_HINTS)];
  const names = new Set<string>();
  return hints.flatMap(({ name }, index) => {
    const at = `${field}[${index}].name`;
    const errors = names.has(name) ? [duplicate(at, name)] : [];
    names.add(name);
    return [...errors, ...nameErrorsAt(at, name, check)];
  });
}
