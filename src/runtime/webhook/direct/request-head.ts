/**
 * Recognises the one form in which API servers ask for reviews. Whatever else comes in is no mistake: `node:http` reads it.
 *
 * So nothing may be recognised here that `node:http` would read in another way, or refuse: each byte and each name is one of
 * those that have been thought of. `npm run verify -- fuzz wire` sends the same bytes to both.
 */
import type { IncomingHttpHeaders } from "node:http";
import type { Asked } from "../requests/exchange.ts";

/** The head of a request for a review. */
export interface RequestHead extends Asked {
  /** Where the body begins. */
  readonly bodyAt: number;
  /** How many bytes it has: at least one. */
  readonly bodyBytes: number;
}

// Go's client writes the head at once, in the first 4 kB.
const MAX_HEAD_BYTES = 4096;
const END_OF_HEAD = "\r\n\r\n";
const HEAD =
  /^POST (\/[\w.~/-]*)(?:\?([\w.~=&-]*))? HTTP\/1\.1\r\n((?:[A-Za-z-]+: [!-~]+(?: [!-~]+)*\r\n)+)\r\n$/;
const KEEP_ALIVE = "keep-alive";
const LENGTH = /^[1-9]\d{0,8}$/;
// No Expect, Transfer-Encoding, Upgrade, Content-Encoding: what changes the meaning of others is not here.
const NAMES: ReadonlySet<string> = new Set([
  "accept",
  "accept-encoding",
  "authorization",
  "baggage",
  "connection",
  "content-length",
  "content-type",
  "host",
  "traceparent",
  "tracestate",
  "user-agent",
]);

/** The head that `bytes` begin with; `undefined` when there is any doubt about it, or when it is not complete. */
export function requestHeadOf(bytes: Buffer): RequestHead | undefined {
  const end = bytes.indexOf(END_OF_HEAD);
  if (end < 0 || end > MAX_HEAD_BYTES) return undefined;
  const bodyAt = end + END_OF_HEAD.length;
  const match = HEAD.exec(bytes.toString("latin1", 0, bodyAt));
  if (!match) return undefined;
  const [, pathname = "", query = "", lines = ""] = match;
  const headers: IncomingHttpHeaders = {};
  for (let at = 0; at < lines.length;) {
    const colon = lines.indexOf(":", at);
    const lineEnd = lines.indexOf("\r", colon);
    const name = lines.slice(at, colon).toLowerCase();
    if (!NAMES.has(name) || headers[name] !== undefined) return undefined;
    headers[name] = lines.slice(colon + 2, lineEnd);
    at = lineEnd + 2;
  }
  const { host, connection = KEEP_ALIVE, "content-length": length = "" } = headers;
  if (host === undefined || connection !== KEEP_ALIVE || !LENGTH.test(length)) return undefined;
  if (headers["content-type"] !== "application/json") return undefined;
  return { method: "POST", pathname, query, headers, bodyAt, bodyBytes: Number(length) };
}
