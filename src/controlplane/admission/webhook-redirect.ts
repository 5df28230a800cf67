/**
 * Where a webhook that redirects wants to be asked, as Go's HTTP client follows it.
 *
 * @see https://pkg.go.dev/net/http#Client
 * @module
 */

/** Where to connect. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** One request to a webhook. */
export interface Exchange {
  readonly method: "GET" | "POST";
  readonly url: URL;
  /** The URL in messages. */
  readonly shown: string;
  /** Where to connect, when it is not the URL's host. */
  readonly connectTo?: Address;
  /** The `Host` header. */
  readonly host: string;
  readonly body?: Buffer;
  readonly referer?: string;
}

/** After these the question is asked again as it is, after the others without its body. */
const KEEP_METHOD = new Set([307, 308]);
const REDIRECTS = new Set([301, 302, 303, ...KEEP_METHOD]);

/** The request that an answer asks for; `undefined` when it is an answer, or says no place. */
export function redirected(
  { method, url, body }: Exchange,
  answer: { readonly status: number; readonly location?: string },
): Exchange | undefined {
  if (!REDIRECTS.has(answer.status) || !answer.location) return undefined;
  if (!URL.canParse(answer.location, url.href)) return undefined;
  const next = new URL(answer.location, url);
  if (next.protocol !== "https:" && next.protocol !== "http:") return undefined;
  const isKept = KEEP_METHOD.has(answer.status);
  // What was asked over TLS is not told to a server without it.
  const isTold = url.protocol === "http:" || next.protocol === "https:";
  return {
    method: isKept ? method : "GET",
    url: next,
    shown: next.href,
    host: next.host,
    ...(isKept && body ? { body } : {}),
    ...(isTold ? { referer: url.href } : {}),
  };
}
