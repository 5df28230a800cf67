/**
 * The members of a PostgreSQLCluster: a claim and a pod each. Pure: the same PostgreSQLCluster gives the same objects.
 */
import { findCondition, hashOf, shortName, type Intent, type NewObject } from "tsop";
import type { Container, EnvVar, PersistentVolumeClaim, Pod, PodSpec } from "tsop/k8s";
import type { PostgreSQLCluster } from "../api/v1/postgresqlcluster.ts";
import { FOLLOW, PGDATA, SERVE } from "./commands.ts";

/** At pods: what they are, `primary` or `replica`. The Services select by it. */
export const ROLE = "postgresql.example.com/role";
/** At claims and pods: whose they are. */
export const MEMBER = "postgresql.example.com/member";
/** At pods: a hash of what they were made of. */
export const REVISION = "postgresql.example.com/revision";
/** At pods: their object stays until they have ended, whoever deletes it and how. */
export const FENCE = "postgresql.example.com/fence";

/** The names of what there is once. */
export const namesOf = ({ metadata: { name } }: PostgreSQLCluster) => ({
  primary: shortName([name, "rw"]),
  replicas: shortName([name, "ro"]),
  bootstrap: shortName([name, "bootstrap"]),
  owner: shortName([name, "owner"]),
});

/** The name of the claim and the pod of a member, counted from 1. */
export const memberName = ({ metadata }: PostgreSQLCluster, number: number): string =>
  shortName([metadata.name, String(number)]);

export const labelsOf = ({ metadata }: PostgreSQLCluster): Record<string, string> => ({
  "app.kubernetes.io/name": "postgresql",
  "app.kubernetes.io/instance": shortName([metadata.name]),
});

/** Which member a pod or claim is. */
export const numberOf = ({ metadata }: Pod | PersistentVolumeClaim): number =>
  Number(metadata.labels?.[MEMBER]);

/** The image of each container that works on the data, and what it needs. */
export const containerFor = (cluster: PostgreSQLCluster, name: string): Container => ({
  name,
  image: `postgres:${cluster.spec.version}-alpine`,
  env: [
    { name: "PGDATA", value: PGDATA },
    { name: "PRIMARY", value: namesOf(cluster).primary },
    secretVariable(cluster, "PGPASSWORD", "postgres"),
  ],
  volumeMounts: [{ name: "data", mountPath: "/data" }],
  securityContext: {
    allowPrivilegeEscalation: false,
    capabilities: { drop: ["ALL"] },
    seccompProfile: { type: "RuntimeDefault" },
  },
});

/** A variable with a password of the owner's Secret. */
export const secretVariable = (
  cluster: PostgreSQLCluster,
  name: string,
  key: "owner" | "postgres",
): EnvVar => ({
  name,
  valueFrom: { secretKeyRef: { name: namesOf(cluster).owner, key } },
});

/** Of the user `postgres` in the image. */
export const ACCOUNT = { runAsNonRoot: true, runAsUser: 70, runAsGroup: 70, fsGroup: 70 };

/** The data of a member. */
export function claimFor(
  cluster: PostgreSQLCluster,
  number: number,
): Intent<PersistentVolumeClaim> {
  const { storage } = cluster.spec;
  return {
    metadata: {
      name: memberName(cluster, number),
      labels: { ...labelsOf(cluster), [MEMBER]: String(number) },
    },
    spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
  };
}

/** A life of a member. It begins as a replica, whatever the member was before. */
export function podFor(cluster: PostgreSQLCluster, number: number): NewObject<Pod> {
  const spec = podSpecFor(cluster, number);
  return {
    metadata: {
      namespace: cluster.metadata.namespace,
      name: memberName(cluster, number),
      labels: { ...labelsOf(cluster), [MEMBER]: String(number), [ROLE]: "replica" },
      annotations: { [REVISION]: revisionOf(cluster) },
      finalizers: [FENCE],
    },
    spec,
  };
}

/** What members are made of, but for their number. */
export const revisionOf = (cluster: PostgreSQLCluster): string => hashOf(podSpecFor(cluster, 0));

function podSpecFor(cluster: PostgreSQLCluster, number: number): PodSpec {
  const parameters = Object.entries(cluster.spec.postgresql?.parameters ?? {}).sort();
  const settings = parameters.flatMap(([name, value]) => ["-c", `${name}=${value}`]);
  const server = containerFor(cluster, "postgres");
  return {
    // A container that ended never begins again: an end that was seen is an end for good.
    restartPolicy: "Never",
    terminationGracePeriodSeconds: 60,
    automountServiceAccountToken: false,
    securityContext: ACCOUNT,
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "kubernetes.io/hostname",
        whenUnsatisfiable: "ScheduleAnyway",
        labelSelector: { matchLabels: labelsOf(cluster) },
      },
    ],
    initContainers: [{ ...containerFor(cluster, "follow"), command: ["sh", "-c", FOLLOW] }],
    containers: [
      {
        ...server,
        command: ["sh", "-c", SERVE, "postgres", ...settings],
        env: [
          ...(server.env ?? []),
          { name: "POD_UID", valueFrom: { fieldRef: { fieldPath: "metadata.uid" } } },
        ],
        ports: [{ name: "postgres", containerPort: 5432 }],
        readinessProbe: { exec: { command: ["pg_isready"] }, periodSeconds: 5 },
      },
    ],
    volumes: [{ name: "data", persistentVolumeClaim: { claimName: memberName(cluster, number) } }],
  };
}

/**
 * Whether nothing of the pod runs any more, for good. The kubelet says so when the containers have ended; where a node is
 * gone, or has the taint `out-of-service`, the garbage collector of pods does.
 */
export const hasEnded = ({ status }: Pod): boolean =>
  status?.phase === "Succeeded" || status?.phase === "Failed";

export const isLeaving = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

/** Whether the pod takes part: it runs, is ready, and stays. */
export const isReady = (pod: Pod): boolean =>
  !isLeaving(pod) &&
  !hasEnded(pod) &&
  findCondition(pod.status?.conditions, "Ready")?.status === "True";

/** Since when the pod is as ready, or as little, as it is. */
export const readinessSinceMs = ({ metadata, status }: Pod): number =>
  Date.parse(
    findCondition(status?.conditions, "Ready")?.lastTransitionTime ?? metadata.creationTimestamp,
  );
