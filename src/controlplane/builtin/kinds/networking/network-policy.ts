import type * as networking from "../../../../generated/k8s/networking-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { selectorErrors } from "../../../../kube/selectors/selector-rules.ts";
import { type Range, masked, parseRange, rangeErrors } from "../../shared/addresses/addresses.ts";
import { checkPortNumber, checked, portNameErrors } from "../../shared/checks.ts";
import type { Shaped, ShapedObject } from "../../shared/shapes.ts";
import type { KindRules } from "../../kind-rules.ts";
import { seesEmptied } from "../../generation.ts";
import { selectorCell } from "../../tables/cells.ts";

function setNetworkPolicyDefaults(object: NetworkPolicy): void {
  const { spec } = object;
  spec.policyTypes ??= spec.egress ? ["Ingress", "Egress"] : ["Ingress"];
  for (const { ports = [] } of [...(spec.ingress ?? []), ...(spec.egress ?? [])]) {
    for (const port of ports) port.protocol ??= "TCP";
  }
}

function isStrictSubset(inner: Range, outer: Range): boolean {
  return (
    inner.bits === outer.bits &&
    inner.length > outer.length &&
    masked(inner, outer.length) === masked(outer, outer.length)
  );
}

type NetworkPolicy = ShapedObject<networking.NetworkPolicy, "spec">;

const PROTOCOLS = ["TCP", "UDP", "SCTP"];
const DIRECTIONS = ["Ingress", "Egress"];

function checkNetworkPolicy(policy: Check<NetworkPolicy>): void {
  const spec = policy.at("spec");
  spec.at("podSelector").by(selectorErrors);
  spec.at("ingress").each((rule) => {
    rule.at("ports").each(checkPort);
    rule.at("from").each(checkPeer);
  });
  spec.at("egress").each((rule) => {
    rule.at("ports").each(checkPort);
    rule.at("to").each(checkPeer);
  });
  const types = spec.at("policyTypes");
  if ((types.value ?? []).length > DIRECTIONS.length) {
    types.invalid("may not specify more than two policyTypes");
  } else types.each((type) => type.oneOf(DIRECTIONS));
}

function checkPort(check: Check<Shaped<networking.NetworkPolicyPort>>): void {
  const { protocol, port, endPort } = check.value;
  const end = check.at("endPort");
  if (protocol !== undefined) check.at("protocol").oneOf(PROTOCOLS);
  if (port === undefined) {
    if (endPort !== undefined) end.invalid("may not be specified when `port` is not specified");
  } else if (typeof port === "string") {
    if (endPort !== undefined) end.invalid("may not be specified when `port` is non-numeric");
    check.at("port").named(portNameErrors);
  } else {
    checkPortNumber(check.child("port", port));
    if (endPort === undefined) return;
    if (endPort < port) end.invalid("must be greater than or equal to `port`");
    checkPortNumber(end);
  }
}

function checkPeer(peer: Check<Shaped<networking.NetworkPolicyPeer>>): void {
  const { podSelector, namespaceSelector, ipBlock } = peer.value;
  peer.at("podSelector").ifSet((selector) => selector.by(selectorErrors));
  peer.at("namespaceSelector").ifSet((selector) => selector.by(selectorErrors));
  peer.at("ipBlock").ifSet(checkBlock);
  if (!podSelector && !namespaceSelector && !ipBlock) peer.required("must specify a peer");
  else if (ipBlock && (podSelector ?? namespaceSelector)) {
    peer.forbidden("may not specify both ipBlock and another peer");
  }
}

function checkBlock(
  ipBlock: Check<NonNullable<Shaped<networking.NetworkPolicyPeer>["ipBlock"]>>,
): void {
  const cidr = ipBlock.at("cidr");
  if (!cidr.given()) return;
  cidr.named(rangeErrors);
  const block = parseRange(cidr.value);
  if (!block) return;
  ipBlock.at("except").each((except) => {
    except.named(rangeErrors);
    const hole = parseRange(except.value);
    if (hole && !isStrictSubset(hole, block)) except.invalid("must be a strict subset of `cidr`");
  });
}

export const networkPolicyRules: KindRules = {
  validate: checked(checkNetworkPolicy),
  generation: ["spec"],
  wrap: seesEmptied("spec"),
  setDefaults: setNetworkPolicyDefaults,
  table: { "Pod-Selector": selectorCell("spec.podSelector") },
};
