/**
 * The stored webhook configurations, and the webhooks in them that match a write.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
 */
import type { SentObject } from "../../kube/object.ts";
import { type LabelSelector, matchesLabelSelector } from "../../kube/selectors/selector.ts";
import { StatusError } from "../../kube/status.ts";
import type { ConfiguredWebhook, WebhookRule } from "../../kube/webhooks/webhook-rules.ts";
import { NAMESPACES } from "../builtin/tokens.ts";
import { notFound } from "../failures.ts";
import { type CollectionName, type ObjectSource, isSameResource } from "../resource-name.ts";
import type { ServedResource } from "../kinds.ts";
import type { AdmissionRequest } from "./attributes.ts";
import type { WebhookTarget } from "../../kube/webhooks/webhook-address.ts";

/** A webhook of a stored configuration, whose fields were validated. */
export interface Webhook extends ConfiguredWebhook {
  readonly name: string;
  readonly clientConfig: WebhookTarget;
}

/** What a webhook, or a policy or binding, says about the requests that it matches. */
export type Matcher = Pick<
  ConfiguredWebhook,
  "rules" | "matchPolicy" | "namespaceSelector" | "objectSelector"
>;

/** A webhook, and the id that tells it from all others in all configurations. */
export interface InstalledWebhook {
  readonly id: string;
  readonly webhook: Webhook;
}

/** The source of configurations, namespaces and the versions of resources. */
export interface WebhookSource {
  readonly store: ObjectSource;
  readonly registry: { all(): readonly ServedResource[] };
}

/** The two kinds of configurations. */
export type WebhookKind = "mutating" | "validating";

interface WebhookConfiguration extends SentObject {
  readonly webhooks?: readonly Webhook[] | null;
}

const COLLECTIONS: Readonly<Record<WebhookKind, CollectionName<WebhookConfiguration>>> = {
  mutating: "mutatingwebhookconfigurations.admissionregistration.k8s.io",
  validating: "validatingwebhookconfigurations.admissionregistration.k8s.io",
};

/**
 * All webhooks in the order in which they are called: by the name of the configuration, then by
 * index.
 */
export function installedWebhooks({ store }: WebhookSource, kind: WebhookKind): InstalledWebhook[] {
  return store.list(COLLECTIONS[kind]).flatMap(({ metadata, webhooks }) =>
    (webhooks ?? []).map((webhook, index) => ({
      id: `${metadata.name ?? ""}/${webhook.name}/${index}`,
      webhook,
    })),
  );
}

const EXEMPT_KINDS = new Set([
  "ValidatingWebhookConfiguration",
  "MutatingWebhookConfiguration",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionPolicyBinding",
  "MutatingAdmissionPolicy",
  "MutatingAdmissionPolicyBinding",
]);

/**
 * Whether objects of the kind bypass webhooks and policies: admission's own configuration does, as
 * it could not be repaired otherwise.
 */
export function isExempt({ kind }: Pick<AdmissionRequest, "kind">): boolean {
  return kind.group === "admissionregistration.k8s.io" && EXEMPT_KINDS.has(kind.kind);
}

/**
 * The version of the resource that a webhook or policy matches; `undefined` when it does not match
 * the request.
 *
 * @throws StatusError 404 when the namespace whose labels decide does not exist
 */
export function versionFor(
  source: WebhookSource,
  matcher: Matcher,
  request: AdmissionRequest,
): ServedResource | undefined {
  const inNamespace = matchesNamespace(source, matcher.namespaceSelector, request);
  if (inNamespace === false || !matchesObject(matcher.objectSelector, request)) return undefined;
  const found = matchingVersion(source, matcher, request);
  if (found && inNamespace instanceof StatusError) throw inNamespace;
  return found;
}

const isEmpty = (selector: LabelSelector | undefined): boolean =>
  !selector ||
  (Object.keys(selector.matchLabels ?? {}).length === 0 &&
    (selector.matchExpressions ?? []).length === 0);

/**
 * Whether the namespace selector matches; cluster-scoped objects always match, and a namespace is
 * matched by its own labels.
 */
function matchesNamespace(
  { store }: Pick<WebhookSource, "store">,
  selector: LabelSelector | undefined,
  request: AdmissionRequest,
): boolean | StatusError {
  const { resource, subresource, operation, namespace } = request;
  const isNamespace = isSameResource(resource, NAMESPACES);
  if ((namespace === "" && !isNamespace) || isEmpty(selector)) return true;
  if (isNamespace && subresource === "" && (operation === "CREATE" || operation === "UPDATE")) {
    return matchesLabelSelector(selector, request.object?.metadata.labels);
  }
  const found = store.get("namespaces", namespace);
  if (found) return matchesLabelSelector(selector, found.metadata.labels);
  return notFound(NAMESPACES, namespace);
}

/** Whether the object selector matches the labels of the object, or of the one before the write. */
function matchesObject(
  selector: LabelSelector | undefined,
  { object, oldObject }: AdmissionRequest,
): boolean {
  if (isEmpty(selector)) return true;
  return [object, oldObject].some(
    // The object of a connection has no metadata, so no selector matches it.
    (one) => one?.metadata !== undefined && matchesLabelSelector(selector, one.metadata.labels),
  );
}

function matchingVersion(
  { registry }: Pick<WebhookSource, "registry">,
  { rules = [], matchPolicy }: Matcher,
  request: AdmissionRequest,
): ServedResource | undefined {
  const { resource } = request;
  if (rules.some((rule) => ruleMatches(rule, resource, request))) return resource;
  if (matchPolicy !== "Equivalent") return undefined;
  const others = registry.all().filter((other) => isEquivalent(other, resource));
  for (const rule of rules) {
    const found = others.find((other) => ruleMatches(rule, other, request));
    if (found) return found;
  }
  return undefined;
}

/** Whether a resource is another one in another version, or in the other group that serves it. */
const isEquivalent = (other: ServedResource, resource: ServedResource): boolean =>
  other !== resource &&
  other.plural === resource.plural &&
  (other.group === resource.group || (isEvent(other) && isEvent(resource)));

const isEvent = ({ group, kind, builtIn }: ServedResource): boolean =>
  kind === "Event" && builtIn && ["", "events.k8s.io"].includes(group);

/** Whether a rule matches a request, taken as one for `resource`. */
function ruleMatches(
  rule: WebhookRule,
  resource: Pick<ServedResource, "group" | "version" | "plural">,
  request: Pick<AdmissionRequest, "operation" | "subresource" | "namespace" | "name">,
): boolean {
  const has = (values: readonly string[] | undefined, value: string): boolean =>
    values !== undefined && (values.includes("*") || values.includes(value));
  return (
    inScope(rule.scope, resource, request.namespace) &&
    (!rule.resourceNames?.length || rule.resourceNames.includes(request.name)) &&
    has(rule.operations, request.operation) &&
    has(rule.apiGroups, resource.group) &&
    has(rule.apiVersions, resource.version) &&
    (rule.resources ?? []).some((name) => resourceMatches(name, resource, request.subresource))
  );
}

function resourceMatches(
  name: string,
  { plural }: Pick<ServedResource, "plural">,
  subresource: string,
): boolean {
  const [wanted = "", ...parts] = name.split("/");
  const part = parts.join("/");
  return (wanted === "*" || wanted === plural) && (part === "*" || part === subresource);
}

function inScope(
  scope: string | undefined,
  { group, version, plural }: Pick<ServedResource, "group" | "version" | "plural">,
  namespace: string,
): boolean {
  if (scope === undefined || scope === "*") return true;
  // The review of a namespace names that namespace, yet it is cluster-scoped.
  const isCluster =
    (group === "" && version === "v1" && plural === "namespaces") || namespace === "";
  return scope === "Cluster" ? isCluster : scope === "Namespaced" && !isCluster;
}
