import type * as core from "../../../../generated/k8s/core-v1.ts";
import type { Check } from "../../../../kube/check.ts";
import { type FieldError, duplicate, internalError } from "../../../../kube/field-errors.ts";
import { labelValueErrors, qualifiedNameErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import type { WriteContext } from "../../../kinds.ts";
import { at, listAt, textAt } from "../../at.ts";
import { isOneOfEach, parseRange, rangeErrors } from "../../shared/addresses/addresses.ts";
import { checked, checkedChange } from "../../shared/checks.ts";
import { EFFECTS } from "../../shared/pods/scheduling.ts";
import { checkAmount } from "../../shared/resource-names.ts";
import type { Shaped, ShapedObject } from "../../shared/shapes.ts";
import { asGiven } from "../../go/emptied.ts";
import type { KindRules } from "../../kind-rules.ts";
import { conditionOf } from "../../tables/cells.ts";
import { fields } from "../../selectable-fields.ts";

function setNodeDefaults(object: Node): void {
  const { status, spec } = object;
  // The single range wins when both are present and differ.
  if (spec?.podCIDR && spec.podCIDR !== spec.podCIDRs?.[0]) spec.podCIDRs = [spec.podCIDR];
  else if (spec?.podCIDRs?.[0]) spec.podCIDR = spec.podCIDRs[0];
  if (status?.capacity && asGiven(status, "allocatable") === null) {
    status.allocatable = { ...status.capacity };
  }
}

/** Taints a new node as not ready, until the first report that it is. */
function prepareNodeForCreate(node: Node, { plugins }: WriteContext): void {
  prepareNodeForUpdate(node);
  if (!plugins.isOn("TaintNodesByCondition")) return;
  const taints = ((node.spec ??= {}).taints ??= []);
  const key = "node.kubernetes.io/not-ready";
  if (!taints.some((taint) => taint.key === key && taint.effect === "NoSchedule")) {
    taints.push({ key, effect: "NoSchedule" });
  }
}

/** Drops the kubelet's configuration, which a node no longer contains. */
function prepareNodeForUpdate(object: Node): void {
  delete object.spec?.configSource;
}

function prepareNodeStatus(object: Node): void {
  delete object.status?.config;
}

export type Node = ShapedObject<core.Node>;

function checkResources(node: Check<Node>): void {
  for (const part of ["capacity", "allocatable"] as const) {
    const amounts = node.at("status", part);
    amounts.eachEntry(({ value }, name) => checkAmount(amounts.child(name, value), name));
  }
}

function checkNode(node: Check<Node>): void {
  const ranges = node.at("spec", "podCIDRs");
  checkTaints(node);
  checkResources(node);
  ranges.each((range) => range.named(rangeErrors));
  const { value: list = [] } = ranges;
  if (list.length < 2) return;
  ranges.by(unparsedErrors);
  if (!isOneOfEach(list)) {
    ranges.invalid("may specify no more than one CIDR for each IP family");
  }
}

/** The error of an invalid range among several, whose families cannot be compared. */
function unparsedErrors(field: string, ranges: readonly string[] = []): FieldError[] {
  const index = ranges.findIndex((range) => !parseRange(range));
  if (index === -1) return [];
  const problem = `invalid CIDR[${index}]: <nil> (invalid CIDR address: ${ranges[index] ?? ""})`;
  const detail = `invalid PodCIDRs. failed to check with dual stack with error:${problem}`;
  return [internalError(field, detail)];
}

function nodeWarnings(object: Node): string[] {
  const { configSource, externalID } = object.spec ?? {};
  const unused = "is deprecated, and is unused by Kubernetes";
  return [
    ...(configSource
      ? [
          "spec.configSource: the feature is no longer supported since v1.22; use kubelet config instead",
        ]
      : []),
    ...(externalID ? [`spec.externalID: this field ${unused}`] : []),
  ];
}

/** Validates a change of a node, in its spec or in its status. */
function checkChange(node: Check<Node>, previous: Node): void {
  const { podCIDRs = [], providerID = "", externalID = "" } = node.value.spec ?? {};
  const { podCIDRs: old = [], providerID: oldProvider = "" } = previous.spec ?? {};
  checkResources(node);
  const addresses = new Set<string>();
  node.at("status", "addresses").each((address) => {
    const { type, address: text } = address.value;
    address.uniqueIn(addresses, { Type: type, Address: text });
  });
  const changed =
    podCIDRs.length === old.length
      ? old.filter((range, index) => range !== podCIDRs[index]).length
      : Math.min(old.length, 1);
  const ranges = node.at("spec", "podCIDRs");
  for (let count = 0; count < changed; count++) {
    ranges.forbidden('node updates may not change podCIDR except from "" to valid');
  }
  if (oldProvider !== "" && providerID !== oldProvider) {
    node.child("spec.providerID", undefined).invalid("field cannot be modified once set");
  }
  checkTaints(node);
  if (externalID !== (previous.spec?.externalID ?? "")) {
    node.at("spec", "externalID").forbidden("may not be updated");
  }
}

/** Validates the taints of a node: each key and effect once. */
function checkTaints(node: Check<Node>): void {
  const seen = new Set<string>();
  node.child("metadata.taints", node.value.spec?.taints).each((taint) => {
    checkTaint(taint);
    const { key, value = "", effect, timeAdded = null } = taint.value;
    const pair = `${effect}/${key}`;
    if (seen.has(pair)) {
      const shown = { Key: key, Value: value, Effect: effect, TimeAdded: timeAdded };
      const error = duplicate(taint.field, shown);
      const message = `${error.message}: taints must be unique by key and effect pair`;
      taint.add([{ ...error, message }]);
    }
    seen.add(pair);
  });
}

function checkTaint(taint: Check<Shaped<core.Taint>>): void {
  taint.at("key").named(qualifiedNameErrors);
  const details = labelValueErrors(taint.value.value ?? "");
  if (details.length > 0) taint.at("value").invalid(details.join(";"));
  if (taint.at("effect").given()) taint.at("effect").oneOf(EFFECTS);
}

function nodeStatus(node: SentObject): string {
  const ready = conditionOf(node, "Ready");
  const status = !ready ? "Unknown" : textAt(ready, "status") === "True" ? "Ready" : "NotReady";
  return at(node, "spec.unschedulable") === true ? `${status},SchedulingDisabled` : status;
}

const ROLE_PREFIX = "node-role.kubernetes.io/";

function nodeRoles(node: SentObject): string {
  const roles = Object.entries(node.metadata.labels ?? {}).flatMap(([key, value]) => {
    if (key.startsWith(ROLE_PREFIX)) return [key.slice(ROLE_PREFIX.length)];
    return key === "kubernetes.io/role" ? [value] : [];
  });
  return [...new Set(roles.filter((role) => role !== ""))].sort().join(",") || "<none>";
}

const nodeAddress = (type: string) => (node: SentObject) =>
  textAt(
    listAt(node, "status.addresses").find((address) => textAt(address, "type") === type),
    "address",
    "<none>",
  );

function kernelVersion(node: SentObject): string {
  const version = textAt(node, "status.nodeInfo.kernelVersion", "<unknown>");
  const architecture = textAt(node, "status.nodeInfo.architecture");
  return architecture === "" ? version : `${version} (${architecture})`;
}

export const nodeRules: KindRules = {
  warnings: nodeWarnings,
  validate: checked(checkNode),
  validateUpdate: checkedChange(checkChange),
  validateStatus: checkedChange(checkChange),
  prepareForUpdate: prepareNodeForUpdate,
  prepareForStatus: prepareNodeStatus,
  status: "all",
  setDefaults: setNodeDefaults,
  prepareForCreate: prepareNodeForCreate,
  table: {
    Status: nodeStatus,
    Roles: nodeRoles,
    Version: "status.nodeInfo.kubeletVersion",
    "Internal-IP": nodeAddress("InternalIP"),
    "External-IP": nodeAddress("ExternalIP"),
    "OS-Image": ["status.nodeInfo.osImage", "<unknown>"],
    "Kernel-Version": kernelVersion,
    "Container-Runtime": ["status.nodeInfo.containerRuntimeVersion", "<unknown>"],
  },
  metadataChecks: ["whole", "change"],
  selectsNoNamespace: true,
  selectableFields: fields(["spec.unschedulable", "false"]),
  // A kubelet registers its node with a status.
  wrap: (strategy) => ({
    ...strategy,
    prepareForCreate(node: Node, context) {
      const { status } = node;
      strategy.prepareForCreate(node, context);
      if (status) node.status = status;
      prepareNodeStatus(node);
    },
  }),
};
