/**
 * The core group as tables, but for pods and volumes.
 *
 * @module
 */
import type { SentObject } from "../../../kube/object.ts";
import { at, listAt, mapAt, numberAt, textAt, textOf } from "../../builtin/at.ts";
import type { TablePrinter } from "../../kinds.ts";
import { ageOf } from "../age.ts";
import {
  INTEGER,
  WIDE,
  ageColumn,
  column,
  conditionOf,
  containerColumns,
  countColumn,
  formatLabels,
  listWithMore,
  nameColumn,
  printer,
  textColumn,
} from "./column.ts";
import { podPrinter } from "./pod.ts";

// ---- services

/** The addresses that a load balancer gave, sorted. */
export function loadBalancerAddresses(object: SentObject): readonly string[] {
  const addresses = listAt(object, "status.loadBalancer.ingress")
    .map((ingress) => textAt(ingress, "ip", textAt(ingress, "hostname")))
    .filter((address) => address !== "");
  return [...new Set(addresses)].sort();
}

function externalAddress(service: SentObject): string {
  const external = listAt(service, "spec.externalIPs").map(String);
  switch (textAt(service, "spec.type")) {
    case "ClusterIP":
    case "NodePort":
      return external.join(",") || "<none>";
    case "LoadBalancer":
      return [...loadBalancerAddresses(service), ...external].join(",") || "<pending>";
    case "ExternalName":
      return textAt(service, "spec.externalName");
    default:
      return "<unknown>";
  }
}

function servicePort(port: unknown): string {
  const nodePort = numberAt(port, "nodePort");
  const number = textAt(port, "port");
  return `${nodePort > 0 ? `${number}:${nodePort}` : number}/${textAt(port, "protocol")}`;
}

const service = printer([
  nameColumn,
  textColumn("Type", "spec.type"),
  column("Cluster-IP", (object) => textOf(listAt(object, "spec.clusterIPs")[0], "<none>")),
  column("External-IP", externalAddress),
  column(
    "Port(s)",
    (object) => listAt(object, "spec.ports").map(servicePort).join(",") || "<none>",
  ),
  ageColumn,
  column("Selector", (object) => formatLabels(mapAt(object, "spec.selector")), WIDE),
]);

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

// ---- nodes

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

const node = printer([
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
]);

// ---- events: one store, shown in the core group's form

function firstSeen(event: SentObject): string {
  return textAt(event, "firstTimestamp", textAt(event, "eventTime"));
}

function lastSeen(event: SentObject): string {
  if (at(event, "series")) return textAt(event, "series.lastObservedTime");
  return textAt(event, "lastTimestamp", firstSeen(event));
}

function eventCount(event: SentObject): number {
  return at(event, "series") ? numberAt(event, "series.count") : numberAt(event, "count") || 1;
}

function eventObject(event: SentObject): string {
  const kind = textAt(event, "involvedObject.kind").toLowerCase();
  const name = textAt(event, "involvedObject.name");
  return name === "" ? kind : `${kind}/${name}`;
}

function eventSource(event: SentObject): string {
  const component = textAt(event, "source.component", textAt(event, "reportingComponent"));
  const instance = textAt(event, "source.host", textAt(event, "reportingInstance"));
  return instance === "" ? component : `${component}, ${instance}`;
}

const event = printer(
  [
    column("Last Seen", (object, nowMs) => ageOf(lastSeen(object), nowMs)),
    textColumn("Type", "type"),
    textColumn("Reason", "reason"),
    column("Object", eventObject),
    textColumn("Subobject", "involvedObject.fieldPath", "", WIDE),
    column("Source", eventSource, WIDE),
    column("Message", (object) => textAt(object, "message").trim()),
    column("First Seen", (object, nowMs) => ageOf(firstSeen(object), nowMs), WIDE),
    column("Count", eventCount, WIDE),
    textColumn("Name", "metadata.name", "", { format: "name", metadataField: "name", ...WIDE }),
  ],
  { version: "v1" },
);

// ---- the rest

/** `requests` or `limits` of a quota: what is used of what is allowed. */
const quota = (limits: boolean) => (object: SentObject) =>
  Object.entries(mapAt(object, "status.hard"))
    .filter(([resource]) => resource.startsWith("limits.") === limits)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([resource, hard]) => {
      const used = textOf(mapAt(object, "status.used")[resource], "0");
      return `${resource}: ${used}/${textOf(hard)}`;
    })
    .join(", ");

function healthy(object: SentObject): unknown {
  return listAt(object, "conditions").find((condition) => textAt(condition, "type") === "Healthy");
}

function componentStatus(object: SentObject): string {
  const condition = healthy(object);
  if (!condition) return "Unknown";
  return textAt(condition, "status") === "True" ? "Healthy" : "Unhealthy";
}

const labelCell = (path: string) => (object: SentObject) => formatLabels(mapAt(object, path));

/** By kind. */
export const corePrinters: Readonly<Record<string, TablePrinter>> = {
  Pod: podPrinter,
  Service: service,
  Node: node,
  Event: event,
  ConfigMap: printer([
    nameColumn,
    column(
      "Data",
      (object) =>
        Object.keys(mapAt(object, "data")).length + Object.keys(mapAt(object, "binaryData")).length,
    ),
    ageColumn,
  ]),
  Secret: printer([
    nameColumn,
    textColumn("Type", "type"),
    countColumn("Data", "data", { type: "string" }),
    ageColumn,
  ]),
  ServiceAccount: printer([nameColumn, ageColumn]),
  Endpoints: printer([nameColumn, column("Endpoints", endpointsText), ageColumn]),
  Namespace: printer([nameColumn, textColumn("Status", "status.phase"), ageColumn]),
  ResourceQuota: printer([
    nameColumn,
    column("Request", quota(false)),
    column("Limit", quota(true)),
    ageColumn,
  ]),
  PodTemplate: printer([
    nameColumn,
    ...containerColumns("template.spec.containers", {}),
    column("Pod Labels", labelCell("template.metadata.labels")),
  ]),
  ReplicationController: printer([
    nameColumn,
    column("Desired", (object) => numberAt(object, "spec.replicas"), INTEGER),
    column("Current", (object) => numberAt(object, "status.replicas"), INTEGER),
    column("Ready", (object) => numberAt(object, "status.readyReplicas"), INTEGER),
    ageColumn,
    ...containerColumns("spec.template.spec.containers"),
    column("Selector", labelCell("spec.selector"), WIDE),
  ]),
  ComponentStatus: printer([
    nameColumn,
    column("Status", componentStatus),
    column("Message", (object) => textAt(healthy(object), "message")),
    column("Error", (object) => textAt(healthy(object), "error")),
  ]),
};
