/**
 * What admission webhooks are asked, and what handles it: defaulters change objects before they are stored, validators
 * allow or refuse them, and handlers do either with the request itself.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
 * @module
 */
import type { JsonObject, KubeObject, Sent, SentObject, StoredMeta } from "../object.ts";

/** What is done to an object. */
export type AdmissionOperation = "CREATE" | "UPDATE" | "DELETE" | "CONNECT";

/** A kind in one version; the core group is empty. */
export interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A resource in one version; the core group is empty. */
export interface GroupVersionResource {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
}

/** Who sent a request, as the API server knows them. */
export interface UserInfo {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** What the API server asks about: the request of an `AdmissionReview`. */
export interface AdmissionRequest<T extends KubeObject = KubeObject> {
  readonly uid: string;
  readonly operation: AdmissionOperation;
  /** The kind of `object`: the one that the webhook's rule names. */
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  /** `status`, `scale`, ...; absent for the object itself. */
  readonly subResource?: string;
  /** The kind that the request was made in, which `matchPolicy: Equivalent` may have converted. */
  readonly requestKind?: GroupVersionKind;
  readonly requestResource?: GroupVersionResource;
  readonly requestSubResource?: string;
  /** Absent where the server is asked to make a name up. */
  readonly name?: string;
  /** Absent for objects outside of namespaces. */
  readonly namespace?: string;
  readonly userInfo: UserInfo;
  /** The object as it would be stored, to which the server may not have given a name and a uid yet; absent at DELETE. */
  readonly object?: Sent<T>;
  /** The object as it is stored; at UPDATE and DELETE. */
  readonly oldObject?: T;
  /** Nothing will be stored: no effect outside of the answer is allowed. */
  readonly dryRun: boolean;
  /** `CreateOptions`, `PatchOptions`, `DeleteOptions`, ... */
  readonly options?: JsonObject;
}

/** A request that is being answered. */
export interface Review<T extends KubeObject = KubeObject> {
  readonly request: AdmissionRequest<T>;
  /** Aborted when the API server stops waiting, or the operator ends. */
  readonly signal: AbortSignal;
  /** Shows the user a warning, which kubectl prints. At most 256 bytes of it are kept. */
  warn(message: string): void;
}

/** Names a field of an object: `(widget) => widget.spec.ports[0]?.name`, or `"spec.ports[0].name"`. */
export type FieldOf<T> = ((object: T) => unknown) | string;

/**
 * A request that is validated. Every mistake that is noted here refuses the request, and the user is shown all of them,
 * in the API server's words: `spec.size: Invalid value: 12: must be even`. Fields are named by a function, whose value is
 * read from the object, or by their path.
 */
export interface ValidationReview<T extends KubeObject = KubeObject> extends Review<T> {
  /** `Invalid value: 12: must be even`. */
  invalid(field: FieldOf<T>, detail: string): void;
  /** `Required value: needed when tls is on`. */
  required(field: FieldOf<T>, detail?: string): void;
  /** `Forbidden: may not be changed`. */
  forbidden(field: FieldOf<T>, detail: string): void;
  /** `Unsupported value: "x": supported values: "a", "b"`. */
  notSupported(field: FieldOf<T>, supported: readonly string[]): void;
  /** `Duplicate value: "x"`. */
  duplicate(field: FieldOf<T>): void;
  /** Refuses the request as a whole, with 403. */
  deny(message: string): void;
}

/**
 * An object that is about to be created, as validating webhooks see it: the server has given it a name, a uid and a
 * time, and it has no `resourceVersion` before it is stored.
 */
export type Unstored<T extends KubeObject> = Omit<T, "metadata"> & {
  metadata: Omit<T["metadata"], "resourceVersion"> & Pick<Partial<StoredMeta>, "resourceVersion">;
};

/** Fills in what the user left out. It is not asked at DELETE. */
export interface Defaulter<T extends KubeObject> {
  /** Changes `object`, which has no uid yet when it is being created; the difference is sent to the API server. */
  default(object: Sent<T>, review: Review<T>): void | Promise<void>;
}

/** Refuses what cannot be. The methods that are there say which operations are asked about. */
export interface Validator<T extends KubeObject> {
  /** Before an object is created. */
  validateCreate?(object: Unstored<T>, review: ValidationReview<T>): void | Promise<void>;
  /** Before `old` becomes `object`. */
  validateUpdate?(object: T, old: T, review: ValidationReview<T>): void | Promise<void>;
  /** Before an object is deleted. */
  validateDelete?(object: T, review: ValidationReview<T>): void | Promise<void>;
}

/** The answer of an `AdmissionHandler`. */
export interface AdmissionAnswer {
  readonly allowed: boolean;
  /** Why not: what the user is shown. */
  readonly message?: string;
  /** The status code of a refusal; 403 when absent. */
  readonly code?: number;
  /** How a mutating webhook changes the object: the object after it, of which the difference is sent. */
  readonly object?: SentObject;
  /** Notes for the API server's audit log; the webhook's name is put before the keys. */
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

/** Answers requests itself: for subresources, CONNECT, and kinds of others. */
export interface AdmissionHandler<T extends KubeObject = KubeObject> {
  /** Answers a request. What throws is answered as a failure, which the webhook's `failurePolicy` decides about. */
  handle(review: Review<T>): AdmissionAnswer | Promise<AdmissionAnswer>;
}
