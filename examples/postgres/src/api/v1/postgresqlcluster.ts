import {
  CustomResource,
  ExactlyOneOf,
  Immutable,
  ListMap,
  Maximum,
  Minimum,
  MinLength,
  Pattern,
  PrintColumn,
  Resource,
  Scale,
  type Condition,
  type Int32,
  type Int64,
  type Quantity,
} from "tsop";

/** A new database. */
export class InitDB {
  /** Its name. */
  @MinLength(1) database!: string;
  /** The user whose it is. The password is made, and kept in the Secret `<cluster>-owner`. */
  @MinLength(1) owner!: string;
}

/** A database that was before. */
export class Recovery {
  /** The URL of the backup, such as `https://backups.example.com/shop.tar`. */
  @MinLength(1) from!: string;
}

/** What the data begins with. */
@ExactlyOneOf("initdb", "recovery")
export class Bootstrap {
  /** With an empty database. */
  initdb?: InitDB;
  /** With a backup. */
  recovery?: Recovery;
}

/** Settings of the servers. */
export class PostgreSQLSettings {
  /** Parameters of postgresql.conf. A change restarts the members, one after the other. */
  parameters?: Record<string, string>;
}

/** The desired state of a PostgreSQLCluster. */
export class PostgreSQLClusterSpec {
  /** How many members there are: one primary, and replicas. */
  @Minimum(1) @Maximum(9) instances: Int32 = 3;
  /** Release of PostgreSQL. */
  @Pattern(/^[0-9]+(\.[0-9]+)?$/) version: string = "17";
  /** How much room each member has. */
  @Immutable() storage: Quantity = "1Gi";
  /** Settings of the servers. */
  postgresql?: PostgreSQLSettings;
  /** What the data begins with. */
  @Immutable() bootstrap!: Bootstrap;
}

/** The member that may accept writes: one life of it, as a pod that is made again has another uid. */
export class Primary {
  pod!: string;
  uid!: string;
}

/** The observed state of a PostgreSQLCluster. */
export class PostgreSQLClusterStatus {
  /** Who may accept writes. Nobody else may before this pod has ended. */
  primary?: Primary;
  /** How many members there are. */
  instances?: Int32;
  /** How many of them are ready. */
  readyInstances?: Int32;
  /** The `metadata.generation` that this status reflects. */
  observedGeneration?: Int64;
  /** `Ready`, and what it waits for. */
  @ListMap("type") conditions?: Condition[];
}

/** A PostgreSQL database with a primary and replicas. */
@Resource({
  group: "postgresql.example.com",
  version: "v1",
  plural: "postgresqlclusters",
  shortNames: ["pg"],
  userRoles: "separate",
})
@Scale({
  spec: (cluster: PostgreSQLCluster) => cluster.spec.instances,
  status: (cluster: PostgreSQLCluster) => cluster.status?.instances,
})
@PrintColumn(
  "Ready",
  (cluster: PostgreSQLCluster) =>
    cluster.status?.conditions?.find((c) => c.type === "Ready")?.status,
)
@PrintColumn("Members", (cluster: PostgreSQLCluster) => cluster.status?.readyInstances)
@PrintColumn("Primary", (cluster: PostgreSQLCluster) => cluster.status?.primary?.pod)
@PrintColumn("Age", (cluster: PostgreSQLCluster) => cluster.metadata.creationTimestamp)
export class PostgreSQLCluster extends CustomResource<
  PostgreSQLClusterSpec,
  PostgreSQLClusterStatus
> {}
