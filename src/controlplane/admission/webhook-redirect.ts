/**
 * Redirects of webhooks, followed as Go's HTTP client follows them.
 *
 * @see https://pkg.go.dev/net/http#Client
 */

/** An address to connect to. */
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
  /** The address to connect to, when it is not the URL's host. */
  readonly connectTo?: Address;
  /** The `Host` header. */
  readonly host: string;
  readonly body?: Buffer;
  readonly referer?: string;
}

/** The redirects that keep the method and the body; the others become a GET. */
const KEEP_METHOD = new Set([307, 308]);
const REDIRECTS = new Set([301, 302, 303, ...KEEP_METHOD]);

/**
 * The request that a redirect asks for; `undefined` when the answer is not a redirect, or has no
 * location.
 */
export function redirected(
  { method, url, body }: Exchange,
  answer: { readonly status: number; readonly location?: string },
): Exchange | undefined {
  if (!REDIRECTS.has(answer.status) || !answer.location) return undefined;
  if (!URL.canParse(answer.location, url.href)) return undefined;
  const next = new URL(answer.location, url);
  if (next.protocol !== "https:" && next.protocol !== "http:") return undefined;
  const isKept = KEEP_METHOD.has(answer.status);
  // A server without TLS gets no `Referer` with a URL that was called over TLS.
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
