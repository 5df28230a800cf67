/**
 * Managed fields of the objects that a cluster begins with: the server owns them.
 *
 * Written down per kind instead of computed, because there are many and a control plane must start
 * at once.
 */
import { at, mapAt } from "./builtin/at.ts";
import type { JsonObject, SentObject, ManagedFieldsEntry } from "../kube/object.ts";
import { deepFreeze } from "./store/store.ts";

const WHOLE = { ".": {} };
const own = (...fields: readonly string[]): JsonObject =>
  Object.fromEntries(fields.map((field) => [`f:${field}`, {}]));

/** The fields of each kind, beside labels and annotations. */
const FIELDS: Readonly<Record<string, (object: SentObject) => JsonObject>> = {
  Namespace: () => ({}),
  PriorityClass: () => own("description", "preemptionPolicy", "value"),
  ServiceCIDR: () => ({ "f:spec": own("cidrs") }),
  IPAddress: () => ({
    "f:spec": { "f:parentRef": { ...WHOLE, ...own("name", "namespace", "resource") } },
  }),
  Service: () => ({
    "f:spec": {
      ...own("clusterIP", "internalTrafficPolicy", "ipFamilyPolicy", "sessionAffinity", "type"),
      "f:ports": {
        ...WHOLE,
        'k:{"port":443,"protocol":"TCP"}': {
          ...WHOLE,
          ...own("name", "port", "protocol", "targetPort"),
        },
      },
    },
  }),
  Endpoints: () => own("subsets"),
  EndpointSlice: () => own("addressType", "endpoints", "ports"),
  ConfigMap: (object) => ({
    "f:data": { ...WHOLE, ...own(...Object.keys(mapAt(object, "data"))) },
  }),
  ClusterRole: (object) =>
    "aggregationRule" in object
      ? { "f:aggregationRule": { ...WHOLE, ...own("clusterRoleSelectors") } }
      : own("rules"),
  Role: () => own("rules"),
  ClusterRoleBinding: () => own("roleRef", "subjects"),
  RoleBinding: () => own("roleRef", "subjects"),
};

function metadataFields({ metadata }: SentObject): JsonObject {
  const fields: JsonObject = {};
  for (const part of ["annotations", "labels"] as const) {
    const names = Object.keys(metadata[part] ?? {});
    if (names.length > 0) fields[`f:${part}`] = { ...WHOLE, ...own(...names) };
  }
  return Object.keys(fields).length > 0 ? { "f:metadata": fields } : {};
}

/** A controller of the server sets this condition of the range of services. */
const READY_CONDITION: JsonObject = {
  "f:status": {
    "f:conditions": {
      'k:{"type":"Ready"}': {
        ...WHOLE,
        ...own("lastTransitionTime", "message", "status", "type"),
      },
    },
  },
};

/**
 * Sets the server as the owner of the fields of objects; objects with the same fields share the
 * entry.
 */
export class ServerOwnership {
  readonly #time: string;
  readonly #known = new Map<string, ManagedFieldsEntry[]>();

  /** @param time - of the server's write, RFC 3339 */
  constructor(time: string) {
    this.#time = time;
  }

  /** The managed fields of an object of the server. */
  of(object: SentObject): ManagedFieldsEntry[] {
    const { labels, annotations } = object.metadata;
    const parts = [object, labels ?? {}, annotations ?? {}, mapAt(object, "data")];
    const id = `${object.kind} ${isAggregated(object)} ${parts.map((part) => Object.keys(part).join(",")).join(" ")}`;
    let entries = this.#known.get(id);
    if (!entries) this.#known.set(id, (entries = deepFreeze(entriesOf(object, this.#time))));
    return entries;
  }
}

/** Whether a role's rules were aggregated from other roles. */
const isAggregated = (object: SentObject): boolean =>
  "aggregationRule" in object && at(object, "rules") !== null;

function entriesOf(object: SentObject, time: string): ManagedFieldsEntry[] {
  const { apiVersion, kind } = object;
  const appliedBy = (manager: string, fieldsV1: JsonObject): ManagedFieldsEntry => ({
    manager,
    operation: "Apply",
    apiVersion,
    time,
    fieldsType: "FieldsV1",
    fieldsV1,
  });
  return [
    ...(kind === "ServiceCIDR"
      ? [
          {
            ...appliedBy("kubernetes-service-cidr-controller", READY_CONDITION),
            subresource: "status",
          },
        ]
      : []),
    ...(isAggregated(object)
      ? [appliedBy("clusterrole-aggregation-controller", own("rules"))]
      : []),
    {
      manager: "kube-apiserver",
      operation: "Update",
      apiVersion,
      time,
      fieldsType: "FieldsV1",
      fieldsV1: { ...metadataFields(object), ...FIELDS[kind]?.(object) },
    },
  ];
}
