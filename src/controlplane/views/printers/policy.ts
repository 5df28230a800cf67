/**
 * The smaller groups as tables: policy, access, admission, scheduling, leases, certificates, devices.
 *
 * @module
 */
import type { SentObject } from "../../../kube/object.ts";
import { selectorText } from "../../../kube/selector-text.ts";
import { at, listAt, numberAt, textAt } from "../../builtin/at.ts";
import type { TablePrinter } from "../../kinds.ts";
import { humanDuration } from "../age.ts";
import {
  BOOLEAN,
  INTEGER,
  WIDE,
  ageColumn,
  column,
  conditionOf,
  countColumn,
  nameColumn,
  printer,
  textColumn,
} from "./column.ts";

type Printers = Readonly<Record<string, TablePrinter>>;

/** The group policy, by kind. */
export const policyPrinters: Printers = {
  PodDisruptionBudget: printer([
    nameColumn,
    textColumn("Min Available", "spec.minAvailable", "N/A"),
    textColumn("Max Unavailable", "spec.maxUnavailable", "N/A"),
    column(
      "Allowed Disruptions",
      (object) => numberAt(object, "status.disruptionsAllowed"),
      INTEGER,
    ),
    ageColumn,
  ]),
};

const subjects = (kind: string) => (binding: SentObject) =>
  listAt(binding, "subjects")
    .filter((subject) => textAt(subject, "kind") === kind)
    .map((subject) =>
      kind === "ServiceAccount"
        ? `${textAt(subject, "namespace")}/${textAt(subject, "name")}`
        : textAt(subject, "name"),
    )
    .join(", ");

const roleBinding = printer([
  nameColumn,
  column("Role", (object) => `${textAt(object, "roleRef.kind")}/${textAt(object, "roleRef.name")}`),
  ageColumn,
  column("Users", subjects("User"), WIDE),
  column("Groups", subjects("Group"), WIDE),
  column("ServiceAccounts", subjects("ServiceAccount"), WIDE),
]);

/** The group rbac.authorization.k8s.io, by kind; roles have no columns of their own. */
export const accessPrinters: Printers = {
  RoleBinding: roleBinding,
  ClusterRoleBinding: roleBinding,
};

// ---- admission

function paramKind(policy: SentObject): string {
  const kind = at(policy, "spec.paramKind");
  return kind ? `${textAt(kind, "apiVersion")}/${textAt(kind, "kind")}` : "<unset>";
}

function paramReference(binding: SentObject): string {
  const name = textAt(binding, "spec.paramRef.name");
  if (name !== "") return `${textAt(binding, "spec.paramRef.namespace", "*")}/${name}`;
  const selector = at(binding, "spec.paramRef.selector");
  return selector ? selectorText(selector) : "<unset>";
}

const webhooks = printer([nameColumn, countColumn("Webhooks", "webhooks"), ageColumn]);

const policyBinding = printer([
  nameColumn,
  textColumn("PolicyName", "spec.policyName"),
  column("ParamRef", paramReference),
  ageColumn,
]);

const admissionPolicy = (count: string, path: string): TablePrinter =>
  printer([nameColumn, countColumn(count, path), column("ParamKind", paramKind), ageColumn]);

/** The group admissionregistration.k8s.io, by kind. */
export const admissionPrinters: Printers = {
  MutatingWebhookConfiguration: webhooks,
  ValidatingWebhookConfiguration: webhooks,
  ValidatingAdmissionPolicy: admissionPolicy("Validations", "spec.validations"),
  ValidatingAdmissionPolicyBinding: policyBinding,
  MutatingAdmissionPolicy: admissionPolicy("Mutations", "spec.mutations"),
  MutatingAdmissionPolicyBinding: policyBinding,
};

// ---- aggregation

const serviceOf = (apiService: SentObject): string =>
  at(apiService, "spec.service") === undefined
    ? "Local"
    : `${textAt(apiService, "spec.service.namespace")}/${textAt(apiService, "spec.service.name")}`;

function availability(apiService: SentObject): string {
  const condition = conditionOf(apiService, "Available");
  const status = textAt(condition, "status", "Unknown");
  const reason = status === "True" ? "" : textAt(condition, "reason");
  return reason === "" ? status : `${status} (${reason})`;
}

/** The group apiregistration.k8s.io, by kind. */
export const aggregationPrinters: Printers = {
  APIService: printer([
    nameColumn,
    column("Service", serviceOf),
    column("Available", availability),
    ageColumn,
  ]),
};

// ---- scheduling, nodes, leases

/** The group scheduling.k8s.io, by kind. */
export const schedulingPrinters: Printers = {
  PriorityClass: printer([
    nameColumn,
    column("Value", (object) => numberAt(object, "value"), INTEGER),
    column("Global-Default", (object) => at(object, "globalDefault") === true, BOOLEAN),
    ageColumn,
    textColumn("PreemptionPolicy", "preemptionPolicy"),
  ]),
};

/** The group node.k8s.io, by kind. */
export const nodePrinters: Printers = {
  RuntimeClass: printer([nameColumn, textColumn("Handler", "handler"), ageColumn]),
};

/** The group coordination.k8s.io, by kind. */
export const coordinationPrinters: Printers = {
  Lease: printer([nameColumn, textColumn("Holder", "spec.holderIdentity"), ageColumn]),
};

// ---- certificates

function requestCondition(request: SentObject): string {
  const types = new Set(
    listAt(request, "status.conditions").map((condition) => textAt(condition, "type")),
  );
  const decision = types.has("Denied") ? "Denied" : types.has("Approved") ? "Approved" : "Pending";
  const failed = types.has("Failed") ? ",Failed" : "";
  const issued = textAt(request, "status.certificate") === "" ? "" : ",Issued";
  return `${decision}${failed}${issued}`;
}

function requestedDuration(request: SentObject): string {
  const seconds = at(request, "spec.expirationSeconds");
  return typeof seconds === "number" ? humanDuration(seconds * 1000) : "<none>";
}

/** The group certificates.k8s.io, by kind. */
export const certificatePrinters: Printers = {
  CertificateSigningRequest: printer([
    nameColumn,
    ageColumn,
    textColumn("SignerName", "spec.signerName", "<none>"),
    textColumn("Requestor", "spec.username"),
    column("RequestedDuration", requestedDuration),
    column("Condition", requestCondition),
  ]),
};

// ---- priority and fairness

function dangling(flow: SentObject): string {
  const condition = conditionOf(flow, "Dangling");
  return condition ? textAt(condition, "status") : "?";
}

const limited = (path: string) => (level: SentObject) =>
  at(level, `spec.limited.${path}`) ?? "<none>";

/** The group flowcontrol.apiserver.k8s.io, by kind. */
export const flowPrinters: Printers = {
  FlowSchema: printer([
    nameColumn,
    textColumn("PriorityLevel", "spec.priorityLevelConfiguration.name"),
    column("MatchingPrecedence", (object) => numberAt(object, "spec.matchingPrecedence")),
    textColumn("DistinguisherMethod", "spec.distinguisherMethod.type", "<none>"),
    ageColumn,
    column("MissingPL", dangling),
  ]),
  PriorityLevelConfiguration: printer([
    nameColumn,
    textColumn("Type", "spec.type"),
    column("NominalConcurrencyShares", limited("nominalConcurrencyShares")),
    column("Queues", limited("limitResponse.queuing.queues")),
    column("HandSize", limited("limitResponse.queuing.handSize")),
    column("QueueLengthLimit", limited("limitResponse.queuing.queueLengthLimit")),
    ageColumn,
  ]),
};

// ---- devices

function claimState(claim: SentObject): string {
  const isDeleted = claim.metadata.deletionTimestamp !== undefined;
  const isAllocated = at(claim, "status.allocation") !== undefined;
  const isReserved = isAllocated && listAt(claim, "status.reservedFor").length > 0;
  return [
    ...(isDeleted ? ["deleted"] : []),
    ...(isAllocated ? ["allocated"] : isDeleted ? [] : ["pending"]),
    ...(isReserved ? ["reserved"] : []),
  ].join(",");
}

/** The group resource.k8s.io, by kind. */
export const devicePrinters: Printers = {
  DeviceClass: printer([nameColumn, ageColumn]),
  ResourceClaim: printer([nameColumn, column("State", claimState), ageColumn]),
  ResourceClaimTemplate: printer([nameColumn, ageColumn]),
  ResourceSlice: printer([
    nameColumn,
    textColumn("Node", "spec.nodeName"),
    textColumn("Driver", "spec.driver"),
    textColumn("Pool", "spec.pool.name"),
    ageColumn,
  ]),
};
