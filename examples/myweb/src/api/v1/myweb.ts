import {
  CustomResource,
  ListMap,
  Maximum,
  MinLength,
  Minimum,
  PrintColumn,
  Resource,
  type Condition,
  type Int32,
  type Int64,
} from "tsop";

/** The desired state of a MyWeb. */
export class MyWebSpec {
  /** Image that the pods run; it serves /usr/share/nginx/html on port 80. */
  @MinLength(1) image: string = "nginx:1.27";
  /** Port on every node that serves the page; Kubernetes picks one when it is left out. */
  @Minimum(30000) @Maximum(32767) nodePortNumber?: Int32;
  /** The page, in HTML. */
  pageContentHtml!: string;
}

/** The observed state of a MyWeb. */
export class MyWebStatus {
  /** Conditions of the object. `Ready` is True when the page is served as specified. */
  completed?: boolean;
  /** How many pods serve it. */
  readyReplicas?: Int32;
  /** The port on which it is served, on every node. */
  nodePort?: Int32;
  /** The `metadata.generation` that this status reflects. */
  observedGeneration?: Int64;
  /** `Ready` says whether the page is served, and why not. */
  @ListMap("type") conditions?: Condition[];
}

/** A page, served by a web server of its own. */
@Resource({
  group: "operator.k8s-summit.org",
  version: "v1",
  plural: "mywebs",
  shortNames: ["web"],
  categories: ["all"],
  userRoles: "aggregated",
})
@PrintColumn(
  "Ready",
  (web: MyWeb) => web.status?.conditions?.find((c) => c.type === "Ready")?.status,
)
@PrintColumn("Port", (web: MyWeb) => web.status?.nodePort)
@PrintColumn("Image", (web: MyWeb) => web.spec.image, { priority: 1 })
@PrintColumn("Age", (web: MyWeb) => web.metadata.creationTimestamp)
export class MyWeb extends CustomResource<MyWebSpec, MyWebStatus> {}
