/**
 * APIServices: an object for every served group version. This process serves all of them.
 *
 * @see https://kubernetes.io/docs/concepts/extend-kubernetes/api-extension/apiserver-aggregation/
 */
import { asObject } from "../../../kube/json.ts";
import type { SentObject } from "../../../kube/object.ts";
import { storeKey } from "../../store/store.ts";
import { type Cluster, randomUid, timestamp } from "./cluster.ts";
import { tableOf } from "../../../table.ts";

const COLLECTION = "apiservices.apiregistration.k8s.io";
const MANAGED = "kube-aggregator.kubernetes.io/automanaged";

/** The priorities of built-in groups; higher ones come first. */
const GROUP_PRIORITIES = tableOf<number>({
  "": 18_000,
  apps: 17_800,
  "events.k8s.io": 17_750,
  "authentication.k8s.io": 17_700,
  "authorization.k8s.io": 17_600,
  autoscaling: 17_500,
  batch: 17_400,
  "certificates.k8s.io": 17_300,
  "networking.k8s.io": 17_200,
  policy: 17_100,
  "rbac.authorization.k8s.io": 17_000,
  "storage.k8s.io": 16_800,
  "apiextensions.k8s.io": 16_700,
  "admissionregistration.k8s.io": 16_700,
  "scheduling.k8s.io": 16_600,
  "coordination.k8s.io": 16_500,
  "node.k8s.io": 16_300,
  "discovery.k8s.io": 16_200,
  "resource.k8s.io": 16_200,
  "flowcontrol.apiserver.k8s.io": 16_100,
});
/** The priorities of versions in their group, where they are not the usual ones. */
const VERSION_PRIORITIES = tableOf<number>({
  "v1.": 1,
  "v2.autoscaling": 30,
  "v1.resource.k8s.io": 21,
  "v1.flowcontrol.apiserver.k8s.io": 21,
});
const USUAL_VERSION_PRIORITY = 15;
const CUSTOM_GROUP_PRIORITY = 1000;
const CUSTOM_VERSION_PRIORITY = 100;

function apiService(
  { clock }: Cluster,
  group: string,
  version: string,
  builtIn: boolean,
): SentObject {
  const now = timestamp(clock);
  const name = `${version}.${group}`;
  const [groupPriority = CUSTOM_GROUP_PRIORITY, versionPriority] = builtIn
    ? [GROUP_PRIORITIES.get(group), VERSION_PRIORITIES.get(name) ?? USUAL_VERSION_PRIORITY]
    : [CUSTOM_GROUP_PRIORITY, CUSTOM_VERSION_PRIORITY];
  return asObject({
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: {
      name,
      labels: { [MANAGED]: builtIn ? "onstart" : "true" },
      uid: randomUid(clock),
      creationTimestamp: now,
    },
    spec: {
      ...(group === "" ? {} : { group }),
      version,
      groupPriorityMinimum: groupPriority,
      versionPriority,
    },
    status: {
      conditions: [
        {
          type: "Available",
          status: "True",
          lastTransitionTime: now,
          reason: "Local",
          message: "Local APIServices are always available",
        },
      ],
    },
  });
}

/** Brings the objects in line with the served groups and those that definitions announce. */
function update(cluster: Cluster): void {
  const { store, registry } = cluster;
  const wanted = new Map<string, () => SentObject>();
  const announced = registry.announced().map((one) => ({ ...one, builtIn: false }));
  for (const { group, version, builtIn } of [...registry.all(), ...announced]) {
    const name = `${version}.${group}`;
    if (group === "apiregistration.k8s.io" || wanted.has(name)) continue;
    wanted.set(name, () => apiService(cluster, group, version, builtIn));
  }
  for (const { metadata } of store.list(COLLECTION)) {
    const { name = "", labels } = metadata;
    if (!wanted.has(name) && labels?.[MANAGED] !== undefined) {
      store.remove(COLLECTION, storeKey(undefined, name));
    }
  }
  for (const [name, make] of wanted) {
    if (!store.get(COLLECTION, storeKey(undefined, name))) store.put(COLLECTION, make());
  }
}

/** Keeps the APIServices in line with the served groups, from now on. */
export function followApiServices(cluster: Cluster): void {
  update(cluster);
  cluster.registry.onChange(() => update(cluster));
}
