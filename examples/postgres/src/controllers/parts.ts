/**
 * What a PostgreSQLCluster has once: its Services, and the Job that makes the first data. Pure.
 */
import { dependent, findCondition, type Dependent, type Intent } from "tsop";
import { Job, Service, type EnvVar } from "tsop/k8s";
import type { PostgreSQLCluster } from "../api/v1/postgresqlcluster.ts";
import { INITDB, RESTORE } from "./commands.ts";
import {
  ACCOUNT,
  containerFor,
  labelsOf,
  memberName,
  namesOf,
  ROLE,
  secretVariable,
} from "./members.ts";

/** All kinds of these. */
export const KINDS = [Service, Job];

/** The Job is wanted until the first member has what it made, and was promoted. */
export function partsOf(cluster: PostgreSQLCluster): Dependent[] {
  const { primary, replicas } = namesOf(cluster);
  const services = [
    dependent(Service, serviceFor(cluster, primary, "primary"), { after: [] }),
    dependent(Service, serviceFor(cluster, replicas, "replica"), { after: [] }),
  ];
  if (cluster.status?.primary) return services;
  return [...services, dependent(Job, bootstrapFor(cluster), { after: [], ready: hasSucceeded })];
}

const hasSucceeded = ({ status }: Job): boolean =>
  findCondition(status?.conditions, "Complete")?.status === "True";

function serviceFor(
  cluster: PostgreSQLCluster,
  name: string,
  role: "primary" | "replica",
): Intent<Service> {
  return {
    metadata: { name, labels: labelsOf(cluster) },
    spec: {
      selector: { ...labelsOf(cluster), [ROLE]: role },
      ports: [{ name: "postgres", port: 5432 }],
    },
  };
}

function bootstrapFor(cluster: PostgreSQLCluster): Intent<Job> {
  const { initdb, recovery } = cluster.spec.bootstrap;
  const container = containerFor(cluster, "bootstrap");
  const variables: EnvVar[] = initdb
    ? [
        { name: "DATABASE", value: initdb.database },
        { name: "OWNER", value: initdb.owner },
        secretVariable(cluster, "OWNER_PASSWORD", "owner"),
      ]
    : recovery
      ? [{ name: "BACKUP", value: recovery.from }]
      : [];
  return {
    metadata: { name: namesOf(cluster).bootstrap, labels: labelsOf(cluster) },
    spec: {
      backoffLimit: 3,
      template: {
        spec: {
          restartPolicy: "Never",
          securityContext: ACCOUNT,
          containers: [
            {
              ...container,
              command: ["sh", "-c", initdb ? INITDB : RESTORE],
              env: [...(container.env ?? []), ...variables],
            },
          ],
          volumes: [{ name: "data", persistentVolumeClaim: { claimName: memberName(cluster, 1) } }],
        },
      },
    },
  };
}
