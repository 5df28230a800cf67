/**
 * Bearer tokens among the protocols of a WebSocket request, where browsers can put them: they cannot set `Authorization`.
 *
 * @see https://pkg.go.dev/k8s.io/apiserver/pkg/authentication/request/websocket
 */
type Headers = Readonly<Record<string, string | string[] | undefined>>;

const PREFIX = "base64url.bearer.authorization.k8s.io.";

const textOf = (headers: Headers, name: string): string => String(headers[name] ?? "");

/** Whether the headers ask for a WebSocket, as the API server tells it. */
export function wantsWebSocket(headers: Headers): boolean {
  return (
    headers["upgrade"] !== undefined &&
    textOf(headers, "upgrade").toLowerCase() === "websocket" &&
    /(^|.*,\s*)upgrade($|\s*,)/i.test(textOf(headers, "connection"))
  );
}

/** The protocols that a client offers, without a token. */
export function protocolsOf(headers: Headers): string[] {
  return offered(headers).filter((protocol) => !protocol.startsWith(PREFIX));
}

/** All protocols that a client offers. */
export function offered(headers: Headers): string[] {
  const text = textOf(headers, "sec-websocket-protocol").trim();
  return text === "" ? [] : text.split(",").map((protocol) => protocol.trim());
}

/**
 * The token of a request for a WebSocket: `undefined` without one, `invalid` if it is not encoded as base64url, is there
 * several times, or is the only protocol.
 */
export function protocolToken(
  headers: Headers,
): { readonly token: string } | "invalid" | undefined {
  if (headers["upgrade"] === undefined || !wantsWebSocket(headers)) return undefined;
  const tokens = offered(headers).filter((protocol) => protocol.startsWith(PREFIX));
  const [first] = tokens;
  if (first === undefined) return undefined;
  const encoded = first.slice(PREFIX.length);
  const bytes = Buffer.from(encoded, "base64url");
  if (tokens.length > 1 || protocolsOf(headers).length === 0) return "invalid";
  if (bytes.toString("base64url") !== encoded) return "invalid";
  return encoded === "" ? undefined : { token: bytes.toString("utf8") };
}
