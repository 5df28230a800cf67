import type {
  Endpoint,
  EndpointSlice as EndpointSliceKind,
} from "../../../../generated/k8s/discovery-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { sameJson } from "../../../../kube/json.ts";
import {
  dns1123LabelErrors,
  dns1123SubdomainErrors,
  labelValueErrors,
  qualifiedNameErrors,
} from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { at, listAt, textAt } from "../../at.ts";
import { addressErrors, endpointAddressErrors } from "../../shared/addresses/addresses.ts";
import { warnOfAddress } from "../../shared/addresses/warnings.ts";
import { checkLabels, checked, checkedChange, warningsOf } from "../../shared/checks.ts";
import { PROTOCOLS } from "../../shared/endpoint-ports.ts";
import type { Loose, Sent } from "../../shared/shapes.ts";
import type { KindRules } from "../../kind-rules.ts";
import { listWithMore } from "../../tables/cells.ts";

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

type EndpointSlice = Sent<EndpointSliceKind>;

function checkSlice(slice: Check<EndpointSlice>): void {
  checkFrame(slice);
  checkEndpoints(slice);
}

/**
 * Validates an update; endpoints that are unchanged may stay invalid, the address type is
 * immutable.
 */
function checkChange(slice: Check<EndpointSlice>, old: EndpointSlice): void {
  checkFrame(slice);
  if (!sameJson(slice.value.endpoints, old.endpoints)) checkEndpoints(slice);
  slice.at("addressType").unchanged(old.addressType);
}

/** Warns about domain names, and about addresses in an unusual notation. */
function endpointSliceWarnings(object: EndpointSlice, old: SentObject | undefined): string[] {
  if (object.addressType === "FQDN") {
    return old ? [] : ["spec.addressType: FQDN endpoints are deprecated"];
  }
  return warningsOf(object, (slice, warn) =>
    slice
      .at("endpoints")
      .each((endpoint) => endpoint.at("addresses").each((address) => warnOfAddress(address, warn))),
  );
}

function checkFrame(slice: Check<EndpointSlice>): void {
  const type = slice.at("addressType");
  if (type.given()) type.oneOf(["FQDN", "IPv4", "IPv6"]);
  const names = new Set<string>();
  slice.at("ports").eachOf(MAX_PORTS, (port) => {
    const name = port.child("name", port.value.name ?? "");
    if (name.value !== "") name.named(dns1123LabelErrors);
    name.uniqueIn(names);
    port.at("protocol").oneOf(PROTOCOLS);
    port.at("appProtocol").ifSet((protocol) => protocol.named(qualifiedNameErrors));
  });
}

function checkEndpoints(slice: Check<EndpointSlice>): void {
  const { addressType = "" } = slice.value;
  slice.at("endpoints").eachOf(MAX_ENDPOINTS, (endpoint) => checkEndpoint(endpoint, addressType));
}

function checkEndpoint(endpoint: Check<Loose<Endpoint>>, addressType: string): void {
  const addresses = endpoint.at("addresses");
  if (!addresses.value?.length) addresses.required("must contain at least 1 address");
  else if (addresses.value.length > MAX_ADDRESSES) addresses.tooMany(MAX_ADDRESSES);
  addresses.each((address) => checkAddress(address, addresses, addressType));
  endpoint.at("nodeName").ifSet((name) => name.named(dns1123SubdomainErrors));
  endpoint.at("deprecatedTopology").ifSet((topology) => {
    if (Object.keys(topology.value).length > MAX_TOPOLOGY) topology.tooMany(MAX_TOPOLOGY);
    checkLabels(topology);
  });
  endpoint.at("hostname").ifSet((name) => name.named(dns1123LabelErrors));
  checkHints(endpoint.at("hints", "forZones"), labelValueErrors);
  checkHints(endpoint.at("hints", "forNodes"), dns1123SubdomainErrors);
}

function checkAddress(address: Check<string>, list: Check<unknown>, type: string): void {
  if (type === "FQDN") checkDomain(address.as(address.value.replace(/\.$/, "")));
  if (type !== "IPv4" && type !== "IPv6") return;
  if (!address.named(addressErrors)) return;
  const family = address.value.includes(":") ? "IPv6" : "IPv4";
  if (family !== type) list.invalid(`must be an ${type} address`, address.value);
  address.named(endpointAddressErrors);
}

function checkDomain(name: Check<string>): void {
  if (!name.given() || !name.named(dns1123SubdomainErrors) || name.value.includes(".")) return;
  name.invalid("should be a domain with at least two segments separated by dots");
}

function checkHints(
  hints: Check<readonly { name?: string }[] | undefined>,
  rule: (name: string) => string[],
): void {
  const names = new Set<string>();
  hints.eachOf(MAX_HINTS, (hint) => {
    hint.at("name").uniqueIn(names);
    hint.at("name").named(rule);
  });
}

const slicePort = (port: unknown): string =>
  textAt(port, "port", at(port, "name") === undefined ? "*" : textAt(port, "name"));

export const endpointSliceRules: KindRules = {
  validateCreate: checked(checkSlice),
  validateUpdate: checkedChange(checkChange),
  warnings: endpointSliceWarnings,
  prepareForCreate: dropTopology,
  prepareForUpdate: dropTopology,
  generation: ["endpoints", "ports", "addressType", "metadata.labels"],
  setDefaults: setEndpointSliceDefaults,
  table: {
    AddressType: "addressType",
    Ports: (object) => listWithMore(listAt(object, "ports").map(slicePort), { absent: "<unset>" }),
    Endpoints: (object) =>
      listWithMore(
        listAt(object, "endpoints").flatMap((endpoint) =>
          listAt(endpoint, "addresses").map(String),
        ),
        { absent: "<unset>" },
      ),
  },
  metadataChecks: ["whole"],
};
