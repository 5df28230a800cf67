/** Requests and answers in HTTP, with or without a socket. */
import { type StatusError, failure } from "../../../kube/status.ts";
import type { RawRequest } from "../requests/request.ts";

/** The longest body of a request, in bytes. */
export const BODY_MAX_BYTES = 3 * 1024 * 1024;

/** The answer to a body that is longer. */
export const bodyTooLarge = (): StatusError =>
  failure(413, "RequestEntityTooLarge", `Request entity too large: limit is ${BODY_MAX_BYTES}`);

/** The target of a request, with the query as Go reads it: a pair with a semicolon is dropped. */
export function parseTarget(target: string): Pick<RawRequest, "path" | "query"> {
  const question = target.indexOf("?");
  if (question < 0) return { path: target, query: new URLSearchParams() };
  let text = target.slice(question + 1);
  if (text.includes(";")) {
    const pairs = text.split("&").filter((pair) => !pair.includes(";"));
    text = pairs.join("&");
  }
  return { path: target.slice(0, question), query: new URLSearchParams(text) };
}

/** The text of a header on the wire: Node writes latin1, and Kubernetes puts raw UTF-8 there. */
export function headerText(text: string): string {
  return /[^\u0020-\u007e]/.test(text) ? Buffer.from(text, "utf8").toString("latin1") : text;
}
