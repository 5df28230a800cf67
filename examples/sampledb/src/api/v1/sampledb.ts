import {
  CustomResource,
  ListMap,
  MinLength,
  Pattern,
  PrintColumn,
  Resource,
  type Condition,
  type Int64,
  type Quantity,
  type Time,
} from "tsop";

/** When and where backups are made. */
export class BackupSpec {
  /** When, as cron says it. */
  schedule: string = "0 3 * * *";
  /** Where to: the URL of a folder in an object store. */
  @MinLength(1) to!: string;
  /** Whether the database is backed up once more before it is deleted. */
  beforeDeletion: boolean = true;
}

/** The desired state of a SampleDB. */
export class SampleDBSpec {
  /** Release of the database. */
  @Pattern(/^[0-9]+(\.[0-9]+)*$/) version: string = "16";
  /** How much room the data has. */
  storage: Quantity = "1Gi";
  /** When and where backups are made. */
  backup!: BackupSpec;
}

/** The observed state of a SampleDB. */
export class SampleDBStatus {
  /** The release that the data is of. */
  version?: string;
  /** When the last backup succeeded. */
  lastBackup?: Time;
  /** The `metadata.generation` that this status reflects. */
  observedGeneration?: Int64;
  /** `Ready`, `Reconciling` and `Stalled`, and what they are made of. */
  @ListMap("type") conditions?: Condition[];
}

/** A database with its storage, its upgrades and its backups. */
@Resource({
  group: "db.example.com",
  version: "v1",
  plural: "sampledbs",
  shortNames: ["sdb"],
  userRoles: "separate",
})
@PrintColumn(
  "Ready",
  (db: SampleDB) => db.status?.conditions?.find((c) => c.type === "Ready")?.status,
)
@PrintColumn("Version", (db: SampleDB) => db.status?.version)
@PrintColumn("Last Backup", (db: SampleDB) => db.status?.lastBackup)
@PrintColumn("Storage", (db: SampleDB) => db.spec.storage, { priority: 1 })
@PrintColumn("Backups To", (db: SampleDB) => db.spec.backup.to, { priority: 1 })
@PrintColumn("Age", (db: SampleDB) => db.metadata.creationTimestamp)
export class SampleDB extends CustomResource<SampleDBSpec, SampleDBStatus> {}
