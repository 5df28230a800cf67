/** Rules of the kind EndpointSlice. */
import {
  type FieldError,
  duplicate,
  invalidValue,
  nameErrorsAt,
  required,
  tooMany,
} from "../../../../kube/field-errors.ts";
import { sameJson } from "../../../../kube/json.ts";
import { validateLabels } from "../../../../kube/metadata.ts";
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelValueErrors,
} from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { at, listAt, textAt } from "../../at.ts";
import { addressErrors, endpointAddressErrors } from "../../shared/addresses/addresses.ts";
import { addressWarnings } from "../../shared/addresses/warnings.ts";
import { immutable, oneOf } from "../../shared/checks.ts";
import { type EndpointPort, PROTOCOLS, appProtocolErrors } from "../../shared/endpoint-ports.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import {
  ageColumn,
  column,
  listWithMore,
  nameColumn,
  printer,
  textColumn,
} from "../../tables/column.ts";

function setEndpointSliceDefaults(object: EndpointSlice): void {
  for (const port of object.ports ?? []) {
    port.name ??= "";
    port.protocol ??= "TCP";
  }
}

/** Drops the topology, which only the older version of the API can change. */
function dropTopology(slice: EndpointSlice, previous?: unknown): void {
  const before = (previous as Partial<EndpointSlice> | undefined)?.endpoints;
  if (sameJson(slice.endpoints, before)) return;
  for (const endpoint of slice.endpoints ?? []) delete endpoint.deprecatedTopology;
}

const MAX_ENDPOINTS = 1000;
const MAX_ADDRESSES = 100;
const MAX_PORTS = 20_000;
const MAX_HINTS = 8;
const MAX_TOPOLOGY = 16;

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

function newEndpointSliceErrors(object: SentObject): FieldError[] {
  return [...frameErrors(object), ...sliceEndpointsErrors(object)];
}

/**
 * Validates an update; endpoints that are unchanged may stay invalid, the address type is
 * immutable.
 */
function endpointSliceUpdateErrors(slice: EndpointSlice, old: EndpointSlice): FieldError[] {
  return [
    ...frameErrors(slice),
    ...(sameJson(slice.endpoints, old.endpoints) ? [] : sliceEndpointsErrors(slice)),
    ...immutable("addressType", slice.addressType, old.addressType),
  ];
}

/** Warns about domain names, and about addresses in an unusual notation. */
function endpointSliceWarnings(object: EndpointSlice, old: SentObject | undefined): string[] {
  const { addressType, endpoints } = object;
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

const slicePort = (port: unknown): string =>
  textAt(port, "port", at(port, "name") === undefined ? "*" : textAt(port, "name"));

/** The rules of EndpointSlices. */
export const endpointSliceRules: KindRules = {
  validateCreate: newEndpointSliceErrors,
  validateUpdate: endpointSliceUpdateErrors,
  warnings: endpointSliceWarnings,
  prepareForCreate: dropTopology,
  prepareForUpdate: dropTopology,
  generation: ["endpoints", "ports", "addressType"],
  generationMetadata: "labels",
  setDefaults: setEndpointSliceDefaults,
  table: printer([
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
  metadataChecks: ["whole"],
  columnFields: {
    AddressType: "discovery.v1.EndpointSlice.addressType",
    Ports: "discovery.v1.EndpointSlice.ports",
    Endpoints: "discovery.v1.EndpointSlice.endpoints",
  },
};
