import {
  CustomResource,
  ListMap,
  Maximum,
  Minimum,
  Pattern,
  PrintColumn,
  Resource,
  type Condition,
  type Int32,
  type Int64,
} from "tsop";

/** The desired state of a Gateway. */
export class GatewaySpec {
  /** The host that is served, by one Gateway only; `<name>.<namespace>.example.com` when it is left out. */
  @Pattern(/^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?){0,4}$/)
  host?: string;
  /** The Service in the Gateway's namespace that answers. */
  @Pattern(/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/) service!: string;
  /** Its port. */
  @Minimum(1) @Maximum(65535) port!: Int32;
  /** How long the Service may take for an answer, in seconds. */
  @Minimum(1) @Maximum(3600) timeoutSeconds: Int32 = 30;
}

/** The observed state of a Gateway. */
export class GatewayStatus {
  /** The `metadata.generation` that this status reflects. */
  observedGeneration?: Int64;
  /** `Ready` says whether the routes are served, and why not. */
  @ListMap("type") conditions?: Condition[];
}

/** Serves a Service of a namespace under a host. v1 serves several, by their paths. */
@Resource({
  group: "edge.example.com",
  version: "v1alpha1",
  plural: "gateways",
  userRoles: "separate",
  deprecated: "v1alpha1 of Gateway is deprecated: v1 has routes",
})
@PrintColumn("Host", (gateway: Gateway) => gateway.spec.host)
@PrintColumn(
  "Ready",
  (gateway: Gateway) => gateway.status?.conditions?.find((c) => c.type === "Ready")?.status,
)
@PrintColumn("Age", (gateway: Gateway) => gateway.metadata.creationTimestamp)
export class Gateway extends CustomResource<GatewaySpec, GatewayStatus> {}
