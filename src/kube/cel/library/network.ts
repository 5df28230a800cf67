/**
 * IP addresses and networks.
 *
 * @see https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-ip-address-library
 */
import { quote } from "../../field-errors.ts";
import { type FunctionDeclaration, member, overload, functionOf } from "../functions.ts";
import type { Library } from "../environment.ts";
import { BOOL, type CelType, INT, opaque, STRING } from "../types.ts";
import { CelError, type CelValue, noSuchOverload } from "../values.ts";
import { KubernetesValue } from "./kubernetes-value.ts";
import {
  type Address,
  formatAddress,
  parseAddress,
  parsePrefix,
  type Prefix,
} from "./ip-address.ts";

const IP = opaque("net.IP");
const CIDR = opaque("net.CIDR");

class IpValue extends KubernetesValue {
  readonly type = IP;
  readonly address: Address;

  constructor(address: Address) {
    super();
    this.address = address;
  }

  get byteSize(): number {
    return this.address.bytes.length;
  }

  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof IpValue)) return noSuchOverload();
    return Buffer.compare(this.address.bytes, other.address.bytes) === 0;
  }

  toString(): string {
    return formatAddress(this.address.bytes);
  }
}

/** A network: an address and how many of its bits count. */
class CidrValue extends KubernetesValue {
  readonly type = CIDR;
  readonly prefix: Prefix;

  constructor(prefix: Prefix) {
    super();
    this.prefix = prefix;
  }

  get byteSize(): number {
    return Math.ceil(this.prefix.bits / 8);
  }

  equals(other: CelValue): boolean | CelError {
    if (!(other instanceof CidrValue)) return noSuchOverload();
    const { bytes, bits } = this.prefix;
    return bits === other.prefix.bits && Buffer.compare(bytes, other.prefix.bytes) === 0;
  }

  toString(): string {
    return `${formatAddress(this.prefix.bytes)}/${this.prefix.bits}`;
  }
}

const isMapped = (bytes: Uint8Array): boolean =>
  bytes.length === 16 &&
  bytes.subarray(0, 10).every((byte) => byte === 0) &&
  bytes[10] === 0xff &&
  bytes[11] === 0xff;

const notMapped = (text: string): CelError =>
  new CelError(`IPv4-mapped IPv6 address ${quote(text)} is not allowed`);

function readIp(text: CelValue): IpValue | CelError {
  if (typeof text !== "string") return noSuchOverload();
  const address = parseAddress(text);
  if (address instanceof Error) {
    const head = `IP Address ${quote(text)} parse error during conversion from string`;
    return new CelError(`${head}: ${address.message}`);
  }
  if (address.zone !== "") {
    return new CelError(`IP address ${quote(text)} with zone value is not allowed`);
  }
  return isMapped(address.bytes) ? notMapped(text) : new IpValue(address);
}

const NETWORK_ERROR = "network address parse error during conversion from string";

function parseCidr(text: CelValue): CidrValue | CelError {
  if (typeof text !== "string") return noSuchOverload();
  const prefix = parsePrefix(text);
  if (prefix instanceof Error) return new CelError(`${NETWORK_ERROR}: ${prefix.message}`);
  return isMapped(prefix.bytes) ? notMapped(text) : new CidrValue(prefix);
}

function readCidr(text: CelValue): CidrValue | CelError {
  const cidr = parseCidr(text);
  return cidr instanceof CelError ? new CelError(`${NETWORK_ERROR}: ${cidr.message}`) : cidr;
}

function masked({ bytes, bits }: Prefix): Uint8Array {
  return bytes.map((byte, index) => {
    const kept = Math.min(Math.max(bits - index * 8, 0), 8);
    return byte & (0xff00 >> kept) & 0xff;
  });
}

function containsAddress(network: CelValue, address: CelValue | CelError): CelValue | CelError {
  if (address instanceof CelError) return noSuchOverload();
  if (!(network instanceof CidrValue) || !(address instanceof IpValue)) return noSuchOverload();
  const { bits, bytes } = network.prefix;
  const other = address.address.bytes;
  if (other.length !== bytes.length) return false;
  return Buffer.compare(masked({ bytes: other, bits }), masked(network.prefix)) === 0;
}

function containsNetwork(network: CelValue, other: CelValue | CelError): CelValue | CelError {
  if (other instanceof CelError) return other;
  if (!(network instanceof CidrValue) || !(other instanceof CidrValue)) return noSuchOverload();
  const { bits, bytes } = network.prefix;
  if (other.prefix.bytes.length !== bytes.length || bits > other.prefix.bits) return false;
  return Buffer.compare(masked({ bytes: other.prefix.bytes, bits }), masked(network.prefix)) === 0;
}

const onIp = (
  name: string,
  id: string,
  result: CelType,
  run: (bytes: Uint8Array) => CelValue,
): FunctionDeclaration => ({
  name,
  overloads: [
    member(id, [IP], result, (ip) =>
      ip instanceof IpValue ? run(ip.address.bytes) : noSuchOverload(),
    ),
  ],
});

const isV4 = (bytes: Uint8Array): boolean => bytes.length === 4;

function isLoopback(bytes: Uint8Array): boolean {
  if (isV4(bytes)) return bytes[0] === 127;
  return bytes.every((byte, index) => byte === (index === 15 ? 1 : 0));
}

const isUnspecified = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0);

function isMulticast([first = 0]: Uint8Array, v4: boolean): boolean {
  return v4 ? first >> 4 === 0xe : first === 0xff;
}

function isLinkLocalMulticast(bytes: Uint8Array): boolean {
  const [first = 0, second = 0, third = 0] = bytes;
  if (isV4(bytes)) return first === 224 && second === 0 && third === 0;
  return first === 0xff && (second & 0x0f) === 0x02;
}

function isLinkLocalUnicast(bytes: Uint8Array): boolean {
  const [first = 0, second = 0] = bytes;
  if (isV4(bytes)) return first === 169 && second === 254;
  return first === 0xfe && (second & 0xc0) === 0x80;
}

function isGlobalUnicast(bytes: Uint8Array): boolean {
  const isBroadcast = isV4(bytes) && bytes.every((byte) => byte === 255);
  return (
    !isBroadcast &&
    !isUnspecified(bytes) &&
    !isLoopback(bytes) &&
    !isMulticast(bytes, isV4(bytes)) &&
    !isLinkLocalUnicast(bytes)
  );
}

const ipFunctions: readonly FunctionDeclaration[] = [
  functionOf("ip", overload("string_to_ip", [STRING], IP, readIp)),
  onIp("family", "ip_family", INT, (bytes) => (isV4(bytes) ? 4n : 6n)),
  functionOf(
    "ip.isCanonical",
    overload("ip_is_canonical", [STRING], BOOL, (text) => {
      const ip = readIp(text);
      return ip instanceof CelError ? ip : ip.toString() === text;
    }),
  ),
  onIp("isUnspecified", "ip_is_unspecified", BOOL, isUnspecified),
  onIp("isLoopback", "ip_is_loopback", BOOL, isLoopback),
  onIp("isLinkLocalMulticast", "ip_is_link_local_multicast", BOOL, isLinkLocalMulticast),
  onIp("isLinkLocalUnicast", "ip_is_link_local_unicast", BOOL, isLinkLocalUnicast),
  onIp("isGlobalUnicast", "ip_is_global_unicast", BOOL, isGlobalUnicast),
  functionOf(
    "isIP",
    overload("is_ip", [STRING], BOOL, (text) => !(readIp(text) instanceof CelError)),
  ),
  functionOf(
    "string",
    overload("ip_to_string", [IP], STRING, (ip) => String(ip)),
  ),
];

const onCidr = (
  name: string,
  id: string,
  result: CelType,
  run: (prefix: Prefix) => CelValue,
): FunctionDeclaration => ({
  name,
  overloads: [
    member(id, [CIDR], result, (cidr) =>
      cidr instanceof CidrValue ? run(cidr.prefix) : noSuchOverload(),
    ),
  ],
});

const cidrFunctions: readonly FunctionDeclaration[] = [
  functionOf("cidr", overload("string_to_cidr", [STRING], CIDR, readCidr)),
  functionOf(
    "containsIP",
    member("cidr_contains_ip_string", [CIDR, STRING], BOOL, (cidr, text = null) =>
      containsAddress(cidr, readIp(text)),
    ),
    member("cidr_contains_ip_ip", [CIDR, IP], BOOL, (cidr, ip = null) => containsAddress(cidr, ip)),
  ),
  functionOf(
    "containsCIDR",
    member("cidr_contains_cidr_string", [CIDR, STRING], BOOL, (cidr, text = null) =>
      containsNetwork(cidr, readCidr(text)),
    ),
    member("cidr_contains_cidr", [CIDR, CIDR], BOOL, (cidr, other = null) =>
      containsNetwork(cidr, other),
    ),
  ),
  onCidr("ip", "cidr_ip", IP, ({ bytes }) => new IpValue({ bytes, zone: "" })),
  onCidr("prefixLength", "cidr_prefix_length", INT, ({ bits }) => BigInt(bits)),
  onCidr(
    "masked",
    "cidr_masked",
    CIDR,
    (prefix) => new CidrValue({ bytes: masked(prefix), bits: prefix.bits }),
  ),
  functionOf(
    "isCIDR",
    overload("is_cidr", [STRING], BOOL, (text) => !(parseCidr(text) instanceof CelError)),
  ),
  functionOf(
    "string",
    overload("cidr_to_string", [CIDR], STRING, (cidr) => String(cidr)),
  ),
];

export const networkLibrary: Library = {
  functions: [...ipFunctions, ...cidrFunctions],
  types: [IP, CIDR],
};
