/** Errors of failed answers of an API server, as `StatusError`s. */
import { failure, StatusError, type Status } from "../../kube/status.ts";

/** client-go's reasons and messages for answers without a usable body. */
const GENERIC: Readonly<Record<number, readonly [reason: string, message: string]>> = {
  400: ["BadRequest", "the server rejected our request for an unknown reason"],
  401: ["Unauthorized", "the server has asked for the client to provide credentials"],
  404: ["NotFound", "the server could not find the requested resource"],
  405: ["MethodNotAllowed", "the server does not allow this method on the requested resource"],
  409: ["Conflict", "the server reported a conflict"],
  422: ["Invalid", "the server rejected our request due to an error in our request"],
  429: [
    "TooManyRequests",
    "the server has received too many requests and has asked us to try again later",
  ],
  503: ["ServiceUnavailable", "the server is currently unable to handle the request"],
  504: [
    "Timeout",
    "the server was unable to return a response in the time allotted, but may still be processing the request",
  ],
};

export function isFailure(value: unknown): value is Status {
  const { kind, status } = (value ?? {}) as Partial<Status>;
  return kind === "Status" && status === "Failure";
}

/**
 * Whether a value that can only be a `Status` is one of a failure. Kubelets leave the kind out; client-go takes it for
 * granted, too.
 */
export function isFailedStatus(value: unknown): value is Status {
  const { kind, status } = (value ?? {}) as { kind?: unknown; status?: unknown };
  return (kind === undefined || kind === "Status") && status === "Failure";
}

/** The headers of a failed answer that its error needs. */
interface FailureHeaders {
  readonly contentType?: string | undefined;
  /** The target of a redirect, which is never followed. */
  readonly location?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

// The length to which client-go cuts a text for its message.
const MAX_TEXT = 2048;

// The part of an HTML page whose words are looked at, and the length of those that are shown.
const MAX_HTML = 16 * 1024;
const MAX_WORDS = 120;

/** The frames of an error's stack: between a request and the code that asks for it, there are more than Node's ten. */
const STACK_FRAMES = 40;

/** The error of an answer with a failing status code; its stack reaches to the code that asked. */
export function statusErrorOf(
  code: number,
  body: string,
  headers: FailureHeaders = {},
): StatusError {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = Math.max(stackTraceLimit, STACK_FRAMES);
  try {
    return failureOf(code, body, headers);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** The answer's own `Status`, or a generic one in client-go's words. */
function failureOf(
  code: number,
  body: string,
  { contentType = "", retryAfterSeconds, location }: FailureHeaders,
): StatusError {
  if (code >= 300 && code < 400) return failure(code, "", redirected(code, location));
  const status = parseStatus(body);
  if (status) return new StatusError({ ...status, code: status.code || code });
  const details = retryAfterSeconds === undefined ? undefined : { retryAfterSeconds };
  // A body that is not text may be an object, such as a Secret.
  const isText = contentType === "" || /^text\//i.test(contentType);
  const said = isText ? textOf(body, contentType) : "unknown";
  const [reason, message] = GENERIC[code] ?? fallback(code, said);
  return failure(code, reason, message, details);
}

/** Credentials must reach no other server than the configured one. */
function redirected(code: number, location: string | undefined): string {
  const url = location !== undefined && URL.canParse(location) ? new URL(location) : undefined;
  const target = url ? `to ${url.protocol}//${url.host}`.slice(0, MAX_WORDS) : "elsewhere";
  return `the server answered ${code} and redirects ${target}, which is not followed; check that the address is that of the API server`;
}

/** The text that a message has of an answer: of HTML, as proxies send it, the first words. */
function textOf(body: string, contentType: string): string {
  const isHtml = /^text\/html/i.test(contentType) || /^\s*<(?:!doctype|html)/i.test(body);
  if (!isHtml) return body.slice(0, MAX_TEXT).trim();
  const words = body
    .slice(0, MAX_HTML)
    .replace(/<(script|style)[^]*?<\/\1>|<[^>]*>/gi, " ")
    .replace(/\s+/g, " ")
    .trim();
  const shown = words.length > MAX_WORDS ? `${words.slice(0, MAX_WORDS)}...` : words;
  return `HTML of a proxy or another server: ${shown}`;
}

export function statusErrorOfEvent(object: unknown): StatusError {
  return isFailure(object)
    ? new StatusError(object)
    : brokenAnswer("an ERROR event without a Status");
}

/** A 500 InternalError for an answer of the server that cannot be understood. */
export function brokenAnswer(message: string): StatusError {
  return failure(500, "InternalError", message);
}

function parseStatus(body: string): Status | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isFailedStatus(value) ? { ...value, kind: "Status" } : undefined;
  } catch {
    // Proxies and the server's own 404 answer in plain text or HTML.
    return undefined;
  }
}

function fallback(code: number, body: string): readonly [string, string] {
  if (code === 403) return ["Forbidden", body];
  if (code === 406) {
    return [
      "NotAcceptable",
      body || "the server was unable to respond with a content type that the client supports",
    ];
  }
  if (code === 415) return ["UnsupportedMediaType", body];
  if (code >= 500) {
    return [
      "InternalError",
      `an error on the server (${JSON.stringify(body)}) has prevented the request from succeeding`,
    ];
  }
  return [
    "",
    `the server responded with the status code ${code} but did not return more information`,
  ];
}
