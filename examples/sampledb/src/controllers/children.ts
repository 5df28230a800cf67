/**
 * What a SampleDB consists of. Pure: the same SampleDB gives the same objects.
 */
import { dependent, findCondition, shortName, type Dependent, type Intent } from "tsop";
import { CronJob, Job, PersistentVolumeClaim, Service, StatefulSet, type JobSpec } from "tsop/k8s";
import type { SampleDB } from "../api/v1/sampledb.ts";

/** Which part of a SampleDB a pod is: `server`, `init`, `upgrade`, `backup` or `last-backup`. */
export const PART = "app.kubernetes.io/component";

/** All kinds that a SampleDB consists of. */
export const KINDS = [PersistentVolumeClaim, Service, Job, StatefulSet, CronJob];

/**
 * The parts of a SampleDB as a graph. The init Job is there until the data is, and the upgrade Job while the data is of
 * another release: the server keeps its image until the upgrade has succeeded.
 */
export function partsOf(db: SampleDB): Dependent[] {
  const { spec, status } = db;
  const service = dependent(Service, serviceFor(db), { after: [] });
  // Its first pod binds it, so nothing may wait for that.
  const claim = dependent(PersistentVolumeClaim, claimFor(db), { after: [], ready: () => true });
  const before = [service, claim];
  if (status?.version !== undefined && status.version !== spec.version) {
    const args = ["upgrade", `--from=${status.version}`, `--to=${spec.version}`];
    const upgrade = jobFor(db, { part: "upgrade", version: spec.version, args });
    before.push(dependent(Job, upgrade, { after: [claim], ready: hasSucceeded }));
  }
  const server = dependent(StatefulSet, serverFor(db), { after: before });
  const parts = [...before, server];
  if (status?.version === undefined) {
    const init = jobFor(db, { part: "init", version: spec.version, args: ["init"] });
    parts.push(dependent(Job, init, { ready: hasSucceeded, onImmutable: "recreate" }));
  }
  return [...parts, dependent(CronJob, backupsFor(db))];
}

/** The Job that backs up the data before it is deleted. */
export function lastBackupFor(db: SampleDB): Intent<Job> {
  const { version = db.spec.version } = db.status ?? {};
  return jobFor(db, {
    part: "last-backup",
    version,
    args: ["backup", `--to=${db.spec.backup.to}`],
  });
}

/** Whether a Job has come to its end, and well. */
export function hasSucceeded({ status }: Job): boolean {
  return findCondition(status?.conditions, "Complete")?.status === "True";
}

function claimFor(db: SampleDB): Intent<PersistentVolumeClaim> {
  return {
    metadata: metadataFor(db),
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: db.spec.storage } },
    },
  };
}

function serviceFor(db: SampleDB): Intent<Service> {
  return {
    metadata: metadataFor(db),
    spec: {
      clusterIP: "None",
      selector: labelsFor(db, "server"),
      ports: [{ name: "db", port: 5432 }],
    },
  };
}

function serverFor(db: SampleDB): Intent<StatefulSet> {
  const labels = labelsFor(db, "server");
  return {
    metadata: metadataFor(db),
    spec: {
      serviceName: nameFor(db),
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: "server",
              image: imageOf(db.spec.version),
              ports: [{ name: "db", containerPort: 5432 }],
              volumeMounts: [{ name: "data", mountPath: "/data" }],
            },
          ],
          volumes: [{ name: "data", persistentVolumeClaim: { claimName: nameFor(db) } }],
        },
      },
    },
  };
}

function backupsFor(db: SampleDB): Intent<CronJob> {
  const { schedule, to } = db.spec.backup;
  const args = ["backup", `--to=${to}`];
  return {
    metadata: metadataFor(db),
    spec: {
      schedule,
      concurrencyPolicy: "Forbid",
      jobTemplate: { spec: workFor(db, { part: "backup", version: db.spec.version, args }) },
    },
  };
}

/** What a Job does: its part, with which release, and the arguments of the program. */
interface Work {
  readonly part: "init" | "upgrade" | "backup" | "last-backup";
  readonly version: string;
  readonly args: string[];
}

function jobFor(db: SampleDB, work: Work): Intent<Job> {
  const name = shortName([
    db.metadata.name,
    work.part,
    ...(work.part === "upgrade" ? [work.version] : []),
  ]);
  return { metadata: { name, labels: labelsFor(db, work.part) }, spec: workFor(db, work) };
}

function workFor(db: SampleDB, { part, version, args }: Work): JobSpec {
  return {
    backoffLimit: 2,
    template: {
      metadata: { labels: labelsFor(db, part) },
      spec: {
        restartPolicy: "Never",
        containers: [
          {
            name: part,
            image: imageOf(version),
            args: [...args, `--server=${nameFor(db)}`],
          },
        ],
      },
    },
  };
}

function imageOf(version: string): string {
  return `registry.example.com/sampledb:${version}`;
}

/** The name of the parts of which there is one. */
export function nameFor({ metadata }: SampleDB): string {
  return shortName([metadata.name]);
}

function labelsFor(db: SampleDB, part: string): Record<string, string> {
  return {
    "app.kubernetes.io/name": "sampledb",
    "app.kubernetes.io/instance": nameFor(db),
    [PART]: part,
  };
}

function metadataFor(db: SampleDB): { name: string; labels: Record<string, string> } {
  return { name: nameFor(db), labels: labelsFor(db, "server") };
}
