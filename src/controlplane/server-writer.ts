/** Writes of the server itself, past the API. */
import { at, mapAt } from "./builtin/at.ts";
import { asObject, isJsonObject, sameJson } from "../kube/json.ts";
import type { JsonObject, ManagedFieldsEntry, SentObject } from "../kube/object.ts";
import { type Cluster, randomUid, timestamp } from "./server/cluster/cluster.ts";
import { deepFreeze, storeKey } from "./store/store.ts";
import { tableOf } from "../table.ts";

/** Writes the server's own objects to the store, and owns their fields. */
export class ServerWriter {
  readonly #cluster: Cluster;
  /** Entries by what they depend on: many objects have the same fields. */
  readonly #owners = new Map<string, ManagedFieldsEntry[]>();
  /** The time of the writes, RFC 3339. */
  readonly time: string;

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
    this.time = timestamp(cluster.clock);
  }

  /** Adds an object of a collection unless it exists. */
  add(collection: string, content: object): void {
    const { store, clock } = this.#cluster;
    const object = asObject(content);
    const { namespace, name = "" } = object.metadata;
    if (store.get(collection, storeKey(namespace, name))) return;
    const metadata = {
      ...object.metadata,
      uid: randomUid(clock),
      creationTimestamp: this.time,
      managedFields: this.#ownersOf(object),
    };
    store.put(collection, { ...object, metadata });
  }

  /** Replaces the object of an earlier server, unless it is the same. */
  replace(collection: string, content: object): void {
    const { store } = this.#cluster;
    const { name = "", namespace, generation } = asObject(content).metadata;
    const live = store.get(collection, storeKey(namespace, name));
    if (!live) {
      this.add(collection, content);
      return;
    }
    const next = { ...live, ...content, metadata: live.metadata };
    if (sameJson(next, live)) return;
    const counted = { generation: (live.metadata.generation ?? 0) + 1 };
    const metadata = { ...live.metadata, ...(generation === undefined ? {} : counted) };
    store.put(collection, { ...next, metadata });
  }

  #ownersOf(object: SentObject): ManagedFieldsEntry[] {
    const { labels, annotations } = object.metadata;
    const parts = [object, labels ?? {}, annotations ?? {}, mapAt(object, "data")];
    const unique = UNIQUE.has(object.kind) ? object.metadata.name : "";
    const id = `${object.kind} ${unique} ${isAggregated(object)} ${parts.map((part) => Object.keys(part).join(",")).join(" ")}`;
    let entries = this.#owners.get(id);
    if (!entries) this.#owners.set(id, (entries = deepFreeze(entriesOf(object, this.time))));
    return entries;
  }
}

const CIDRS = "kubernetes-service-cidr-controller";
const AGGREGATION = "clusterrole-aggregation-controller";

/** The kinds whose objects differ in their fields. */
const UNIQUE = new Set(["FlowSchema", "PriorityLevelConfiguration"]);
/** The manager of an object's fields, where it is not the server. */
const MANAGERS = tableOf<string>({
  FlowSchema: "api-priority-and-fairness-config-producer-v1",
  PriorityLevelConfiguration: "api-priority-and-fairness-config-producer-v1",
});

const WHOLE = { ".": {} };
const own = (...fields: readonly string[]): JsonObject =>
  Object.fromEntries(fields.map((field) => [`f:${field}`, {}]));

/** The fields of an object, those within its objects too. */
const deepFields = (fields: object): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]: [string, unknown]) => [
      `f:${name}`,
      isJsonObject(value) ? { ...WHOLE, ...deepFields(value) } : {},
    ]),
  );

/**
 * The fields of each kind, beside labels and annotations: written down instead of computed, because
 * there are many objects and a control plane must start at once.
 */
const FIELDS = tableOf<(object: SentObject) => JsonObject>({
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
  FlowSchema: (object) => ({
    "f:spec": {
      ...deepFields(mapAt(object, "spec")),
      "f:priorityLevelConfiguration": own("name"),
    },
  }),
  PriorityLevelConfiguration: (object) => ({ "f:spec": deepFields(mapAt(object, "spec")) }),
  Lease: () => ({ "f:spec": own("holderIdentity", "leaseDurationSeconds", "renewTime") }),
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
});

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

/** Whether a role's rules were aggregated from other roles. */
const isAggregated = (object: SentObject): boolean =>
  "aggregationRule" in object && at(object, "rules") !== null;

function entriesOf(object: SentObject, time: string): ManagedFieldsEntry[] {
  const { apiVersion, kind } = object;
  const fields = { ...metadataFields(object), ...FIELDS.get(kind)?.(object) };
  const applied = (manager: string, fieldsV1: JsonObject): ManagedFieldsEntry => ({
    manager,
    operation: "Apply",
    apiVersion,
    time,
    fieldsType: "FieldsV1",
    fieldsV1,
  });
  return [
    ...(kind === "ServiceCIDR"
      ? [{ ...applied(CIDRS, READY_CONDITION), subresource: "status" }]
      : []),
    ...(isAggregated(object) ? [applied(AGGREGATION, own("rules"))] : []),
    { ...applied(MANAGERS.get(kind) ?? "kube-apiserver", fields), operation: "Update" },
  ];
}
