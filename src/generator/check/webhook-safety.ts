/**
 * Webhooks that make outages: while they do not answer, requests are refused that the operator or
 * the cluster needs to come back.
 *
 * These are warnings, as the checks do not see the whole: labels may keep a webhook away, and an
 * operator may mean it.
 *
 * @see https://kubernetes.io/docs/concepts/cluster-administration/admission-webhooks-good-practices/
 */
import type { Labels, LabelSelector } from "../../kube/selectors/selector.ts";
import { matchesLabelSelector } from "../../kube/selectors/selector.ts";
import { asksService } from "../emit/webhook-service.ts";
import type { Findings } from "../findings.ts";
import type { BuiltInKind, Position, WebhookEntry, WebhookModel, WebhookRule } from "../model.ts";

/** The part of the project that the checks need. */
interface ProjectName {
  readonly projectName: string;
}

/**
 * Notes webhooks that can cause an outage.
 *
 * @param builtIn - the kinds that every cluster has, asked for when need be
 */
export function checkSafety(
  webhooks: readonly WebhookModel[],
  project: ProjectName,
  builtIn: () => readonly BuiltInKind[],
  findings: Findings,
): void {
  for (const webhook of webhooks) {
    const entry = webhook.entry;
    checkTimeout(webhook, entry, findings);
    checkDryRun(webhook, entry, findings);
    if (entry.failurePolicy !== "Fail" || speaksOfNamespaces(entry)) continue;
    if (blocksOperator(webhook, entry, project, findings)) continue;
    blocksSystem(webhook, entry, project, builtIn, findings);
  }
}

const placeOf = ({ saidAt, at }: WebhookModel, option: string): Position =>
  saidAt.get(option) ?? at;

/** The API server's own, where nothing is said. */
const USUAL_TIMEOUT_SECONDS = 10;

function checkTimeout(
  webhook: WebhookModel,
  { timeoutSeconds }: WebhookEntry,
  findings: Findings,
): void {
  if (timeoutSeconds === undefined || timeoutSeconds <= USUAL_TIMEOUT_SECONDS) return;
  findings.warn(
    placeOf(webhook, "timeoutSeconds"),
    "webhook-slow",
    `timeoutSeconds is ${timeoutSeconds}. If the webhook does not respond, every matching request waits that long, and clients give up after 30 to 60 seconds.`,
    "Use 10 (the API server's default) or less.",
  );
}

function checkDryRun(
  webhook: WebhookModel,
  { sideEffects, clientConfig }: WebhookEntry,
  findings: Findings,
): void {
  const { handler, at } = webhook;
  if (sideEffects !== "NoneOnDryRun" || handler.readsDryRun || !asksService(clientConfig)) return;
  findings.warn(
    placeOf(webhook, "sideEffects"),
    "webhook-dry-run",
    `sideEffects: NoneOnDryRun declares that ${handler.name} has side effects and skips them for dry runs, but nothing in ${at.file} reads dryRun.`,
    "Check review.request.dryRun before each side effect, or remove the option if there are none.",
  );
}

/** A condition may leave namespaces out; what it comes to is not computed here. */
const speaksOfNamespaces = ({ matchConditions = [] }: WebhookEntry): boolean =>
  matchConditions.some(({ expression = "" }) => expression.includes("namespace"));

/** A resource that is written while an operator starts, and the parts of it that are. */
interface Needed {
  readonly group: string;
  readonly resource: string;
  readonly parts: readonly string[];
  /**
   * Whether the objects are cluster-scoped: selectors of namespaces do not keep a webhook away from
   * them.
   */
  readonly clusterScoped?: true;
  /** Whether the object is part of the scaffold, and has its labels. */
  readonly labelled?: true;
}

/** Objects that the operator and the cluster write until the operator answers again. */
const NEEDED: readonly Needed[] = [
  { group: "", resource: "pods", parts: ["", "status", "binding"], labelled: true },
  { group: "apps", resource: "deployments", parts: ["", "status"], labelled: true },
  { group: "apps", resource: "replicasets", parts: ["", "status"], labelled: true },
  { group: "", resource: "secrets", parts: [""] },
  { group: "", resource: "serviceaccounts", parts: ["", "token"], labelled: true },
  { group: "", resource: "services", parts: ["", "status"], labelled: true },
  { group: "", resource: "endpoints", parts: [""], labelled: true },
  { group: "discovery.k8s.io", resource: "endpointslices", parts: [""], labelled: true },
  { group: "coordination.k8s.io", resource: "leases", parts: [""] },
  { group: "", resource: "events", parts: [""] },
  { group: "events.k8s.io", resource: "events", parts: [""] },
  { group: "", resource: "namespaces", parts: ["", "status"], labelled: true },
  { group: "", resource: "nodes", parts: ["", "status"], clusterScoped: true },
  {
    group: "apiextensions.k8s.io",
    resource: "customresourcedefinitions",
    parts: ["", "status"],
    clusterScoped: true,
  },
  { group: "authentication.k8s.io", resource: "tokenreviews", parts: [""], clusterScoped: true },
  {
    group: "authorization.k8s.io",
    resource: "subjectaccessreviews",
    parts: [""],
    clusterScoped: true,
  },
];

const METADATA_NAME = "kubernetes.io/metadata.name";
const SYSTEM = "kube-system";

const namespaceOf = ({ projectName }: ProjectName): string => `${projectName}-system`;

/** Notes a webhook that the start of its own operator needs. */
function blocksOperator(
  webhook: WebhookModel,
  entry: WebhookEntry,
  project: ProjectName,
  findings: Findings,
): boolean {
  const { rules, clientConfig, namespaceSelector, objectSelector } = entry;
  const [rule] = rules;
  const writes = rule.operations.some((one) => ["CREATE", "UPDATE", "*"].includes(one));
  if (!writes || !asksService(clientConfig)) return false;
  const labels = scaffoldLabels(project);
  const inNamespace = isSelected(namespaceSelector, {
    ...labels,
    "app.kubernetes.io/managed-by": "kustomize",
    "pod-security.kubernetes.io/enforce": "restricted",
    [METADATA_NAME]: namespaceOf(project),
  });
  const needed = NEEDED.find(
    ({ group, resource, parts, clusterScoped, labelled }) =>
      isMeant(rule, group, resource, parts) &&
      hasScope(rule, clusterScoped === true || resource === "namespaces") &&
      (clusterScoped === true || inNamespace) &&
      isSelected(objectSelector, labelled ? labels : {}),
  );
  if (!needed) return false;
  const where = needed.clusterScoped
    ? ""
    : ` in the operator's own namespace, ${namespaceOf(project)}`;
  findings.warn(
    webhook.at,
    "webhook-blocks-operator",
    `If the operator goes down, it cannot start again: this webhook (failurePolicy: Fail) rejects requests while the operator is down, and it matches ${needed.resource}${where}.`,
    needed.clusterScoped
      ? 'Use failurePolicy: "Ignore", or an objectSelector for labels that only your objects have.'
      : exclusion(project),
  );
  return true;
}

const scaffoldLabels = ({ projectName }: ProjectName): Labels => ({
  "control-plane": "controller-manager",
  "app.kubernetes.io/name": projectName,
});

const isSelected = (selector: LabelSelector | undefined, labels: Labels): boolean =>
  selector === undefined || matchesLabelSelector(selector, labels);

const hasScope = ({ scope = "*" }: WebhookRule, clusterScoped: boolean): boolean =>
  scope === "*" || (scope === "Cluster") === clusterScoped;

/** Whether a rule means a resource, or one of these parts of it. */
function isMeant(
  { apiGroups, resources }: WebhookRule,
  group: string,
  resource: string,
  parts: readonly string[],
): boolean {
  if (!apiGroups.includes("*") && !apiGroups.includes(group)) return false;
  return resources.some((one) => {
    const [plural = "", part = ""] = one.split("/");
    const isPart = part === "*" || parts.includes(part);
    return (plural === "*" || plural === resource) && isPart;
  });
}

function exclusion(project: ProjectName): string {
  const values = [namespaceOf(project), SYSTEM].map((name) => `"${name}"`).join(", ");
  return `Exclude it: namespaceSelector: { matchExpressions: [{ key: "${METADATA_NAME}", operator: "NotIn", values: [${values}] }] }; or failurePolicy: "Ignore".`;
}

/** Notes a webhook for kinds of Kubernetes that is asked in kube-system too. */
function blocksSystem(
  webhook: WebhookModel,
  entry: WebhookEntry,
  project: ProjectName,
  builtIn: () => readonly BuiltInKind[],
  findings: Findings,
): void {
  const [rule] = entry.rules;
  const inSystem = isSelected(entry.namespaceSelector, { [METADATA_NAME]: SYSTEM });
  if (!inSystem || !isSelected(entry.objectSelector, {}) || rule.scope === "Cluster") return;
  // Groups of others have a dot in their names; not all groups of Kubernetes' own domain are in
  // every cluster.
  if (rule.apiGroups.every((group) => group.includes(".") && !group.endsWith(".k8s.io"))) return;
  const parts = ["", ...rule.resources.map((one) => one.split("/")[1] ?? "")];
  const known = builtIn().some(
    ({ group, plural, namespaced }) => namespaced && isMeant(rule, group, plural, parts),
  );
  if (!known) return;
  const [resource = ""] = rule.resources;
  const what = resource.includes("*") ? "anything" : resource;
  findings.warn(
    webhook.at,
    "webhook-blocks-system",
    `While ${asksService(entry.clientConfig) ? "the operator" : "the webhook"} is down, ${what} in ${SYSTEM}, which the cluster needs, cannot be changed: this webhook (failurePolicy: Fail) rejects requests while it cannot be reached.`,
    exclusion(project),
  );
}
