/** The address at which the API server asks the webhooks of an operator that runs here. */
import { isIP, isIPv6 } from "node:net";
import { UsageError } from "../../../errors.ts";
import { present } from "../../../present.ts";
import { isLoopbackHost } from "../../../runtime/loopback.ts";

/** A host, and the port if it was said. */
export interface WebhookAddress {
  /** The host as certificates name it: an IPv6 address without brackets. */
  readonly host: string;
  readonly port?: number;
}

/** The address in `--webhook-address`. @throws UsageError `bad-webhook-address` */
export function parseWebhookAddress(text: string): WebhookAddress {
  const [, bracketed, name, digits] = /^(?:\[([^\]]+)\]|([^:[\]/]+))(?::(\d+))?$/.exec(text) ?? [];
  const host = bracketed ?? name ?? (isIPv6(text) ? text : undefined);
  const port = digits === undefined ? undefined : Number(digits);
  const isHost =
    host !== undefined && (bracketed === undefined ? /^[\w.:-]+$/.test(host) : isIPv6(host));
  if (!isHost || (port !== undefined && (port < 1 || port > 65_535))) {
    throw new UsageError(
      "bad-webhook-address",
      `--webhook-address ${text} is not a host with or without a port.`,
      "For example: --webhook-address 192.168.1.20, --webhook-address laptop.example.com:9443 or --webhook-address [fd00::20]:9443",
    );
  }
  return { host, ...present({ port }) };
}

/** The address of this machine for an API server on it; `undefined` for one elsewhere. */
export function addressBeside(server: string): WebhookAddress | undefined {
  return isLoopbackHost(new URL(server).hostname) ? { host: "127.0.0.1" } : undefined;
}

/** The address on which a server for that host listens: itself for a loopback address, all (`undefined`) for others. */
export const listeningAddress = (host: string): string | undefined =>
  isIP(host) !== 0 && isLoopbackHost(host) ? host : undefined;

/** The origin of URLs that lead there. */
export const originOf = (host: string, port: number): string =>
  `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
