/** Rules of the kind NetworkPolicy. */
import {
  type FieldError,
  forbidden,
  invalidValue,
  nameErrorsAt,
  notSupported,
  required,
} from "../../../../kube/field-errors.ts";
import type { SentObject } from "../../../../kube/object.ts";
import { selectorErrors } from "../../../../kube/selectors/selector-rules.ts";
import { at } from "../../at.ts";
import { type Range, masked, parseRange, rangeErrors } from "../../shared/addresses/addresses.ts";
import { portNameErrors, portNumber } from "../../shared/checks.ts";
import type { IntOrString, LabelSelector } from "../../shared/shapes.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import {
  ageColumn,
  column,
  formatLabelSelector,
  nameColumn,
  printer,
} from "../../tables/column.ts";

function setNetworkPolicyDefaults(object: NetworkPolicy): void {
  const { spec } = object;
  spec.policyTypes ??= spec.egress ? ["Ingress", "Egress"] : ["Ingress"];
  for (const { ports = [] } of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
    for (const port of ports) port.protocol ??= "TCP";
  }
}

/** Whether `inner` is a proper subset of `outer`. */
function isStrictSubset(inner: Range, outer: Range): boolean {
  return (
    inner.bits === outer.bits &&
    inner.length > outer.length &&
    masked(inner, outer.length) === masked(outer, outer.length)
  );
}

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

function networkPolicyErrors(object: NetworkPolicy): FieldError[] {
  const { spec } = object;
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

/** The rules of NetworkPolicies. */
export const networkPolicyRules: KindRules = {
  validate: networkPolicyErrors,
  generation: ["spec"],
  generationSeesEmpty: true,
  setDefaults: setNetworkPolicyDefaults,
  table: printer([
    nameColumn,
    column(
      "Pod-Selector",
      (object) => formatLabelSelector(at(object, "spec.podSelector")) || "<none>",
    ),
    ageColumn,
  ]),
};
