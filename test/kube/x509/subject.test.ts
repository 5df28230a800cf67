import type { X509Certificate } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readRequestBytes } from "../../../src/controlplane/auth/certificate-request.ts";
import { newKeyPair, subjectOf } from "../../../src/kube/x509/certificate.ts";
import { bits, integer, oid, sequence, tagged, time } from "../../../src/kube/x509/der.ts";
import { type Subject, writeSubject } from "../../../src/kube/x509/subject.ts";
import { hasGo, readByGo } from "./go.ts";

const ECDSA_WITH_SHA256 = sequence(oid("1.2.840.10045.4.3.2"));
const KEY = newKeyPair().publicKey.export({ type: "spki", format: "der" });
const COMMON_NAME = "2.5.4.3";
const ORGANIZATION = "2.5.4.10";

/** The tags of string types, and of others that a value can have. */
const TAGS = {
  utf8: 0x0c,
  numeric: 0x12,
  printable: 0x13,
  t61: 0x14,
  videotex: 0x15,
  ia5: 0x16,
  visible: 0x1a,
  general: 0x1b,
  universal: 0x1c,
  bmp: 0x1e,
  octets: 0x04,
  context: 0x81,
};

interface Attribute {
  readonly type: string;
  readonly tag: number;
  readonly value: Uint8Array;
}

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const all = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, all.length]), all]);
};
/** A name with these sets of attributes. */
const nameOf = (sets: readonly (readonly Attribute[])[]): Buffer =>
  sequence(
    ...sets.map((attributes) =>
      der(0x31, ...attributes.map(({ type, tag, value }) => sequence(oid(type), der(tag, value)))),
    ),
  );
const requestOf = (subject: Buffer): Buffer =>
  sequence(
    sequence(integer(Buffer.from([0])), subject, KEY, tagged(0, Buffer.alloc(0))),
    ECDSA_WITH_SHA256,
    bits(Buffer.alloc(8)),
  );
const certificateOf = (subject: Buffer): Buffer =>
  sequence(
    sequence(
      tagged(0, integer(Buffer.from([2]))),
      integer(Buffer.from([1])),
      ECDSA_WITH_SHA256,
      writeSubject({ commonName: "an authority", organizations: [] }),
      sequence(time(0), time(Date.UTC(2040, 0))),
      subject,
      KEY,
    ),
    ECDSA_WITH_SHA256,
    bits(Buffer.alloc(8)),
  );

const ascii = (text: string): Uint8Array => Buffer.from(text, "latin1");
const bmp = (text: string): Uint8Array => Buffer.from(text, "utf16le").swap16();
const value = fc.oneof(
  fc.string({ maxLength: 8 }).map(ascii),
  fc.string({ maxLength: 8, unit: "binary" }).map((text) => Buffer.from(text)),
  fc.string({ maxLength: 8, unit: "binary" }).map(bmp),
  fc.stringMatching(/^[0-9 ]{0,5}$/).map(ascii),
  fc.constantFrom(ascii("a*b&c"), ascii("a\n"), bmp("ab\0"), bmp("\uFEFFa"), bmp("\uD800a")),
  fc.uint8Array({ maxLength: 6 }),
);
const attribute = fc.record({
  type: fc.constantFrom(COMMON_NAME, ORGANIZATION, "2.5.4.11", "2.5.4.5", "1.2.3.4"),
  tag: fc.constantFrom(...Object.values(TAGS), TAGS.utf8, TAGS.printable),
  value,
});
// Go's asn1 takes no set that is empty, and reads names of a few sets.
const name = fc
  .array(fc.array(attribute, { minLength: 1, maxLength: 2 }), { maxLength: 4 })
  .map(nameOf);

/** What is read, or that it is refused. */
function reading(read: () => Subject): object {
  try {
    const { commonName, organizations } = read();
    return { commonName, organizations };
  } catch {
    return { isRefused: true };
  }
}

describe.skipIf(!hasGo())("A subject is read as Go reads it", () => {
  const names = fc.sample(name, { numRuns: 3000, seed: 11 });

  it("in a request", () => {
    const requests = names.map(requestOf);
    const answers = readByGo("request", requests);
    let refused = 0;
    for (const [index, request] of requests.entries()) {
      const { problem, commonName, organizations } = answers[index] ?? {};
      if (problem !== undefined) refused += 1;
      expect(reading(() => readRequestBytes(request).subject)).toEqual(
        problem === undefined ? { commonName, organizations } : { isRefused: true },
      );
    }
    expect(refused).toBeGreaterThan(300);
    expect(refused).toBeLessThan(2700);
  });

  it("in a certificate", () => {
    const certificates = names.map(certificateOf);
    const answers = readByGo("certificate", certificates);
    for (const [index, certificate] of certificates.entries()) {
      const { problem, commonName, organizations } = answers[index] ?? {};
      expect(reading(() => subjectOf({ raw: certificate } as X509Certificate))).toEqual(
        problem === undefined ? { commonName, organizations } : { isRefused: true },
      );
    }
  });
});

describe("A subject", () => {
  const text = (type: string, tag: keyof typeof TAGS, bytes: Uint8Array): Attribute[] => [
    { type, tag: TAGS[tag], value: bytes },
  ];

  it("has the last common name, and no organization of an unknown type in a request", () => {
    const subject = nameOf([
      text(COMMON_NAME, "utf8", ascii("system:node:a")),
      text(ORGANIZATION, "universal", Buffer.from("\0\0\0s", "latin1")),
      text(COMMON_NAME, "printable", ascii("system:node:b")),
    ]);
    expect(readRequestBytes(requestOf(subject)).subject).toMatchObject({
      commonName: "system:node:b",
      organizations: [],
    });
    expect(() => subjectOf({ raw: certificateOf(subject) } as X509Certificate)).toThrow(
      "x509: invalid RDNSequence: unsupported string type: 28",
    );
  });

  it("is written with what was read only", () => {
    const subject = nameOf([
      text("2.5.4.11", "utf8", ascii("unit")),
      text(COMMON_NAME, "utf8", ascii("a")),
      text("1.2.3.4", "utf8", ascii("unknown")),
      text(COMMON_NAME, "utf8", ascii("b")),
      text(ORGANIZATION, "t61", ascii("caf\xE9")),
    ]);
    const read = readRequestBytes(requestOf(subject)).subject;
    expect(writeSubject(read)).toEqual(
      nameOf([
        text(ORGANIZATION, "utf8", Buffer.from("café")),
        text("2.5.4.11", "utf8", ascii("unit")),
        text(COMMON_NAME, "utf8", ascii("b")),
      ]),
    );
  });
});
