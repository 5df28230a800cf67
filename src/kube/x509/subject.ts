/**
 * The subjects of certificates and of requests for them, read and written as Go's `pkix.Name` does
 * it: authentication, approval, and admission see the same user in the same bytes.
 *
 * @see https://pkg.go.dev/crypto/x509/pkix#Name.FillFromRDNSequence
 */
import { isUtf8 } from "node:buffer";
import {
  type DerElement,
  OID,
  SEQUENCE,
  SET,
  oid,
  readElements,
  sequence,
  setOf,
  utf8,
} from "./der.ts";

/** The name of the owner of a certificate. */
export interface Subject {
  readonly commonName: string;
  readonly organizations: readonly string[];
  /** The values of the other known attributes, by their identifiers. */
  readonly others?: ReadonlyMap<string, readonly string[]>;
}

const COMMON_NAME = "2.5.4.3";
const SERIAL_NUMBER = "2.5.4.5";
const ORGANIZATION = "2.5.4.10";
/** The known attributes in the order in which they are written. */
const ATTRIBUTES = [
  "2.5.4.6", // country
  "2.5.4.8", // province
  "2.5.4.7", // locality
  "2.5.4.9", // street address
  "2.5.4.17", // postal code
  ORGANIZATION,
  "2.5.4.11", // organizational unit
  COMMON_NAME,
  SERIAL_NUMBER,
].map((id) => ({ id, type: oid(id) }));

/** Writes a subject in DER. */
export function writeSubject({ commonName, organizations, others }: Subject): Buffer {
  const all = new Map(others).set(ORGANIZATION, organizations);
  all.set(COMMON_NAME, commonName === "" ? [] : [commonName]);
  return sequence(
    ...ATTRIBUTES.flatMap(({ id, type }) =>
      (all.get(id) ?? []).map((value) => setOf(sequence(type, utf8(value)))),
    ),
  );
}

/**
 * Reads a subject: the last common name is the valid one. Unknown attributes are left out.
 *
 * @param unknownStrings - whether values of other types than strings are left out, as Go does it
 *   in requests, or refused, as in certificates
 * @throws Error about the malformed part
 */
export function readSubject(subject: DerElement, unknownStrings: "skipped" | "refused"): Subject {
  const all = new Map<string, string[]>();
  for (const set of partsOf(subject, SEQUENCE)) {
    for (const attribute of partsOf(set, SET)) {
      const [type, value] = partsOf(attribute, SEQUENCE);
      if (type?.tag !== OID || !value) throw new Error("x509: invalid RDNSequence");
      const text = textOf(value);
      if (text === undefined && unknownStrings === "refused") {
        throw new Error(`x509: invalid RDNSequence: unsupported string type: ${value.tag}`);
      }
      const known = ATTRIBUTES.find((one) => one.type.equals(type.whole));
      if (!known || text === undefined) continue;
      const isSingle = known.id === COMMON_NAME || known.id === SERIAL_NUMBER;
      if (isSingle) all.set(known.id, text === "" ? [] : [text]);
      else all.set(known.id, [...(all.get(known.id) ?? []), text]);
    }
  }
  const [commonName = ""] = all.get(COMMON_NAME) ?? [];
  return { commonName, organizations: all.get(ORGANIZATION) ?? [], others: all };
}

function partsOf({ tag, content }: DerElement, expected: number): DerElement[] {
  if (tag !== expected) throw new Error("x509: invalid RDNSequence");
  return readElements(content);
}

/** The text in the bytes; `undefined` when they are not valid. */
type Decode = (bytes: Buffer) => string | undefined;

const matching =
  (pattern: RegExp): Decode =>
  (bytes) => {
    const text = bytes.toString("latin1");
    return pattern.test(text) ? text : undefined;
  };

/** The types of strings, by their tags. */
const STRING_TYPES = new Map<number, readonly [name: string, decode: Decode]>([
  [0x0c, ["UTF8String", (bytes) => (isUtf8(bytes) ? bytes.toString() : undefined)]],
  [0x12, ["NumericString", matching(/^[\d ]*$/)]],
  // The asterisk and the ampersand are common, although not allowed.
  [0x13, ["PrintableString", matching(/^[a-zA-Z\d'()+,\-./ :=?*&]*$/)]],
  [0x14, ["T61String", (bytes) => bytes.toString("latin1")]],
  [0x16, ["IA5String", matching(/^[\0-\x7f]*$/)]],
  [0x1e, ["BMPString", decodeBmp]],
]);
const NO_BMP = /[\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]/;

function decodeBmp(bytes: Buffer): string | undefined {
  if (bytes.length % 2 !== 0) return undefined;
  const text = Buffer.from(bytes).swap16().toString("utf16le").replace(/\0$/, "");
  return NO_BMP.test(text) ? undefined : text;
}

/** The text of a value; `undefined` when it is not a string of a known type. */
function textOf({ tag, content }: DerElement): string | undefined {
  const [name, decode] = STRING_TYPES.get(tag) ?? [];
  const text = decode?.(content);
  if (decode && text === undefined) {
    throw new Error(`asn1: syntax error: ${name} contains invalid character`);
  }
  return text;
}
