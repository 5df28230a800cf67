/** Failures of calls to webhooks, in the words of Go and client-go. */
import { quote } from "../../kube/field-errors.ts";
import { isJsonObject } from "../../kube/json.ts";

/** Thrown for a call without a usable answer; the message says why, as Go would. */
export class WebhookCallError extends Error {
  override readonly name = "WebhookCallError";
}

/** The HTTP answer of a webhook. */
export interface WebhookAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
  /** The `Location` header of a redirect. */
  readonly location?: string;
}

/** A network failure in Go's words. */
export function networkProblem(
  error: NodeJS.ErrnoException & { address?: string; port?: number },
): string {
  const { code = "", message } = error;
  if (code === "ECONNREFUSED") {
    return `dial tcp ${error.address ?? ""}:${error.port ?? 0}: connect: connection refused`;
  }
  if (code === "ERR_SSL_WRONG_VERSION_NUMBER" || /wrong.version.number/.test(message)) {
    return "http: server gave HTTP response to HTTPS client";
  }
  if (code === "ENOTFOUND") return "dial tcp: lookup failed: no such host";
  if (code === "ECONNRESET") return "EOF";
  return message;
}

/** The reasons of status codes whose body does not give one. */
const STATUS_TEXTS: Readonly<Record<number, string>> = {
  400: "the server rejected our request for an unknown reason",
  401: "the server has asked for the client to provide credentials",
  403: "the server does not allow access to the requested resource",
  404: "the server could not find the requested resource",
  405: "the server does not allow this method on the requested resource",
  406: "the server was unable to respond with a content type that the client supports",
  409: "the server reported a conflict",
  410: "the server could not find the requested resource",
  415: "the body of the request was in an unknown format",
  422: "the server rejected our request due to an error in our request",
  429: "the server has received too many requests and has asked us to try again later",
  503: "the server is currently unable to handle the request",
  504: "the server was unable to return a response in the time allotted, but may still be processing the request",
};

/** Why an answer is not a success; `undefined` for one with a body and a 2xx status. */
export function answerProblem({ status, contentType, body }: WebhookAnswer): string | undefined {
  if (status >= 200 && status < 300) {
    if (body.length > 0) return undefined;
    return `0-length response with status code: ${status} and content type: ${contentType}`;
  }
  const told = messageOfStatus(body);
  if (told !== undefined) return told;
  const known = STATUS_TEXTS[status];
  if (known !== undefined) return known;
  if (status < 500) {
    return `the server responded with the status code ${status} but did not return more information`;
  }
  const isText = contentType === "" || /^text\//i.test(contentType);
  const text = isText ? body.toString("utf8").trim() : "";
  return `an error on the server (${quote(text === "" ? "unknown" : text)}) has prevented the request from succeeding`;
}

/** The message of a `Status` in the body, whatever the status code is. */
function messageOfStatus(body: Buffer): string | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body.toString("utf8"));
  } catch {
    return undefined;
  }
  const { apiVersion, kind, status, message } = isJsonObject(value) ? value : {};
  const isFailure = apiVersion === "v1" && kind === "Status" && status === "Failure";
  return isFailure && typeof message === "string" ? message : undefined;
}
