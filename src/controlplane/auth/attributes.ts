/**
 * What an authorizer is asked about.
 *
 * @module
 */

/** What somebody wants to do. */
export type Attributes = ResourceAttributes | PathAttributes;

/** With a resource. */
export interface ResourceAttributes {
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  /** Empty: the resource itself. */
  readonly subresource: string;
  /** Empty: cluster-scoped, or all namespaces. */
  readonly namespace: string;
  /** Empty: any. */
  readonly name: string;
  /** Of a list, a watch or a deletion of a collection. */
  readonly fieldSelector?: string;
}

/** With a path that is no resource. */
interface PathAttributes {
  readonly verb: string;
  readonly path: string;
}
