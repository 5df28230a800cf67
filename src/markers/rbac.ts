/** The marker of a controller's rights. */
import type { Token } from "../kube/resource.ts";
import type { ClassMarker } from "./marker.ts";

/** The verbs of a right: the actions on objects. */
export type Verb =
  | "get"
  | "list"
  | "watch"
  | "create"
  | "update"
  | "patch"
  | "delete"
  | "deletecollection"
  | "impersonate"
  | "bind"
  | "escalate"
  | "use"
  | "*"
  // Custom verbs exist; the known ones are completed all the same.
  | (string & {});

/** Limits of a right. */
export interface RbacScope {
  /** The subresource to which the right is limited: `status`, `scale`, `finalizers`, ... */
  readonly subresource?: string;
  /** The names of the objects to which the right is limited. */
  readonly resourceNames?: readonly string[];
  /** A Role in this namespace in place of the ClusterRole. */
  readonly namespace?: string;
  /** The name of another role than the manager's. */
  readonly roleName?: string;
}

/** A right written out. */
export interface RbacRule {
  /** The API groups; `[""]` is the core group. */
  readonly groups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  /** Paths outside the resources, such as `/metrics`. */
  readonly urls?: readonly string[];
  readonly verbs: readonly Verb[];
  readonly namespace?: string;
  readonly roleName?: string;
}

/** The two forms of `@Rbac`. */
interface RbacMarker {
  (token: Token, verbs: readonly Verb[], scope?: RbacScope): ClassMarker<object>;
  (rule: RbacRule): ClassMarker<object>;
}

/**
 * A permission that the operator has beside those that `tsop manifests` infers from its code: `@Rbac(Deployment, ["get",
 * "list", "watch"])`, or written out as `@Rbac({ groups: ["apps"], resources: ["deployments"], verbs: ["get"] })`. Add it
 * for what `right-unclear` reports, and for code outside of the project. With `namespace`, the permission is a Role in that
 * namespace, which is bound to the operator and stays there when the operator is deployed.
 *
 * With `rbac: markers` in the `PROJECT` file nothing is inferred: the role is what the markers say, a call without its
 * permission is an error at its line, and `tsop create` writes markers at new controllers.
 *
 * @example `@Rbac(Deployment, ["get", "list", "watch", "patch"]) class PageReconciler implements Reconciler { async reconcile(): Promise<void> {} }`
 */
export const Rbac: RbacMarker = () => () => undefined;
