import { execFileSync, spawnSync } from "node:child_process";
import { createPrivateKey, createPublicKey, X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { isIPv4 } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  AuthorityKeyIdentifierExtension,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate as PeculiarCertificate,
} from "@peculiar/x509";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import {
  authorityExtensions,
  newKeyPair,
  serverExtensions,
  signCertificate,
  subjectOf,
} from "../../../src/kube/x509/certificate.ts";
import { hasGo, readByGo } from "./go.ts";

const folder = mkdtempSync(join(tmpdir(), "tsop-x509-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?$/);
const dnsName = fc.array(label, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("."));
const serverName = fc.oneof(dnsName, fc.ipV4(), fc.ipV6());
// UTCTime ends with 2049.
const moment = fc.oneof(
  fc.integer({ min: Date.UTC(2049, 11, 31, 23, 59), max: Date.UTC(2050, 0, 1, 0, 1) }),
  fc.integer({ min: Date.UTC(1951, 0), max: Date.UTC(2300, 0) }),
);
const text = fc.string({ minLength: 1, maxLength: 40, unit: "grapheme" });
const content = fc.record({
  commonName: text,
  organizations: fc.array(text, { maxLength: 3 }),
  names: fc.array(serverName, { minLength: 1, maxLength: 5 }),
  times: fc.tuple(moment, moment),
  serial: fc.uint8Array({ minLength: 16, maxLength: 16 }),
});

const AUTHORITY = newKeyPair();
const authority = signCertificate(
  {
    subject: { commonName: "an authority", organizations: ["tsop"] },
    publicKey: AUTHORITY.publicKey,
    validity: { from: Date.UTC(1950, 0), to: Date.UTC(2400, 0) },
    extensions: authorityExtensions(),
  },
  { privateKey: AUTHORITY.privateKey },
);
const SERVER = newKeyPair();

interface Written {
  readonly pem: string;
  readonly commonName: string;
  readonly organizations: readonly string[];
  readonly names: readonly string[];
  readonly from: number;
  readonly to: number;
  readonly serial: Uint8Array;
}

/** Certificates of random content; the serial numbers are those of a seed. */
function written(count: number): Written[] {
  return fc.sample(content, { numRuns: count, seed: 7 }).map((one) => {
    const { commonName, organizations, names, serial } = one;
    const [from, to] = [Math.min(...one.times), Math.max(...one.times)].map(
      (ms) => Math.floor(ms / 1000) * 1000,
    ) as [number, number];
    const pem = signCertificate(
      {
        subject: { commonName, organizations },
        publicKey: SERVER.publicKey,
        validity: { from, to },
        extensions: serverExtensions(names),
      },
      { privateKey: AUTHORITY.privateKey, authority, seeded: () => serial },
    );
    return { pem, commonName, organizations, names, from, to, serial };
  });
}

/** An address in the bytes of a certificate, in hexadecimal digits, as OpenSSL reads it. */
function addressHex(address: string): string {
  if (isIPv4(address)) return Buffer.from(address.split(".").map(Number)).toString("hex");
  const [before = "", after] = new URL(`http://[${address}]`).hostname.slice(1, -1).split("::");
  const words = (part: string): string[] =>
    part === "" ? [] : part.split(":").map((word) => word.padStart(4, "0"));
  const [head, tail] = [words(before), words(after ?? "")];
  return [...head, ...Array<string>(8 - head.length - tail.length).fill("0000"), ...tail].join("");
}
const isAddress = (name: string): boolean => name.includes(":") || isIPv4(name);
const serialOf = ({ serial: [first = 0, ...rest] }: Written): string =>
  Buffer.from([first | 0x80, ...rest]).toString("hex");

const certificates = written(300);

describe("a certificate of any content", () => {
  it("is read back by Node, and is issued by its authority", () => {
    const issuer = new X509Certificate(authority);
    expect(issuer.ca).toBe(true);
    expect(issuer.checkIssued(issuer)).toBe(true);
    for (const one of certificates) {
      const read = new X509Certificate(one.pem);
      expect(read.checkIssued(issuer)).toBe(true);
      expect(read.verify(issuer.publicKey)).toBe(true);
      expect(read.checkPrivateKey(createPrivateKey(SERVER.key))).toBe(true);
      expect(read.ca).toBe(false);
      expect(Date.parse(read.validFrom)).toBe(one.from);
      expect(Date.parse(read.validTo)).toBe(one.to);
      expect(read.serialNumber.toLowerCase()).toBe(serialOf(one));
      for (const name of one.names) {
        if (isAddress(name)) expect(read.checkIP(name)).toBe(name);
        else expect(read.checkHost(name, { subject: "never" })).toBe(name);
      }
      const { commonName, organizations } = one;
      expect(subjectOf(read)).toMatchObject({ commonName, organizations });
    }
  });

  it("is read back by @peculiar/x509", async () => {
    const issuer = new PeculiarCertificate(authority);
    for (const one of certificates) {
      const read = new PeculiarCertificate(one.pem);
      expect(read.subjectName.getField("CN")).toEqual([one.commonName]);
      expect(read.subjectName.getField("O")).toEqual(one.organizations);
      expect([read.notBefore.getTime(), read.notAfter.getTime()]).toEqual([one.from, one.to]);
      expect(read.serialNumber).toBe(serialOf(one));
      const names = read.getExtension(SubjectAlternativeNameExtension)?.names.items;
      expect(names?.filter(({ type }) => type === "dns").map(({ value }) => value)).toEqual(
        one.names.filter((name) => !isAddress(name)),
      );
      const key = issuer.getExtension(SubjectKeyIdentifierExtension)?.keyId;
      expect(read.getExtension(AuthorityKeyIdentifierExtension)?.keyId).toBe(key);
      // The identifier of RFC 5280, 4.2.1.2 (1).
      expect(read.getExtension(SubjectKeyIdentifierExtension)?.keyId).toBe(
        Buffer.from(await read.publicKey.getKeyIdentifier("SHA-1")).toString("hex"),
      );
    }
    expect(await issuer.verify()).toBe(true);
    for (const one of certificates.slice(0, 10)) {
      const read = new PeculiarCertificate(one.pem);
      expect(await read.verify({ publicKey: issuer, signatureOnly: true })).toBe(true);
    }
  });

  it.skipIf(!hasGo())("is read back by Go's crypto/x509", () => {
    const [issuer, ...answers] = readByGo(
      "certificate",
      [authority, ...certificates.map(({ pem }) => pem)].map((pem) => new X509Certificate(pem).raw),
    );
    expect(issuer).toMatchObject({ ca: true, subjectKey: issuer?.authorityKey });
    for (const [index, one] of certificates.entries()) {
      const addresses = one.names.filter(isAddress);
      const dns = one.names.filter((name) => !isAddress(name));
      expect(answers[index]).toEqual({
        commonName: one.commonName,
        organizations: one.organizations,
        ...(dns.length > 0 ? { dns } : {}),
        ...(addresses.length > 0 ? { addresses: addresses.map(addressHex) } : {}),
        serial: serialOf(one),
        from: one.from,
        to: one.to,
        subjectKey: expect.stringMatching(/^[0-9a-f]{40}$/) as string,
        authorityKey: issuer?.subjectKey,
      });
    }
  });

  it.skipIf(spawnSync("openssl", ["version"]).status !== 0)(
    "is verified by openssl, in its strict mode",
    () => {
      const ca = join(folder, "ca.crt");
      writeFileSync(ca, authority);
      const some = certificates.slice(0, 20).map(({ pem }, index) => {
        const file = join(folder, `${index}.crt`);
        writeFileSync(file, pem);
        return file;
      });
      const options = ["-x509_strict", "-no_check_time", "-purpose", "sslserver"];
      const output = execFileSync("openssl", ["verify", ...options, "-CAfile", ca, ...some], {
        encoding: "utf8",
      });
      expect(output).toBe(some.map((file) => `${file}: OK\n`).join(""));
      expect(
        execFileSync("openssl", ["verify", ...options.slice(0, 2), "-CAfile", ca, ca], {
          encoding: "utf8",
        }),
      ).toBe(`${ca}: OK\n`);
    },
  );
});

describe("a certificate", () => {
  it("can have more names than fit into two bytes of length", () => {
    const names = Array.from({ length: 5000 }, (_, index) => `name-${index}.example.com`);
    const pem = signCertificate(
      {
        subject: { commonName: "many", organizations: [] },
        publicKey: createPublicKey(SERVER.key),
        validity: { from: 0, to: Date.UTC(2030, 0) },
        extensions: serverExtensions(names),
      },
      { privateKey: AUTHORITY.privateKey, authority },
    );
    const read = new X509Certificate(pem);
    expect(read.checkHost("name-4999.example.com")).toBe("name-4999.example.com");
  });

  it("names an address without its zone", () => {
    const pem = signCertificate(
      {
        subject: { commonName: "local", organizations: [] },
        publicKey: SERVER.publicKey,
        validity: { from: 0, to: Date.UTC(2030, 0) },
        extensions: serverExtensions(["fe80::1%eth0"]),
      },
      { privateKey: SERVER.privateKey },
    );
    expect(new X509Certificate(pem).checkIP("fe80::1")).toBe("fe80::1");
  });
});
