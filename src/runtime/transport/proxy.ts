/**
 * The proxy for an API server: that of the kubeconfig, or of `HTTPS_PROXY`, `HTTP_PROXY` and
 * `NO_PROXY`, by the rules of Go.
 *
 * @see https://pkg.go.dev/golang.org/x/net/http/httpproxy
 */
import { BlockList, isIP, isIPv4 } from "node:net";
import { TsopError } from "../../errors.ts";
import { tableOf } from "../../table.ts";
import { isLoopbackHost } from "../loopback.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const DEFAULT_PORTS = tableOf<number>({
  "http:": 80,
  "https:": 443,
  "socks5:": 1080,
  "socks5h:": 1080,
});

/** The host of a URL without the brackets of an IPv6 address. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, "");
}

/** The port of a URL, or that of its scheme. */
export function portOf(url: URL): number {
  return Number(url.port) || (DEFAULT_PORTS.get(url.protocol) ?? 0);
}

/** The URL of a proxy, or its mistake, which never holds a password. */
export function readProxy(text: string): { readonly url: URL } | { readonly mistake: string } {
  // Node parses a URL of an unknown scheme as a path without a host.
  if (!URL.canParse(text) || new URL(text).hostname === "") {
    return { mistake: "is not a URL such as http://proxy.example.com:3128" };
  }
  const url = new URL(text);
  if (DEFAULT_PORTS.has(url.protocol)) return { url };
  return {
    mistake: `begins with ${url.protocol}//, but only http, https and socks5 are supported`,
  };
}

/**
 * The URL of a proxy.
 *
 * @throws TsopError `proxy-unusable`
 */
export function proxyUrl(text: string): URL {
  const read = readProxy(text);
  if ("url" in read) return read.url;
  throw new TsopError(
    "proxy-unusable",
    `The proxy ${read.mistake}.`,
    "Write it as http://host:port, https://host:port or socks5://host:port.",
  );
}

/** A proxy without its user and password, for messages. */
export function describeProxy(url: URL): string {
  return `${url.protocol}//${url.host}`;
}

/**
 * The proxy of the environment for a server; `undefined` for a direct connection.
 *
 * @throws TsopError `proxy-unusable`
 */
export function proxyFromEnvironment(server: URL, environment: Environment): string | undefined {
  const names =
    server.protocol === "https:" ? ["HTTPS_PROXY", "https_proxy"] : ["HTTP_PROXY", "http_proxy"];
  const name = names.find((one) => environment[one]);
  const value = environment[name ?? ""];
  if (name === undefined || !value || !needsProxy(server, environment)) return undefined;
  // `proxy:3128` is short for an http URL.
  const read = readProxy(/^[a-z][a-z0-9+.-]*:\/\//i.test(value) ? value : `http://${value}`);
  if ("url" in read) return read.url.href;
  throw new TsopError(
    "proxy-unusable",
    `The proxy that ${name} names ${read.mistake}.`,
    `Correct ${name}, or list the API server's host in NO_PROXY.`,
  );
}

function needsProxy(server: URL, environment: Environment): boolean {
  const host = hostOf(server).toLowerCase();
  if (isLoopbackHost(host)) return false;
  const rules = (environment["NO_PROXY"] || environment["no_proxy"] || "").split(",");
  const port = String(portOf(server));
  return !rules.some((rule) => excludes(rule.trim().toLowerCase(), host, port));
}

/**
 * Whether an entry of NO_PROXY matches this host: `*`, an address, a network, a domain; all but `*`
 * and networks may have a port.
 */
function excludes(rule: string, host: string, port: string): boolean {
  if (rule === "") return false;
  if (rule === "*") return true;
  const network = /^(.+)\/(\d{1,3})$/.exec(rule);
  if (network?.[1] && isIP(network[1]) !== 0) {
    return isIP(host) !== 0 && inSubnet(host, network[1], Number(network[2]));
  }
  const { name, port: rulePort } = splitPort(rule);
  if (rulePort !== undefined && rulePort !== "" && rulePort !== port) return false;
  if (isIP(name) !== 0) {
    return isIP(host) !== 0 && inSubnet(host, name, isIPv4(name) ? 32 : 128);
  }
  if (name === "" || isIP(host) !== 0) return false;
  const domain = name.startsWith("*.") ? name.slice(1) : name;
  if (domain.startsWith(".")) return host.endsWith(domain);
  return host === domain || host.endsWith(`.${domain}`);
}

function splitPort(rule: string): { readonly name: string; readonly port?: string } {
  const bracketed = /^\[(.+)\]:(\d*)$/.exec(rule);
  if (bracketed) return { name: bracketed[1] ?? "", port: bracketed[2] ?? "" };
  const parts = /^([^:]*):([^:]*)$/.exec(rule);
  return parts ? { name: parts[1] ?? "", port: parts[2] ?? "" } : { name: rule };
}

function inSubnet(host: string, network: string, prefix: number): boolean {
  const family = isIPv4(network) ? "ipv4" : "ipv6";
  if (prefix > (family === "ipv4" ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(network, prefix, family);
  return list.check(host, isIPv4(host) ? "ipv4" : "ipv6");
}
