import {
  CustomResource,
  Immutable,
  ListMap,
  Minimum,
  Pattern,
  PrintColumn,
  Resource,
  Scale,
  type Condition,
  type Int32,
  type Int64,
  type Quantity,
} from "tsop";

/** The database of an application. */
export class DatabaseSpec {
  /** Whether there is one; its data stays when it is switched off. */
  enabled: boolean = false;
  /** How much room its data has; decided when the MyApp is created. */
  @Immutable() storage: Quantity = "1Gi";
}

/** The desired state of a MyApp. */
export class MyAppSpec {
  /** How many pods serve the application. */
  @Minimum(0) replicas: Int32 = 1;
  /** The release of the application. */
  @Pattern(/^[0-9]+\.[0-9]+\.[0-9]+$/) version!: string;
  /** The database of the application. */
  database: DatabaseSpec = { enabled: false, storage: "1Gi" };
}

/** The observed state of a MyApp. */
export class MyAppStatus {
  /** `Running` when all of it is, `Progressing` before. */
  phase?: "Progressing" | "Running";
  /** How many pods there are. */
  replicas?: Int32;
  /** How many of them are ready. */
  readyReplicas?: Int32;
  /** The `metadata.generation` that this status reflects. */
  observedGeneration?: Int64;
  /** `Ready` says what the application waits for. */
  @ListMap("type") conditions?: Condition[];
}

/** An application with several replicas and, if one likes, a database. */
@Resource({
  group: "app.example.com",
  version: "v1",
  plural: "myapps",
  userRoles: "separate",
})
@Scale({
  spec: (app: MyApp) => app.spec.replicas,
  status: (app: MyApp) => app.status?.replicas,
})
@PrintColumn("Phase", (app: MyApp) => app.status?.phase)
@PrintColumn("Version", (app: MyApp) => app.spec.version)
@PrintColumn("Ready", (app: MyApp) => app.status?.readyReplicas)
@PrintColumn("Age", (app: MyApp) => app.metadata.creationTimestamp)
export class MyApp extends CustomResource<MyAppSpec, MyAppStatus> {}
