/** The kinds of Kubernetes itself, as `tsop/k8s` exports them, for controllers of them. */
import type { ResourceInfo } from "../../../kube/resource.ts";
import { tableOf } from "../../../table.ts";

/** A built-in kind and the name under which `tsop/k8s` exports it. */
export interface BuiltInKind extends ResourceInfo {
  readonly token: string;
}

/** All built-in kinds of that name, in each of their versions. */
export async function builtInKinds(kind: string): Promise<readonly BuiltInKind[]> {
  const exported = await import("../../../generated/k8s/index.ts");
  return Object.entries(exported)
    .map(([token, value]): BuiltInKind => ({ token, ...value }))
    .filter((found) => found.kind === kind);
}

/** Whether `--group` names the API group: whole, as kubebuilder shortens it (`networking`), or `core`. */
export function isGroup(said: string, group: string): boolean {
  if (said === group || (said === "core" && group === "")) return true;
  return said !== "" && group.startsWith(`${said}.`) && group.endsWith(".k8s.io");
}

const LABELS = { app: "one" };
const POD_SPEC = { containers: [{ name: "main", image: "nginx" }] };
const TEMPLATE = { metadata: { labels: LABELS }, spec: POD_SPEC };
const WORKLOAD = { selector: { matchLabels: LABELS }, template: TEMPLATE };
const JOB = { template: { spec: { ...POD_SPEC, restartPolicy: "Never" } } };
const ROLE_REF = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };

/** The fields that an object of the kind needs beside its metadata, by `group/Kind`. */
const NEEDED = tableOf<object>({
  "/ConfigMap": {},
  "/LimitRange": { spec: { limits: [] } },
  "/Namespace": {},
  "/Node": {},
  "/PersistentVolumeClaim": {
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
  },
  "/Pod": { spec: POD_SPEC },
  "/ResourceQuota": { spec: { hard: { pods: "10" } } },
  "/Secret": {},
  "/Service": { spec: { ports: [{ port: 80 }] } },
  "/ServiceAccount": {},
  "apps/DaemonSet": { spec: WORKLOAD },
  "apps/Deployment": { spec: WORKLOAD },
  "apps/ReplicaSet": { spec: WORKLOAD },
  "apps/StatefulSet": { spec: { ...WORKLOAD, serviceName: "one" } },
  "autoscaling/HorizontalPodAutoscaler": {
    spec: {
      maxReplicas: 2,
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "one" },
    },
  },
  "batch/CronJob": { spec: { schedule: "0 0 * * *", jobTemplate: { spec: JOB } } },
  "batch/Job": { spec: JOB },
  "coordination.k8s.io/Lease": {},
  "networking.k8s.io/Ingress": {
    spec: { defaultBackend: { service: { name: "one", port: { number: 80 } } } },
  },
  "networking.k8s.io/NetworkPolicy": { spec: { podSelector: {} } },
  "policy/PodDisruptionBudget": {
    spec: { minAvailable: 1, selector: { matchLabels: LABELS } },
  },
  "rbac.authorization.k8s.io/ClusterRole": { rules: [] },
  "rbac.authorization.k8s.io/ClusterRoleBinding": { roleRef: ROLE_REF },
  "rbac.authorization.k8s.io/Role": { rules: [] },
  "rbac.authorization.k8s.io/RoleBinding": { roleRef: ROLE_REF },
  "scheduling.k8s.io/PriorityClass": { value: 1 },
  "storage.k8s.io/StorageClass": { provisioner: "example.com/disks" },
});

/** The fields of a valid object beside its metadata; `undefined` where none is known. */
export const neededFields = ({ group, kind }: ResourceInfo): object | undefined =>
  NEEDED.get(`${group}/${kind}`);
