import {
  CustomResource,
  ListMap,
  Maximum,
  MaxItems,
  Minimum,
  MinItems,
  Pattern,
  PrintColumn,
  Resource,
  type Condition,
  type Int32,
  type Int64,
} from "tsop";

/**
 * A name that clients ask for.
 * @pattern ^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?){0,4}$
 */
export type Host = string;

/** Sends what is asked below a path to a Service. */
export class Route {
  /** What the paths begin with. */
  @Pattern(/^\/[a-z0-9/-]{0,99}$/) path!: string;
  /** The Service in the Gateway's namespace that answers. */
  @Pattern(/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/) service!: string;
  /** Its port. */
  @Minimum(1) @Maximum(65535) port!: Int32;
}

/** The desired state of a Gateway. */
export class GatewaySpec {
  /** The hosts that are served, each by one Gateway only; `<name>.<namespace>.example.com` when they are left out. */
  @MaxItems(20) hosts?: Host[];
  /** Where requests go. Of several routes whose paths fit, the longest is taken. */
  @ListMap("path") @MinItems(1) @MaxItems(50) routes!: Route[];
  /** How long a Service may take for an answer, in milliseconds. */
  @Minimum(1) @Maximum(3_600_000) timeoutMs: Int32 = 30_000;
}

/** The observed state of a Gateway. */
export class GatewayStatus {
  /** The `metadata.generation` that this status reflects. */
  observedGeneration?: Int64;
  /** `Ready` says whether the routes are served, and why not. */
  @ListMap("type") conditions?: Condition[];
}

/** Serves the Services of a namespace under hosts and paths. */
@Resource({
  group: "edge.example.com",
  version: "v1",
  plural: "gateways",
  userRoles: "separate",
  storage: true,
})
@PrintColumn("Host", (gateway: Gateway) => gateway.spec.hosts?.[0])
@PrintColumn(
  "Ready",
  (gateway: Gateway) => gateway.status?.conditions?.find((c) => c.type === "Ready")?.status,
)
@PrintColumn("Age", (gateway: Gateway) => gateway.metadata.creationTimestamp)
export class Gateway extends CustomResource<GatewaySpec, GatewayStatus> {}
