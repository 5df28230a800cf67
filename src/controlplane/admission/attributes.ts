/**
 * A write on its way through admission: the request, its user, and the object as it is so far.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/
 */
import type { JsonObject, SentObject } from "../../kube/object.ts";
import type { ServedResource, User } from "../kinds.ts";

/** The operation of a write, in admission's words. */
export type AdmissionOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** The kind of the object in the request: the resource's, or a subresource's own (`Scale`). */
export interface AdmittedKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** One write, as admission sees it. */
export interface AdmissionRequest {
  readonly operation: AdmissionOperation;
  readonly resource: ServedResource;
  /** Empty for the resource itself. */
  readonly subresource: string;
  readonly kind: AdmittedKind;
  /** Empty for cluster-scoped objects; that of a namespace is its own name. */
  readonly namespace: string;
  /** Empty while the name is not known: for a generated name, or a collection. */
  readonly name: string;
  /** Absent for a deletion. */
  readonly object?: SentObject;
  /** The object before an update or deletion. */
  readonly oldObject?: SentObject;
  readonly user: User;
  readonly dryRun: boolean;
  /**
   * The options of the request, such as `CreateOptions`, with kind and apiVersion; `null` for a
   * connection.
   */
  readonly options: JsonObject | null;
  /** Adds a `Warning` header to the answer. */
  readonly warn: (text: string) => void;
}

/** Whether the object is one of the resource, and not of a subresource's own kind (a Scale). */
export const hasOwnKind = ({ kind, resource }: AdmissionRequest): boolean =>
  kind.kind === resource.kind;

/** The kind of a resource's objects. */
export const kindOf = ({ group, version, kind }: ServedResource): AdmittedKind => ({
  group,
  version,
  kind,
});

/**
 * Turns the result of a patch into an object of its kind again, with its defaults.
 *
 * @param options - `isStrict` refuses fields that a built-in kind does not have
 * @throws StatusError 500
 */
export type AcceptObject = (
  request: AdmissionRequest,
  patched: unknown,
  options?: { readonly isStrict?: boolean },
) => SentObject;

/**
 * An object in another version of its resource.
 *
 * @throws StatusError 500 when the conversion webhook fails
 */
export type ConvertObject = (
  object: SentObject,
  from: ServedResource,
  to: ServedResource,
) => SentObject | Promise<SentObject>;
