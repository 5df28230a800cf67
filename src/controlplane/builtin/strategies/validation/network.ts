/**
 * Validation of NetworkPolicies, ServiceCIDRs and IPAddresses.
 *
 * @module
 */
import {
  type FieldError,
  forbidden,
  invalidValue,
  notSupported,
  required,
  nameErrorsAt,
} from "../../../../kube/field-errors.ts";
import { dns1123SubdomainErrors, pathSegmentErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import type { IntOrString, LabelSelector } from "../shapes.ts";
import {
  addressErrors,
  isOneOfEach,
  isStrictSubset,
  parseRange,
  rangeErrors,
} from "./addresses.ts";
import { selectorErrors } from "../../../../kube/selector-rules.ts";
import { IMMUTABLE, immutableForm, portNameErrors, portNumber } from "./checks.ts";
import { asGiven } from "../emptied.ts";

interface PolicyPort {
  protocol?: string;
  port?: IntOrString;
  endPort?: number;
}

interface PolicyPeer {
  podSelector?: LabelSelector;
  namespaceSelector?: LabelSelector;
  ipBlock?: { cidr: string; except?: string[] };
}

interface NetworkPolicy extends SentObject {
  spec: {
    podSelector: LabelSelector;
    ingress?: { ports?: PolicyPort[]; from?: PolicyPeer[] }[];
    egress?: { ports?: PolicyPort[]; to?: PolicyPeer[] }[];
    policyTypes?: string[];
  };
}

const PROTOCOLS = ["TCP", "UDP", "SCTP"];
const DIRECTIONS = ["Ingress", "Egress"];

export function networkPolicyErrors(object: SentObject): FieldError[] {
  const { spec } = object as NetworkPolicy;
  const { podSelector, ingress = [], egress = [], policyTypes = [] } = spec;
  const errors = selectorErrors("spec.podSelector", podSelector);
  for (const [index, rule] of ingress.entries()) {
    errors.push(...ruleErrors(`spec.ingress[${index}]`, "from", rule.ports, rule.from));
  }
  for (const [index, rule] of egress.entries()) {
    errors.push(...ruleErrors(`spec.egress[${index}]`, "to", rule.ports, rule.to));
  }
  if (policyTypes.length > DIRECTIONS.length) {
    const detail = "may not specify more than two policyTypes";
    return [...errors, invalidValue("spec.policyTypes", policyTypes, detail)];
  }
  for (const [index, type] of policyTypes.entries()) {
    if (!DIRECTIONS.includes(type)) {
      errors.push(notSupported(`spec.policyTypes[${index}]`, type, DIRECTIONS));
    }
  }
  return errors;
}

function ruleErrors(
  at: string,
  list: "from" | "to",
  ports: readonly PolicyPort[] = [],
  peers: readonly PolicyPeer[] = [],
): FieldError[] {
  return [
    ...ports.flatMap((port, index) => policyPortErrors(`${at}.ports[${index}]`, port)),
    ...peers.flatMap((peer, index) => peerErrors(`${at}.${list}[${index}]`, peer)),
  ];
}

function policyPortErrors(at: string, { protocol, port, endPort }: PolicyPort): FieldError[] {
  const errors: FieldError[] = [];
  const end = `${at}.endPort`;
  if (protocol !== undefined && !PROTOCOLS.includes(protocol)) {
    errors.push(notSupported(`${at}.protocol`, protocol, PROTOCOLS));
  }
  if (port === undefined) {
    if (endPort === undefined) return errors;
    const detail = "may not be specified when `port` is not specified";
    return [...errors, invalidValue(end, endPort, detail)];
  }
  if (typeof port === "string") {
    if (endPort !== undefined) {
      errors.push(invalidValue(end, endPort, "may not be specified when `port` is non-numeric"));
    }
    return [...errors, ...nameErrorsAt(`${at}.port`, port, portNameErrors)];
  }
  errors.push(...portNumber(`${at}.port`, port));
  if (endPort === undefined) return errors;
  if (endPort < port) {
    errors.push(invalidValue(end, port, "must be greater than or equal to `port`"));
  }
  return [...errors, ...portNumber(end, endPort)];
}

function peerErrors(at: string, peer: PolicyPeer): FieldError[] {
  const { podSelector, namespaceSelector, ipBlock } = peer;
  const errors: FieldError[] = [];
  if (podSelector) errors.push(...selectorErrors(`${at}.podSelector`, podSelector));
  if (namespaceSelector) {
    errors.push(...selectorErrors(`${at}.namespaceSelector`, namespaceSelector));
  }
  if (ipBlock) errors.push(...blockErrors(`${at}.ipBlock`, ipBlock));
  if (!podSelector && !namespaceSelector && !ipBlock) {
    errors.push(required(at, "must specify a peer"));
  } else if (ipBlock && (podSelector ?? namespaceSelector)) {
    errors.push(forbidden(at, "may not specify both ipBlock and another peer"));
  }
  return errors;
}

function blockErrors(
  at: string,
  { cidr, except = [] }: NonNullable<PolicyPeer["ipBlock"]>,
): FieldError[] {
  if (cidr === "") return [required(`${at}.cidr`)];
  const errors = rangeErrors(`${at}.cidr`, cidr);
  const block = parseRange(cidr);
  if (!block) return errors;
  for (const [index, text] of except.entries()) {
    const field = `${at}.except[${index}]`;
    errors.push(...rangeErrors(field, text));
    const hole = parseRange(text);
    if (hole && !isStrictSubset(hole, block)) {
      errors.push(invalidValue(field, text, "must be a strict subset of `cidr`"));
    }
  }
  return errors;
}

interface ServiceCidr extends SentObject {
  spec?: { cidrs?: string[] };
}

export function newServiceCidrErrors(object: SentObject): FieldError[] {
  const field = "spec.cidrs";
  const { cidrs = [] } = (object as ServiceCidr).spec ?? {};
  if (cidrs.length === 0) return [required(field, "at least one CIDR required")];
  if (cidrs.length > 2) {
    return [invalidValue(field, { CIDRs: cidrs }, "may only hold up to 2 values")];
  }
  const errors = cidrs.flatMap((cidr, index) => rangeErrors(`${field}[${index}]`, cidr));
  if (cidrs.length === 2 && cidrs.every((cidr) => parseRange(cidr)) && !isOneOfEach(cidrs)) {
    errors.push(
      invalidValue(
        field,
        cidrs,
        "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64",
      ),
    );
  }
  return errors;
}

/** Ranges stay; a second one may come. */
export function serviceCidrUpdateErrors(object: SentObject, previous: SentObject): FieldError[] {
  const { cidrs = [] } = (object as ServiceCidr).spec ?? {};
  const { cidrs: old = [] } = (previous as ServiceCidr).spec ?? {};
  const changed = old.flatMap((before, index) =>
    cidrs[index] === before
      ? []
      : [invalidValue(`spec.cidrs[${index}]`, cidrs[index] ?? "", IMMUTABLE)],
  );
  if (cidrs.length === old.length) return changed;
  if (old.length === 1 && cidrs.length === 2) return [...changed, ...newServiceCidrErrors(object)];
  return [invalidValue("spec.cidrs", asGiven((object as ServiceCidr).spec, "cidrs"), IMMUTABLE)];
}

interface IpAddress extends SentObject {
  spec?: {
    parentRef?: { group?: string; resource?: string; namespace?: string; name?: string };
  };
}

/** The name is the address itself, in canonical form. */
export const addressNameErrors = (name: string): string[] =>
  addressErrors("", name).map(({ message }) => message.slice(message.indexOf('": ') + 3));

export function newIpAddressErrors(object: SentObject): FieldError[] {
  const parent = (object as IpAddress).spec?.parentRef;
  const at = "spec.parentRef";
  if (!parent) return [required(at)];
  const { group = "", resource = "", name = "", namespace = "" } = parent;
  return [
    ...(group === "" ? [] : nameErrorsAt(`${at}.group`, group, dns1123SubdomainErrors)),
    ...segmentErrors(`${at}.resource`, resource),
    ...segmentErrors(`${at}.name`, name),
    ...(namespace === "" ? [] : segmentErrors(`${at}.namespace`, namespace)),
  ];
}

/** A name that can stand in a path, and is there. */
export function segmentErrors(field: string, name: string): FieldError[] {
  return name === ""
    ? [required(field)]
    : nameErrorsAt(field, name, (text) => pathSegmentErrors(text));
}

export function ipAddressUpdateErrors(object: SentObject, previous: SentObject): FieldError[] {
  const parentOf = (address: SentObject): unknown => (address as IpAddress).spec?.parentRef;
  return immutableForm(
    "spec.parentRef",
    "*networking.ParentReference",
    parentOf(object),
    parentOf(previous),
  );
}
