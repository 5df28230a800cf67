/**
 * The rights of nodes: to their own object, their pods, and the objects that those pods refer to.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/node/
 */
import { isJsonObject } from "../../kube/json.ts";
import type { CollectionName, ObjectSource } from "../resource-name.ts";
import type { PodSpec } from "../../generated/k8s/core-v1.ts";
import type { SentObject } from "../../kube/object.ts";
import type { User } from "../kinds.ts";
import type { Attributes, ResourceAttributes } from "../request-attributes.ts";
import type { PolicyRule } from "../../generated/k8s/rbac-v1.ts";
import { type Decision, ruleAllows } from "./rbac.ts";
import { tableOf } from "../../table.ts";

const USER_PREFIX = "system:node:";
const READ = ["get", "list", "watch"];
const WRITE = ["create", "update", "patch"];
const isChange = (verb: string): boolean => verb === "update" || verb === "patch";

/** The rights of all nodes beside the cases below. */
const NODE_RULES: readonly PolicyRule[] = [
  { verbs: ["create"], apiGroups: ["authentication.k8s.io"], resources: ["tokenreviews"] },
  {
    verbs: ["create"],
    apiGroups: ["authorization.k8s.io"],
    resources: ["subjectaccessreviews", "localsubjectaccessreviews"],
  },
  { verbs: READ, apiGroups: [""], resources: ["services"] },
  { verbs: WRITE, apiGroups: ["", "events.k8s.io"], resources: ["events"] },
  { verbs: ["get"], apiGroups: [""], resources: ["endpoints"] },
  {
    verbs: ["create", ...READ],
    apiGroups: ["certificates.k8s.io"],
    resources: ["certificatesigningrequests"],
  },
  { verbs: READ, apiGroups: ["storage.k8s.io"], resources: ["csidrivers"] },
  { verbs: READ, apiGroups: ["node.k8s.io"], resources: ["runtimeclasses"] },
];

const ALLOWED: Decision = { allowed: true, reason: "" };
const denied = (reason = ""): Decision => ({ allowed: false, reason });

/** The decision about a node; `undefined` for a user that is not a node. */
export function authorizeNode(
  source: ObjectSource,
  user: User,
  attributes: Attributes,
): Decision | undefined {
  if (!user.groups.includes("system:nodes") || !user.name.startsWith(USER_PREFIX)) return undefined;
  const node = user.name.slice(USER_PREFIX.length);
  if ("path" in attributes) return byRules(attributes);
  const { group, resource } = attributes;
  return (VERDICTS.get(`${group}/${resource}`) ?? byRules)(attributes, node, source);
}

type Verdict = (attributes: ResourceAttributes, node: string, source: ObjectSource) => Decision;

/** What a request must fulfil, and the reason of the denial if it does not. */
type Condition = readonly [holds: (attributes: ResourceAttributes) => boolean, reason: string];

/** Allows requests that fulfil all conditions, for one object that a pod on the node refers to. */
const related =
  (...conditions: readonly Condition[]): Verdict =>
  (attributes, node, source) => {
    const broken = conditions.find(([holds]) => !holds(attributes));
    if (broken) return denied(broken[1]);
    if (attributes.name === "") return denied("No Object name found");
    if (isRelated(attributes, node, source)) return ALLOWED;
    return denied(`no relationship found between node '${node}' and this object`);
  };

const readRelated = related(
  [({ verb }) => READ.includes(verb), "can only read resources of this type"],
  [({ subresource }) => subresource === "", "cannot read subresource"],
  [({ namespace }) => namespace !== "", "can only read namespaced object of this type"],
);

const getRelated = related(
  [({ verb }) => verb === "get", "can only get individual resources of this type"],
  [({ subresource }) => subresource === "", "cannot get subresource"],
);

const writeRelatedStatus = related([
  ({ verb }) => isChange(verb),
  "can only get/update/patch this type",
]);

const createToken = related(
  [
    ({ verb, name }) => verb === "create" && name !== "",
    "can only create tokens for individual service accounts",
  ],
  [
    ({ subresource }) => subresource === "token",
    "can only create token subresource of serviceaccount",
  ],
);

/** Allows requests about the object that has the name of the node. */
const sameName =
  (what: string, [holds, reason]: Condition): Verdict =>
  (attributes, node) => {
    const { verb, name } = attributes;
    if (!["get", "create", "update", "patch", "delete"].includes(verb)) {
      return denied(`can only get, create, update, patch, or delete a ${what}`);
    }
    if (!holds(attributes)) return denied(reason);
    if (verb === "create" || name === node) return ALLOWED;
    return denied(`can only access ${what} with the same name as the requesting node`);
  };

const VERDICTS = tableOf<Verdict>({
  "/secrets": readRelated,
  "/configmaps": readRelated,
  "/persistentvolumeclaims": (attributes, node, source) =>
    attributes.subresource === "status"
      ? writeRelatedStatus(attributes, node, source)
      : getRelated(attributes, node, source),
  "/persistentvolumes": getRelated,
  "resource.k8s.io/resourceclaims": getRelated,
  "storage.k8s.io/volumeattachments": getRelated,
  "/serviceaccounts": (attributes, node, source) =>
    attributes.verb === "get" && attributes.subresource === ""
      ? readRelated(attributes, node, source)
      : createToken(attributes, node, source),
  "coordination.k8s.io/leases": sameName("node lease", [
    ({ namespace }) => namespace === "kube-node-lease",
    'can only access leases in the "kube-node-lease" system namespace',
  ]),
  "storage.k8s.io/csinodes": sameName("CSINode", [
    ({ subresource }) => subresource === "",
    "cannot authorize CSINode subresources",
  ]),
  "/nodes": ownNode,
  "/pods": pod,
});

function byRules(attributes: Attributes): Decision {
  return NODE_RULES.some((rule) => ruleAllows(rule, attributes)) ? ALLOWED : denied();
}

function ownNode({ verb, subresource, name }: ResourceAttributes, node: string): Decision {
  const isWrite =
    subresource === "status" ? isChange(verb) : subresource === "" && WRITE.includes(verb);
  if (isWrite) return ALLOWED;
  if (subresource !== "" || !READ.includes(verb)) return denied();
  if (name === node) return ALLOWED;
  return denied(
    name === ""
      ? `node '${node}' cannot read all nodes, only its own Node object`
      : `node '${node}' cannot read '${name}', only its own Node object`,
  );
}

function pod(attributes: ResourceAttributes, node: string, source: ObjectSource): Decision {
  const { verb, subresource, name, fieldSelector = "" } = attributes;
  if (subresource === "status") return isChange(verb) ? ALLOWED : denied();
  if (subresource === "eviction") return verb === "create" ? ALLOWED : denied();
  if (subresource !== "") return denied();
  if (verb === "create" || verb === "delete") return ALLOWED;
  if (verb === "get") return getRelated(attributes, node, source);
  if (verb !== "list" && verb !== "watch") return denied();
  const isOwn = fieldSelector
    .split(",")
    .some((part) => part === `spec.nodeName=${node}` || part === `spec.nodeName==${node}`);
  if (isOwn) return ALLOWED;
  if (name !== "") return related()(attributes, node, source);
  return denied("can only list/watch pods with spec.nodeName field selector");
}

interface PodLike extends SentObject {
  readonly spec?: PodSpec;
}

const PODS: CollectionName<PodLike> = "pods";
const ATTACHMENTS: CollectionName<SentObject & { readonly spec?: { readonly nodeName?: string } }> =
  "volumeattachments.storage.k8s.io";
const CLAIMS: CollectionName<SentObject & { readonly spec?: { readonly volumeName?: string } }> =
  "persistentvolumeclaims";

/** Whether a pod on the node refers to the object, directly or through other objects. */
function isRelated(
  { resource, namespace, name }: ResourceAttributes,
  node: string,
  source: ObjectSource,
): boolean {
  const pods = source.list(PODS, namespace).filter(({ spec }) => spec?.nodeName === node);
  switch (resource) {
    case "pods":
      return pods.some(({ metadata }) => metadata.name === name);
    case "serviceaccounts":
      return pods.some(({ spec }) => (spec?.serviceAccountName ?? "default") === name);
    case "persistentvolumeclaims":
      return pods.some((one) => claimsOf(one).includes(name));
    case "persistentvolumes":
      return pods.some((one) =>
        claimsOf(one)
          .map((claim) => source.get(CLAIMS, `${one.metadata.namespace ?? ""}/${claim}`))
          .some((claim) => claim?.spec?.volumeName === name),
      );
    case "volumeattachments":
      return source.get(ATTACHMENTS, name)?.spec?.nodeName === node;
    default:
      return pods.some(({ spec }) => mentions(spec, REFERENCES.get(resource) ?? {}, name));
  }
}

const claimsOf = ({ spec }: PodLike): string[] =>
  (spec?.volumes ?? []).map(({ persistentVolumeClaim }) => persistentVolumeClaim?.claimName ?? "");

/** The fields of a pod that refer to a resource, with the key of the name in them, by resource. */
const REFERENCES = tableOf<Readonly<Record<string, string>>>({
  secrets: {
    secretRef: "name",
    secretKeyRef: "name",
    secret: "secretName",
    imagePullSecrets: "name",
  },
  configmaps: { configMapRef: "name", configMapKeyRef: "name", configMap: "name" },
  resourceclaims: { resourceClaims: "resourceClaimName" },
});

/** Whether a pod's spec refers to a name by one of the fields, at any depth. */
function mentions(
  value: unknown,
  fields: Readonly<Record<string, string>>,
  name: string,
  within = "",
): boolean {
  if (Array.isArray(value)) return value.some((item) => mentions(item, fields, name, within));
  if (!isJsonObject(value)) return false;
  const key = fields[within];
  // A Secret of a projected volume is referred to by `name`.
  if (key !== undefined && (value[key] === name || value["name"] === name)) return true;
  return Object.entries(value).some(([field, part]) => mentions(part, fields, name, field));
}
