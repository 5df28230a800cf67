/**
 * The answers of the webhook server.
 *
 * A failure is told by the status of HTTP and a `Status`: the API server then acts by the webhook's `failurePolicy`, and
 * shows the message to the user. In an `AdmissionReview` it would be a refusal, and `failurePolicy: Ignore` would mean
 * nothing. The same answer says it as a review, too, for whoever reads it as one.
 */
import { encodeJson } from "../../../kube/json.ts";
import type { JsonObject } from "../../../kube/object.ts";
import { failure } from "../../../kube/status.ts";
import { present } from "../../../present.ts";

/** An answer: JSON in a status of HTTP. */
export interface Reply {
  readonly status: number;
  readonly body: string;
  /** After how many seconds the same request may succeed: API servers send it once more. */
  readonly retryAfterSeconds?: number;
}

/** The reasons of the API server's own failures. */
const REASONS: Readonly<Record<number, string>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  409: "Conflict",
  410: "Gone",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

/** The reason that goes with a status code; empty when there is none. */
export function reasonOf(code: number): string {
  return REASONS[code] ?? "";
}

/** Why a review could not be answered. */
export class ReviewFailure extends Error {
  override readonly name = "ReviewFailure";
  readonly status: number;
  /** The limit that the request exceeds. */
  readonly limit: ExceededLimit | undefined;

  /** @param status - of HTTP */
  constructor(status: number, message: string, options?: ErrorOptions & { limit?: ExceededLimit }) {
    super(message, options);
    this.status = status;
    this.limit = options?.limit;
  }
}

/** A limit of the server, and how it is changed. */
export interface ExceededLimit {
  /** Such as `request-memory`. */
  readonly name: string;
  readonly fix: string;
  /** How long the limit is exceeded, as far as that depends on other requests. */
  readonly retryAfterSeconds?: number;
}

/** A review that was asked for: how it is to be answered. */
export interface AskedReview {
  /** Empty when it could not be read. */
  readonly uid: string;
  readonly apiVersion: string;
  readonly kind: "AdmissionReview" | "ConversionReview";
}

/** Nothing of a request could be read. */
export const UNREAD: AskedReview = { uid: "", apiVersion: "", kind: "AdmissionReview" };

export function reviewReply({ uid, apiVersion, kind }: AskedReview, response: JsonObject): Reply {
  return { status: 200, body: encodeJson({ kind, apiVersion, response: { uid, ...response } }) };
}

/** The answer of a review that failed, or of a request that is none. */
export function failureReply(
  asked: AskedReview,
  { status: code, message, limit }: ReviewFailure,
): Reply {
  const { uid } = asked;
  const later = present({ retryAfterSeconds: limit?.retryAfterSeconds });
  const details = { ...(uid === "" ? {} : { uid }), ...later };
  const isEmpty = Object.keys(details).length === 0;
  const { status } = failure(code, reasonOf(code), message, isEmpty ? undefined : details);
  return {
    status: code,
    body: encodeJson({ ...status, response: { uid, allowed: false, status } }),
    ...later,
  };
}
