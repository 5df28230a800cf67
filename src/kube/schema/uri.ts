/** URIs as Go's `url.ParseRequestURI` reads them: absolute, or a path from the root. */

/** Whether every `%` is followed by two hexadecimal digits. */
const hasValidEscapes = (text: string): boolean => !/%(?![0-9a-fA-F]{2})/.test(text);

const isPort = (text: string): boolean => /^(:[0-9]*)?$/.test(text);

/** Characters below 0x80 that a host may not contain unescaped. */
const badInHost = /[^\u0080-\uffffA-Za-z0-9\-_.~!$&'()*+,;=:[\]<>"%]/;

function isHost(host: string): boolean {
  // In a host, only bytes of non-ASCII characters and, in a zone, `%25` may be escaped.
  const escapes = host.match(/%../g) ?? [];
  const escapesFit = escapes.every((escape) => escape === "%25" || /^%[89a-fA-F]/.test(escape));
  if (!hasValidEscapes(host) || !escapesFit || badInHost.test(host)) return false;
  if (host.startsWith("[")) {
    const end = host.lastIndexOf("]");
    return end > 0 && isPort(host.slice(end + 1));
  }
  const colon = host.indexOf(":");
  return colon < 0 || isPort(host.slice(host.lastIndexOf(":")));
}

function isAuthority(authority: string): boolean {
  const at = authority.lastIndexOf("@");
  if (at < 0) return isHost(authority);
  const user = authority.slice(0, at);
  const userFits = /^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user) && hasValidEscapes(user);
  return userFits && isHost(authority.slice(at + 1));
}

/** Whether the text is a URI that a request may have: a scheme or a leading slash is needed. */
export function isRequestUri(text: string): boolean {
  // oxlint-disable-next-line no-control-regex -- these are what a URI may not hold
  if (text === "" || /[\u0000-\u001f\u007f]/.test(text)) return false;
  if (text === "*") return true;
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1];
  if (scheme === undefined && text.startsWith(":")) return false;
  const afterScheme = scheme === undefined ? text : text.slice(scheme.length + 1);
  const [rest = ""] = afterScheme.split("?", 1);
  if (!rest.startsWith("/")) return scheme !== undefined;
  if (scheme === undefined || !rest.startsWith("//")) return hasValidEscapes(rest);
  const [authority = ""] = rest.slice(2).split("/", 1);
  return isAuthority(authority) && hasValidEscapes(rest.slice(2 + authority.length));
}
