/**
 * `Status`: the answer of Kubernetes to a failed request (or a completed deletion).
 *
 * The constructors use the API server's words; a client turns an answer back into a `StatusError`,
 * and tests it with the predicates.
 *
 * @see https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/
 */
import type { ListMeta } from "./object.ts";

/** One of several causes of a failure; `field` is the path in the object. */
export interface StatusCause {
  reason?: string;
  message?: string;
  field?: string;
}

/** The object or kind of a failure, and its causes. */
export interface StatusDetails {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

/** The `Status` object of the wire. */
export interface Status {
  kind: "Status";
  apiVersion: "v1";
  metadata: ListMeta;
  status: "Success" | "Failure";
  message?: string;
  reason?: string;
  details?: StatusDetails;
  code: number;
}

/**
 * A failed request, with the API server's `Status`. The message leaves out the values of a Secret,
 * which are in `status` only.
 *
 * @example
 * try {
 *   await client.create(Web, { metadata: key, spec: {} });
 * } catch (error) {
 *   if (!(error instanceof StatusError)) throw error;
 *   console.error(error.status.details?.causes);
 * }
 */
export class StatusError extends Error {
  override readonly name = "StatusError";
  readonly code: number;
  readonly reason: string;
  // Not a field of the error: loggers print those, and would print the message twice.
  readonly #status: Status;

  constructor(status: Status, options?: ErrorOptions) {
    super(messageOfStatus(status), options);
    this.#status = status;
    this.code = status.code;
    this.reason = status.reason ?? "";
  }

  get status(): Status {
    return this.#status;
  }
}

/** The message, without the values of a Secret: it gets into logs, events and conditions. */
function messageOfStatus({ message, reason, code, details }: Status): string {
  const text = message ?? reason ?? `HTTP ${code}`;
  const isOfSecret = /^secrets?$/i.test(details?.kind ?? "") && (details?.group ?? "") === "";
  return isOfSecret ? text.replace(REFUSED_VALUE, "$1 value: (hidden)") : text;
}

// A value as Go prints it: a quoted string, JSON, or a text without spaces.
const REFUSED_VALUE =
  /\b(Invalid|Unsupported|Duplicate) value: (?:"(?:[^"\\]|\\.)*"|\{.*\}|\[.*\](?=: )|[^\s,\]]+(?=: |,|\]|$))/gs;

/** A `Status` of a failure; empty parts are left out, as on the wire. */
export function failure(
  code: number,
  reason: string,
  message: string,
  details?: StatusDetails,
): StatusError {
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    ...(reason === "" ? {} : { reason }),
    ...(details ? { details } : {}),
    code,
  });
}

/** Several messages as one, as Go's aggregated errors are printed: each once. */
export function aggregate(messages: readonly string[]): string {
  const [first = "", ...others] = new Set(messages);
  return others.length === 0 ? first : `[${[first, ...others].join(", ")}]`;
}

/** Whether `thrown` is a `StatusError` with that reason. */
export function hasReason(thrown: unknown, reason: string): thrown is StatusError {
  return thrown instanceof StatusError && thrown.reason === reason;
}

/**
 * 404: the object, or its kind, does not exist.
 *
 * @example
 * try {
 *   await client.delete(Web, key);
 * } catch (error) {
 *   if (!isNotFound(error)) throw error;
 * }
 */
export const isNotFound = (thrown: unknown): thrown is StatusError => hasReason(thrown, "NotFound");
/**
 * 409: the object changed since it was read.
 *
 * @example
 * try {
 *   await client.update(Web, web);
 * } catch (error) {
 *   if (!isConflict(error)) throw error;
 * }
 */
export const isConflict = (thrown: unknown): thrown is StatusError => hasReason(thrown, "Conflict");
/**
 * 409: an object of that name exists.
 *
 * @example
 * try {
 *   await client.create(ConfigMap, { metadata: key });
 * } catch (error) {
 *   if (!isAlreadyExists(error)) throw error;
 * }
 */
export const isAlreadyExists = (thrown: unknown): thrown is StatusError =>
  hasReason(thrown, "AlreadyExists");
/**
 * 422: the API server refuses the object's content.
 *
 * @example
 * try {
 *   await client.create(Web, { metadata: key, spec: {} });
 * } catch (error) {
 *   if (!isInvalid(error)) throw error;
 * }
 */
export const isInvalid = (thrown: unknown): thrown is StatusError => hasReason(thrown, "Invalid");
/**
 * 403: the user lacks the right.
 *
 * @example
 * try {
 *   await client.list(Secret);
 * } catch (error) {
 *   if (!isForbidden(error)) throw error;
 * }
 */
export const isForbidden = (thrown: unknown): thrown is StatusError =>
  hasReason(thrown, "Forbidden");
/**
 * 410: that resourceVersion is no longer held.
 *
 * @example
 * try {
 *   await client.watch(Pod, { resourceVersion: "1" });
 * } catch (error) {
 *   if (!isExpired(error)) throw error;
 * }
 */
export const isExpired = (thrown: unknown): thrown is StatusError =>
  hasReason(thrown, "Expired") || hasReason(thrown, "Gone");
