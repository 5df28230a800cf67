/**
 * The marker of a controller's rights.
 *
 * @module
 */
import type { Token } from "../kube/resource.ts";
import type { ClassMarker } from "./marker.ts";

/** What may be done to objects. */
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

/** Narrows a right. */
export interface RbacScope {
  /** Only `status`, `scale`, `finalizers`, ... of the objects. */
  readonly subresource?: string;
  /** Only the objects of these names. */
  readonly resourceNames?: readonly string[];
  /** A Role in this namespace in place of the ClusterRole. */
  readonly namespace?: string;
  /** Another role than the manager's. */
  readonly roleName?: string;
}

/** A right written out. */
export interface RbacRule {
  /** `[""]` is the core group. */
  readonly groups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  /** Paths outside the resources: `/metrics`. */
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
 * What the controller may do: `@Rbac(Deployment, ["get", "list", "watch"])`, or written out as
 * `@Rbac({ groups: ["apps"], resources: ["deployments"], verbs: ["get"] })`. `tsop manifests` writes the
 * role of all of them, and nothing beside: with the first `@Rbac` of a project, what the code does and no marker grants is
 * an error at its line. A project without any gets the role of what its code does; `tsop create` writes the marker at a
 * project's first controller, and at further ones where the project has it.
 *
 * @example `@Rbac(Deployment, ["get", "list", "watch", "patch"]) class PageReconciler implements Reconciler { async reconcile(): Promise<void> {} }`
 */
export const Rbac: RbacMarker = () => () => undefined;
