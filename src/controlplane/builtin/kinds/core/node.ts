/** Rules of the kind Node. */
import {
  type FieldError,
  duplicate,
  forbidden,
  invalidValue,
  nameErrorsAt,
  required,
} from "../../../../kube/field-errors.ts";
import { labelValueErrors, qualifiedNameErrors } from "../../../../kube/names.ts";
import type { SentObject } from "../../../../kube/object.ts";
import type { WriteContext } from "../../../kinds.ts";
import { at, listAt, textAt } from "../../at.ts";
import { isOneOfEach, parseRange, rangeErrors } from "../../shared/addresses/addresses.ts";
import { oneOf } from "../../shared/checks.ts";
import { EFFECTS } from "../../shared/pods/scheduling.ts";
import { amountErrors } from "../../shared/resource-names.ts";
import type { Condition, ResourceList } from "../../shared/shapes.ts";
import { asGiven } from "../../strategies/emptied.ts";
import type { KindRules } from "../../strategies/kind-rules.ts";
import {
  WIDE,
  ageColumn,
  column,
  conditionOf,
  nameColumn,
  printer,
  textColumn,
} from "../../tables/column.ts";
import { fields, labelNotSupported } from "../../selectable-fields.ts";

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
  prepareNodeStatus(node);
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

export interface Node extends SentObject {
  spec?: {
    unschedulable?: boolean;
    taints?: { key: string; value?: string; effect: string; timeAdded?: string }[];
    podCIDR?: string;
    podCIDRs?: string[];
    providerID?: string;
    configSource?: object;
    externalID?: string;
  };
  status?: {
    capacity?: ResourceList;
    allocatable?: ResourceList;
    conditions?: Condition[];
    addresses?: { type: string; address: string }[];
    config?: object;
    nodeInfo?: object;
  };
}

const amountsErrors = (field: string, amounts: ResourceList = {}): FieldError[] =>
  Object.entries(amounts).flatMap(([name, amount]) =>
    amountErrors(`${field}.${name}`, name, amount),
  );

const nodeResourceErrors = ({ status }: Node): FieldError[] => [
  ...amountsErrors("status.capacity", status?.capacity),
  ...amountsErrors("status.allocatable", status?.allocatable),
];

function newNodeErrors(node: Node): FieldError[] {
  const { taints = [], podCIDRs = [] } = node.spec ?? {};
  const field = "spec.podCIDRs";
  return [
    ...taintsErrors("metadata.taints", taints),
    ...nodeResourceErrors(node),
    ...podCIDRs.flatMap((range, index) => rangeErrors(`${field}[${index}]`, range)),
    ...(podCIDRs.length > 1 ? unparsedErrors(field, podCIDRs) : []),
    ...(podCIDRs.length > 1 && !isOneOfEach(podCIDRs)
      ? [invalidValue(field, podCIDRs, "may specify no more than one CIDR for each IP family")]
      : []),
  ];
}

/** The error of an invalid range among several, whose families cannot be compared. */
function unparsedErrors(field: string, ranges: readonly string[]): FieldError[] {
  const index = ranges.findIndex((range) => !parseRange(range));
  if (index === -1) return [];
  const problem = `invalid CIDR[${index}]: <nil> (invalid CIDR address: ${ranges[index] ?? ""})`;
  const message = `Internal error: invalid PodCIDRs. failed to check with dual stack with error:${problem}`;
  return [{ reason: "InternalError", field, message }];
}

/** Warnings about a Node. */
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
function nodeStatusErrors(node: Node, previous: Node): FieldError[] {
  const { podCIDRs = [], providerID = "", taints = [] } = node.spec ?? {};
  const { podCIDRs: old = [], providerID: oldProvider = "" } = previous.spec ?? {};
  const errors = nodeResourceErrors(node);
  const addresses = new Set<string>();
  for (const [index, { type, address }] of (node.status?.addresses ?? []).entries()) {
    const shown = { Type: type, Address: address };
    const key = JSON.stringify(shown);
    if (addresses.has(key)) errors.push(duplicate(`status.addresses[${index}]`, shown));
    addresses.add(key);
  }
  const changed =
    podCIDRs.length === old.length
      ? old.filter((range, index) => range !== podCIDRs[index]).length
      : Math.min(old.length, 1);
  for (let count = 0; count < changed; count++) {
    errors.push(
      forbidden("spec.podCIDRs", 'node updates may not change podCIDR except from "" to valid'),
    );
  }
  if (oldProvider !== "" && providerID !== oldProvider) {
    errors.push(
      forbidden(
        "spec.providerID",
        'node updates may not change providerID except from "" to valid',
      ),
    );
  }
  errors.push(...taintsErrors("metadata.taints", taints));
  const { externalID = "" } = node.spec ?? {};
  return externalID === (previous.spec?.externalID ?? "")
    ? errors
    : [...errors, forbidden("spec.externalID", "may not be updated")];
}

interface Taint {
  key: string;
  value?: string;
  effect: string;
  timeAdded?: string;
}

/** Validates the taints of a node: each key and effect once. */
function taintsErrors(field: string, taints: readonly Taint[] = []): FieldError[] {
  const seen = new Set<string>();
  return taints.flatMap((taint, index) => {
    const at = `${field}[${index}]`;
    const { key, value = "", effect } = taint;
    const errors = nameErrorsAt(`${at}.key`, key, qualifiedNameErrors);
    const details = labelValueErrors(value);
    if (details.length > 0) errors.push(invalidValue(`${at}.value`, value, details.join(";")));
    errors.push(
      ...(effect === "" ? [required(`${at}.effect`)] : oneOf(`${at}.effect`, effect, EFFECTS)),
    );
    const pair = `${effect}/${key}`;
    if (seen.has(pair)) {
      const shown = { Key: key, Value: value, Effect: effect, TimeAdded: taint.timeAdded ?? null };
      const error = duplicate(at, shown);
      const message = `${error.message}: taints must be unique by key and effect pair`;
      errors.push({ ...error, message });
    }
    seen.add(pair);
    return errors;
  });
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

/** The rules of Nodes. */
export const nodeRules: KindRules = {
  warnings: nodeWarnings,
  validateCreate: newNodeErrors,
  validateChanged: newNodeErrors,
  validateUpdate: nodeStatusErrors,
  validateStatus: nodeStatusErrors,
  prepareForUpdate: prepareNodeForUpdate,
  prepareForStatus: prepareNodeStatus,
  keepsStatusOnCreate: true,
  status: "all",
  setDefaults: setNodeDefaults,
  prepareForCreate: prepareNodeForCreate,
  table: printer([
    nameColumn,
    column("Status", nodeStatus),
    column("Roles", nodeRoles),
    ageColumn,
    textColumn("Version", "status.nodeInfo.kubeletVersion"),
    column("Internal-IP", nodeAddress("InternalIP"), WIDE),
    column("External-IP", nodeAddress("ExternalIP"), WIDE),
    textColumn("OS-Image", "status.nodeInfo.osImage", "<unknown>", WIDE),
    column("Kernel-Version", kernelVersion, WIDE),
    textColumn("Container-Runtime", "status.nodeInfo.containerRuntimeVersion", "<unknown>", WIDE),
  ]),
  metadataChecks: ["whole", "change"],
  refuseFieldLabel: labelNotSupported,
  selectsNoNamespace: true,
  selectableFields: fields(["spec.unschedulable", "false"]),
  columnFields: {
    Version: "core.v1.NodeSystemInfo.kubeletVersion",
    "Internal-IP": "core.v1.NodeStatus.addresses",
    "External-IP": "core.v1.NodeStatus.addresses",
    "OS-Image": "core.v1.NodeSystemInfo.osImage",
    "Kernel-Version": "core.v1.NodeSystemInfo.kernelVersion",
    "Container-Runtime": "core.v1.NodeSystemInfo.containerRuntimeVersion",
  },
  columnTexts: {
    Status: "The status of the node",
    Roles: "The roles of the node",
  },
};
