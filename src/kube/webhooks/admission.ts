/**
 * Requests to admission webhooks, and their handlers: defaulters change objects before they are
 * stored, validators allow or refuse them, and admission handlers do either with the request
 * itself.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/extensible-admission-controllers/
 */
import type { JsonObject, KubeObject, Sent, SentObject, StoredMeta } from "../object.ts";

/** The operation of a request. */
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

/** The user of a request, as the API server knows them. */
export interface UserInfo {
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** The request of an `AdmissionReview`. */
export interface AdmissionRequest<T extends KubeObject = KubeObject> {
  readonly uid: string;
  readonly operation: AdmissionOperation;
  /** The kind of `object`: the one of the webhook's rule. */
  readonly kind: GroupVersionKind;
  readonly resource: GroupVersionResource;
  /** `status`, `scale`, ...; absent for the object itself. */
  readonly subResource?: string;
  /** The kind of the original request, which `matchPolicy: Equivalent` may have converted. */
  readonly requestKind?: GroupVersionKind;
  readonly requestResource?: GroupVersionResource;
  readonly requestSubResource?: string;
  /** Absent where the server generates a name. */
  readonly name?: string;
  /** Absent for objects outside of namespaces. */
  readonly namespace?: string;
  readonly userInfo: UserInfo;
  /**
   * The object as it would be stored, to which the server may not have given a name and a uid yet;
   * absent at DELETE.
   */
  readonly object?: Sent<T>;
  /** The stored object, at UPDATE and DELETE. */
  readonly oldObject?: T;
  /** Whether nothing will be stored: no effect outside of the answer is allowed. */
  readonly dryRun: boolean;
  /** `CreateOptions`, `PatchOptions`, `DeleteOptions`, ... */
  readonly options?: JsonObject;
}

/** A request under review. */
export interface Review<T extends KubeObject = KubeObject> {
  readonly request: AdmissionRequest<T>;
  /** Aborted when the API server stops waiting, or the operator ends. */
  readonly signal: AbortSignal;
  /** Shows the user a warning, which kubectl prints. At most 256 bytes of it are kept. */
  warn(message: string): void;
}

/** A field of an object: `(widget) => widget.spec.ports[0]?.name`, or `"spec.ports[0].name"`. */
export type FieldOf<T> = ((object: T) => unknown) | string;

/**
 * A request under validation. Every error that is recorded here refuses the request, and the user
 * sees all of them, in the API server's words: `spec.size: Invalid value: 12: must be even`. Fields
 * are named by a function, whose value is read from the object, or by their path.
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
 * An object that is about to be created, as validating webhooks see it: the server has given it a
 * name, a uid and a time, and it has no `resourceVersion` before it is stored.
 */
export type Unstored<T extends KubeObject> = Omit<T, "metadata"> & {
  metadata: Omit<T["metadata"], "resourceVersion"> & Pick<Partial<StoredMeta>, "resourceVersion">;
};

/** Sets defaults for fields that the user omitted. It is not called at DELETE. */
export interface Defaulter<T extends KubeObject> {
  /**
   * Changes `object`, which has no uid yet when it is being created; the difference is sent to the
   * API server.
   */
  default(object: Sent<T>, review: Review<T>): void | Promise<void>;
}

/**
 * Refuses invalid objects. The methods that it has determine the operations that it is called for.
 */
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
  /** The message of a refusal, which the user sees. */
  readonly message?: string;
  /** The status code of a refusal; 403 when absent. */
  readonly code?: number;
  /** The object after the changes of a mutating webhook, of which the difference is sent. */
  readonly object?: SentObject;
  /** Annotations of the API server's audit log; their keys are prefixed with the webhook's name. */
  readonly auditAnnotations?: Readonly<Record<string, string>>;
}

/** Answers requests itself: for subresources, CONNECT, and kinds of others. */
export interface AdmissionHandler<T extends KubeObject = KubeObject> {
  /**
   * Answers a request. An exception is answered as a failure, which the webhook's `failurePolicy`
   * decides about.
   */
  handle(review: Review<T>): AdmissionAnswer | Promise<AdmissionAnswer>;
}
