/** The objects that every cluster begins with. */
import { createHash } from "node:crypto";
import { isIP } from "node:net";
import { hostname } from "node:os";
import { sameJson } from "../kube/json.ts";
import { advertisedAddress } from "./advertised-address.ts";
import { bootstrapRbacObjects } from "./auth/bootstrap-rbac.ts";
import {
  type ClusterRole,
  aggregatedRules,
} from "./controllers/cluster-role-aggregation-controller.ts";
import { ServerWriter } from "./server-writer.ts";
import { readData } from "./data-file.ts";
import { type Cluster, randomUid } from "./server/cluster/cluster.ts";

const NAMESPACES = ["default", "kube-node-lease", "kube-public", "kube-system"];

const PRIORITY_CLASSES = [
  [
    "system-cluster-critical",
    2_000_000_000,
    "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
  ],
  [
    "system-node-critical",
    2_000_001_000,
    "Used for system critical pods that must not be moved from their current node.",
  ],
] as const;

/** The Service by which pods reach the API. */
const API_SERVICE = {
  apiVersion: "v1",
  kind: "Service",
  metadata: {
    name: "kubernetes",
    namespace: "default",
    labels: { component: "apiserver", provider: "kubernetes" },
  },
  spec: {
    clusterIP: "10.96.0.1",
    clusterIPs: ["10.96.0.1"],
    internalTrafficPolicy: "Cluster",
    ipFamilies: ["IPv4"],
    ipFamilyPolicy: "SingleStack",
    ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: 6443 }],
    sessionAffinity: "None",
    type: "ClusterIP",
  },
  status: { loadBalancer: {} },
};

/** The class of claims without one, where a provisioner is simulated. */
const DEFAULT_STORAGE_CLASS = {
  apiVersion: "storage.k8s.io/v1",
  kind: "StorageClass",
  metadata: {
    name: "standard",
    annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
  },
  provisioner: "tsop.dev/simulated",
  reclaimPolicy: "Delete",
  volumeBindingMode: "WaitForFirstConsumer",
  allowVolumeExpansion: true,
};

/** The parts of a cluster beside those that every API server makes. */
export interface BootstrapOptions {
  /**
   * Whether aggregated roles have their rules from the start, as in a cluster whose controllers
   * have run for a while.
   */
  readonly aggregated?: boolean;
  /** Whether there is a default StorageClass. */
  readonly storageClass?: boolean;
}

/** Puts the first objects into the store, unless they exist. */
export function createBootstrapObjects(
  cluster: Cluster,
  { aggregated = false, storageClass = false }: BootstrapOptions = {},
): void {
  const writer = new ServerWriter(cluster);
  for (const name of NAMESPACES) {
    writer.add("namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name, labels: { "kubernetes.io/metadata.name": name } },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    });
  }
  for (const [name, value, description] of PRIORITY_CLASSES) {
    writer.add("priorityclasses.scheduling.k8s.io", {
      apiVersion: "scheduling.k8s.io/v1",
      kind: "PriorityClass",
      metadata: { name, generation: 1 },
      value,
      description,
      preemptionPolicy: "PreemptLowerPriority",
    });
  }
  writer.add("services", API_SERVICE);
  // The range of the services' addresses.
  writer.add("servicecidrs.networking.k8s.io", {
    apiVersion: "networking.k8s.io/v1",
    kind: "ServiceCIDR",
    metadata: { name: "kubernetes" },
    spec: { cidrs: ["10.96.0.0/16"] },
    status: {
      conditions: [
        {
          type: "Ready",
          status: "True",
          lastTransitionTime: writer.time,
          reason: "",
          message: "Kubernetes default Service CIDR is ready",
        },
      ],
    },
  });
  for (const { kind, name, spec } of flowControl()) {
    writer.add(`${kind.toLowerCase()}s.flowcontrol.apiserver.k8s.io`, {
      apiVersion: "flowcontrol.apiserver.k8s.io/v1",
      kind,
      metadata: {
        name,
        generation: 1,
        annotations: { "apf.kubernetes.io/autoupdate-spec": "true" },
      },
      spec,
      status: {},
    });
  }
  if (storageClass) writer.add("storageclasses.storage.k8s.io", DEFAULT_STORAGE_CLASS);
  const rbac = bootstrapRbacObjects();
  if (aggregated) aggregate(rbac.filter(({ kind }) => kind === "ClusterRole"));
  for (const object of rbac) {
    writer.add(`${object.kind.toLowerCase()}s.rbac.authorization.k8s.io`, object);
  }
}

interface FlowControl {
  readonly kind: "FlowSchema" | "PriorityLevelConfiguration";
  readonly name: string;
  readonly spec: object;
}

/** The default FlowSchemas and PriorityLevelConfigurations. */
const flowControl = (): readonly FlowControl[] =>
  readData<FlowControl[]>(new URL("./flow-control.data.json", import.meta.url));

/** Gives aggregated roles the rules of the others, some of which are aggregated themselves. */
function aggregate(roles: readonly ClusterRole[]): void {
  // Roles that are aggregated into others come after them in the table.
  const aggregated = roles.filter((role) => "aggregationRule" in role).reverse();
  for (let isDone = false; !isDone;) {
    isDone = true;
    for (const role of aggregated) {
      const rules = aggregatedRules(role, roles);
      isDone &&= sameJson(role.rules, rules);
      Object.assign(role, { rules });
    }
  }
}

/**
 * Publishes the address of the server, behind the Service `kubernetes`, its identity, and the authorities of its
 * clients and of itself as a front proxy (PEM), for extension API servers.
 */
export function publishServer(
  cluster: Cluster,
  host: string,
  port: number,
  clientCa: string,
): void {
  const address = advertisedAddress(host);
  const ports = [{ name: "https", port, protocol: "TCP" }];
  const metadata = { name: "kubernetes", namespace: "default" };
  const writer = new ServerWriter(cluster);
  writer.replace("endpoints", {
    apiVersion: "v1",
    kind: "Endpoints",
    metadata: { ...metadata, labels: { "endpointslice.kubernetes.io/skip-mirror": "true" } },
    subsets: [{ addresses: [{ ip: address }], ports }],
  });
  writer.replace("endpointslices.discovery.k8s.io", {
    apiVersion: "discovery.k8s.io/v1",
    kind: "EndpointSlice",
    metadata: {
      ...metadata,
      generation: 1,
      labels: { "kubernetes.io/service-name": "kubernetes" },
    },
    addressType: isIP(address) === 6 ? "IPv6" : "IPv4",
    endpoints: [{ addresses: [address], conditions: { ready: true } }],
    ports,
  });
  writer.replace("configmaps", {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "extension-apiserver-authentication", namespace: "kube-system" },
    data: {
      "client-ca-file": clientCa,
      "requestheader-client-ca-file": cluster.aggregator.authority,
      "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
      "requestheader-group-headers": '["X-Remote-Group"]',
      "requestheader-uid-headers": '["X-Remote-Uid"]',
      "requestheader-username-headers": '["X-Remote-User"]',
    },
  });
  const identity = `apiserver-${createHash("sha256").update(hostname()).digest("hex").slice(0, 26)}`;
  writer.replace("leases.coordination.k8s.io", {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: {
      name: identity,
      namespace: "kube-system",
      annotations: { "kubernetes.io/peer-advertise-address": `${address}:${port}` },
      labels: {
        "apiserver.kubernetes.io/identity": "kube-apiserver",
        "kubernetes.io/hostname": hostname(),
      },
    },
    spec: {
      holderIdentity: `${identity}_${randomUid(cluster.clock)}`,
      leaseDurationSeconds: 3600,
      renewTime: writer.time.replace("Z", ".000000Z"),
    },
  });
}
