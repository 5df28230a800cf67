/** Requests and answers in HTTP, with or without a socket. */
import { type StatusError, failure } from "../../../kube/status.ts";

/** The longest body of a request, in bytes. */
export const BODY_MAX_BYTES = 3 * 1024 * 1024;

/** The answer to a body that is longer. */
export const bodyTooLarge = (): StatusError =>
  failure(413, "RequestEntityTooLarge", `Request entity too large: limit is ${BODY_MAX_BYTES}`);

/** A query as Go reads it: a pair with a semicolon is dropped. */
export function parseQuery(text: string): URLSearchParams {
  if (!text.includes(";")) return new URLSearchParams(text);
  const pairs = text.split("&").filter((pair) => !pair.includes(";"));
  return new URLSearchParams(pairs.join("&"));
}

/**
 * The text of a header on the wire: Node writes headers as latin1, and Kubernetes puts raw UTF-8
 * there.
 */
export function headerText(text: string): string {
  return /[^\u0020-\u007e]/.test(text) ? Buffer.from(text, "utf8").toString("latin1") : text;
}
