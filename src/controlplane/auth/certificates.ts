/**
 * The control plane's own certificate authority: a CA, the server's certificate, and client certificates
 * whose common name is the user and whose organisations are the groups.
 *
 * @module
 */
import {
  type KeyObject,
  createHash,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
} from "node:crypto";
import { isIP } from "node:net";
import type { Clock } from "../../clock.ts";
import { bits, boolean, integer, octets, oid, sequence, set, tagged, time, utf8 } from "./der.ts";

/** A certificate and its private key, both PEM. */
export interface KeyPair {
  readonly certificate: string;
  readonly key: string;
}

interface Subject {
  readonly commonName: string;
  readonly organizations?: readonly string[];
}

interface Request {
  readonly subject: Subject;
  readonly extensions: readonly Buffer[];
}

const ECDSA_WITH_SHA256 = sequence(oid("1.2.840.10045.4.3.2"));
const COMMON_NAME = "2.5.4.3";
const ORGANIZATION = "2.5.4.10";
const YEAR_MS = 365 * 24 * 3600 * 1000;

const BASIC_CONSTRAINTS = "2.5.29.19";
const KEY_USAGE = "2.5.29.15";
const EXTENDED_KEY_USAGE = "2.5.29.37";
const ALTERNATIVE_NAMES = "2.5.29.17";
const SUBJECT_KEY = "2.5.29.14";
const AUTHORITY_KEY = "2.5.29.35";
const SERVER_AUTH = "1.3.6.1.5.5.7.3.1";
const CLIENT_AUTH = "1.3.6.1.5.5.7.3.2";

/** Issues certificates, valid for ten years from now. */
export class CertificateAuthority {
  readonly #clock: Clock;
  readonly #name: Subject;
  readonly #keys: { publicKey: KeyObject; privateKey: KeyObject };
  /** The CA's own certificate, PEM. */
  readonly certificate: string;

  /** @param certificate - of the key, when there is one already */
  constructor(clock: Clock, privateKey: KeyObject, certificate?: string) {
    this.#clock = clock;
    this.#name = { commonName: "tsop-ca" };
    this.#keys = { privateKey, publicKey: createPublicKey(privateKey) };
    this.certificate =
      certificate ??
      this.#issue(this.#keys.publicKey, {
        subject: this.#name,
        extensions: [
          extension(BASIC_CONSTRAINTS, sequence(boolean(true)), true),
          // digitalSignature, keyEncipherment, keyCertSign
          extension(KEY_USAGE, bits(Buffer.from([0b1010_0100]), 2), true),
        ],
      });
  }

  /** A server's certificate for these DNS names and IP addresses. */
  server(names: readonly string[]): KeyPair {
    const alternatives = names.map((name) =>
      isIP(name) ? tagged(7, addressBytes(name), false) : tagged(2, Buffer.from(name), false),
    );
    return this.#pair({
      subject: { commonName: "kube-apiserver" },
      extensions: [
        extension(KEY_USAGE, bits(Buffer.from([0b1010_0000]), 5), true),
        extension(EXTENDED_KEY_USAGE, sequence(oid(SERVER_AUTH))),
        extension(ALTERNATIVE_NAMES, sequence(...alternatives)),
      ],
    });
  }

  /** A client's certificate for that user in those groups. */
  client(user: string, groups: readonly string[] = []): KeyPair {
    return this.#pair({
      subject: { commonName: user, organizations: groups },
      extensions: [
        extension(KEY_USAGE, bits(Buffer.from([0b1010_0000]), 5), true),
        extension(EXTENDED_KEY_USAGE, sequence(oid(CLIENT_AUTH))),
      ],
    });
  }

  #pair(request: Request): KeyPair {
    const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "prime256v1" });
    return {
      certificate: this.#issue(publicKey, request),
      key: privateKey.export({ type: "pkcs8", format: "pem" }) as string,
    };
  }

  #issue(publicKey: KeyObject, request: Request): string {
    const now = this.#clock.now();
    const body = sequence(
      tagged(0, integer(Buffer.from([2]))),
      integer(serialNumber()),
      ECDSA_WITH_SHA256,
      distinguishedName(this.#name),
      // An hour back, so that a client with a slow clock believes it.
      sequence(time(now - 3_600_000), time(now + 10 * YEAR_MS)),
      distinguishedName(request.subject),
      publicKey.export({ type: "spki", format: "der" }),
      tagged(
        3,
        sequence(
          ...request.extensions,
          extension(SUBJECT_KEY, octets(keyIdentifier(publicKey))),
          extension(AUTHORITY_KEY, sequence(tagged(0, keyIdentifier(this.#keys.publicKey), false))),
        ),
      ),
    );
    const signature = sign("sha256", body, this.#keys.privateKey);
    return pem(sequence(body, ECDSA_WITH_SHA256, bits(signature)));
  }
}

function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x01;
  return bytes;
}

function keyIdentifier(key: KeyObject): Buffer {
  return createHash("sha1")
    .update(key.export({ type: "spki", format: "der" }))
    .digest();
}

function extension(id: string, value: Buffer, critical = false): Buffer {
  return sequence(oid(id), ...(critical ? [boolean(true)] : []), octets(value));
}

function distinguishedName({ commonName, organizations = [] }: Subject): Buffer {
  const attribute = (id: string, value: string): Buffer => set(sequence(oid(id), utf8(value)));
  return sequence(
    ...organizations.map((organization) => attribute(ORGANIZATION, organization)),
    attribute(COMMON_NAME, commonName),
  );
}

/** The bytes of an IPv4 or IPv6 address. */
function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split(".").map(Number));
  const [head = "", tail = ""] = address.split("::");
  const words = (part: string): number[] =>
    part === "" ? [] : part.split(":").map((word) => Number.parseInt(word, 16));
  const [before, after] = [words(head), words(tail)];
  const zeros = address.includes("::") ? 8 - before.length - after.length : 0;
  const all = [...before, ...new Array<number>(zeros).fill(0), ...after];
  return Buffer.from(all.flatMap((word) => [word >> 8, word & 0xff]));
}

function pem(der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}
