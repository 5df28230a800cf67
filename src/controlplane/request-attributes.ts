/** The attributes of a request, for authorization. */

/** The attributes of an action of a user. */
export type Attributes = ResourceAttributes | PathAttributes;

export interface ResourceAttributes {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Empty for the resource itself. */
  readonly subresource: string;
  /** Empty for cluster-scoped objects, or all namespaces. */
  readonly namespace: string;
  /** Empty for any name. */
  readonly name: string;
  /** The field selector of a list, a watch or a deletion of a collection. */
  readonly fieldSelector?: string;
}

/** Attributes of a request for a path that is not a resource. */
interface PathAttributes {
  readonly verb: string;
  readonly path: string;
}

/** The right to create that subresource of certificate requests. */
export const signingRight = (subresource: string): Attributes => ({
  verb: "create",
  group: "certificates.k8s.io",
  version: "*",
  resource: "certificatesigningrequests",
  subresource,
  namespace: "",
  name: "",
});
