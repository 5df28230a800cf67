/**
 * URLs as Go's `net/url` reads them, with its errors.
 *
 * @see https://pkg.go.dev/net/url
 */
import { quote } from "../../field-errors.ts";
import { parseAddress } from "./ip-address.ts";

export interface GoUrl {
  readonly scheme: string;
  /** The text after the scheme, where it is not a path. */
  readonly opaque: string;
  readonly user: string;
  readonly host: string;
  readonly escapedPath: string;
  readonly query: string;
  readonly fragment: string;
}

/** Thrown within the parser. */
class BadUrl extends Error {}

type Mode = "host" | "zone" | "path" | "user" | "query";

/** Characters beside letters and digits that need no escape. */
const PLAIN: Readonly<Record<Mode, string>> = {
  host: "-_.~!$&'()*+,;=:[]<>\"",
  zone: "-_.~!$&'()*+,;=:[]<>\"",
  path: "-_.~$&+,/:;=@",
  user: "-_.~$&+,;=",
  query: "-_.~",
};

const isPlain = (character: string, mode: Mode): boolean =>
  /^[A-Za-z0-9]$/.test(character) || PLAIN[mode].includes(character);

function unescape(text: string, mode: Mode): string {
  const bytes: Buffer[] = [];
  for (let index = 0; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === "%") {
      const escape = text.slice(index, index + 3);
      const code = /^%[0-9a-fA-F]{2}$/.test(escape) ? Number.parseInt(escape.slice(1), 16) : -1;
      const badInHost = mode === "host" && code < 0x80 && escape !== "%25";
      const badInZone =
        mode === "zone" &&
        escape !== "%25" &&
        code !== 0x20 &&
        !isPlain(String.fromCharCode(code), "host");
      if (code < 0 || badInHost || badInZone) {
        throw new BadUrl(`invalid URL escape ${quote(escape)}`);
      }
      bytes.push(Buffer.from([code]));
      index += 2;
    } else {
      const isHost = mode === "host" || mode === "zone";
      if (isHost && character < "\u0080" && !isPlain(character, mode)) {
        throw new BadUrl(`invalid character ${quote(character)} in host name`);
      }
      bytes.push(Buffer.from(mode === "query" && character === "+" ? " " : character));
    }
  }
  return Buffer.concat(bytes).toString("utf8");
}

function escape(text: string, mode: Mode): string {
  let result = "";
  for (const byte of Buffer.from(text)) {
    const character = String.fromCharCode(byte);
    result += isPlain(character, mode)
      ? character
      : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
  }
  return result;
}

const isPort = (text: string): boolean => /^(:[0-9]*)?$/.test(text);

function parseHost(scheme: string, host: string): string {
  const open = host.lastIndexOf("[");
  if (open > 0) throw new BadUrl("invalid IP-literal");
  if (open === 0) {
    const close = host.lastIndexOf("]");
    if (close < 0) throw new BadUrl("missing ']' in host");
    const port = host.slice(close + 1);
    if (!isPort(port)) throw new BadUrl(`invalid port ${quote(port)} after host`);
    const name = host.slice(1, close);
    const zone = name.indexOf("%25");
    const plain =
      zone < 0
        ? unescape(name, "host")
        : unescape(name.slice(0, zone), "host") + unescape(name.slice(zone), "zone");
    const address = parseAddress(plain);
    if (address instanceof Error) throw new BadUrl(`invalid host: ${address.message}`);
    if (address.bytes.length === 4) throw new BadUrl("invalid IP-literal");
    return `[${plain}]${port}`;
  }
  const first = host.indexOf(":");
  if (first >= 0) {
    const isWeb = scheme === "http" || scheme === "https";
    const port = host.slice(isWeb ? first : host.lastIndexOf(":"));
    if (!isPort(port)) throw new BadUrl(`invalid port ${quote(port)} after host`);
  }
  return unescape(host, "host");
}

function parseAuthority(scheme: string, authority: string): { user: string; host: string } {
  const at = authority.lastIndexOf("@");
  const host = parseHost(scheme, authority.slice(at + 1));
  if (at < 0) return { user: "", host };
  const user = authority.slice(0, at);
  if (!/^[A-Za-z0-9\-._:~!$&'()*+,;=%@]*$/.test(user)) {
    throw new BadUrl("net/url: invalid userinfo");
  }
  const parts = user.split(/:([^]*)/, 2).map((part) => escape(unescape(part, "user"), "user"));
  return { user: `${parts.join(":")}@`, host };
}

function escapedPath(path: string): string {
  const plain = unescape(path, "path");
  const valid = /^(?:%[0-9a-fA-F]{2}|[!$&'()*+,;=:@[\]]|[A-Za-z0-9\-_.~/])*$/.test(path);
  return valid ? path : escape(plain, "path");
}

function parse(text: string, inRequest: boolean): Omit<GoUrl, "fragment"> {
  // oxlint-disable-next-line no-control-regex -- these are what a URI may not hold
  if (/[\u0000-\u001f\u007f]/.test(text)) {
    throw new BadUrl("net/url: invalid control character in URL");
  }
  if (text === "" && inRequest) throw new BadUrl("empty url");
  const none = { scheme: "", opaque: "", user: "", host: "", escapedPath: "", query: "" };
  if (text === "*") return { ...none, escapedPath: "*" };
  if (text.startsWith(":")) throw new BadUrl("missing protocol scheme");
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(text)?.[1] ?? "";
  const afterScheme = scheme === "" ? text : text.slice(scheme.length + 1);
  const mark = afterScheme.indexOf("?");
  const query = mark < 0 ? "" : afterScheme.slice(mark + 1);
  let rest = mark < 0 ? afterScheme : afterScheme.slice(0, mark);
  const url = { ...none, scheme: scheme.toLowerCase(), query };
  if (!rest.startsWith("/")) {
    if (scheme !== "") return { ...url, opaque: rest };
    if (inRequest) throw new BadUrl("invalid URI for request");
    if (rest.split("/", 1)[0]?.includes(":")) {
      throw new BadUrl("first path segment in URL cannot contain colon");
    }
  }
  let authority = { user: "", host: "" };
  const isNetwork = rest.startsWith("//") && (scheme !== "" || !inRequest);
  if (isNetwork && (scheme !== "" || !rest.startsWith("///"))) {
    const slash = rest.indexOf("/", 2);
    const text = slash < 0 ? rest.slice(2) : rest.slice(2, slash);
    rest = slash < 0 ? "" : rest.slice(slash);
    authority = parseAuthority(url.scheme, text);
  }
  return { ...url, ...authority, escapedPath: escapedPath(rest) };
}

function attempt<T>(text: string, run: () => T): T | Error {
  try {
    return run();
  } catch (error) {
    if (error instanceof BadUrl) return new Error(`parse ${quote(text)}: ${error.message}`);
    throw error;
  }
}

/** Why a text is not the URL of a request; `undefined` when it is one. */
export function requestUrlError(text: string): Error | undefined {
  const parsed = attempt(text, () => parse(text, true));
  return parsed instanceof Error ? parsed : undefined;
}

/** A URL, or the error of the text. */
export function parseGoUrl(text: string): GoUrl | Error {
  const hash = text.indexOf("#");
  const before = hash < 0 ? text : text.slice(0, hash);
  const url = attempt(before, () => parse(before, false));
  if (url instanceof Error) return url;
  const fragment = hash < 0 ? "" : text.slice(hash + 1);
  const checked = attempt(text, () => unescape(fragment, "path"));
  return checked instanceof Error ? checked : { ...url, fragment };
}

/** The host without its port, and the port; brackets are left out. */
export function splitHostPort(host: string): { readonly hostname: string; readonly port: string } {
  const colon = host.lastIndexOf(":");
  const hasPort = colon >= 0 && isPort(host.slice(colon));
  const name = hasPort ? host.slice(0, colon) : host;
  const bracketed = name.startsWith("[") && name.endsWith("]");
  return {
    hostname: bracketed ? name.slice(1, -1) : name,
    port: hasPort ? host.slice(colon + 1) : "",
  };
}

/** The values of a query, by name; parts that cannot be read are left out. */
export function parseQuery(query: string): Map<string, string[]> {
  const values = new Map<string, string[]>();
  for (const part of query.split("&")) {
    if (part === "" || part.includes(";")) continue;
    const equals = part.indexOf("=");
    const name = attempt(part, () => unescape(equals < 0 ? part : part.slice(0, equals), "query"));
    const value = attempt(part, () => unescape(equals < 0 ? "" : part.slice(equals + 1), "query"));
    if (name instanceof Error || value instanceof Error) continue;
    const known = values.get(name);
    if (known) known.push(value);
    else values.set(name, [value]);
  }
  return values;
}
