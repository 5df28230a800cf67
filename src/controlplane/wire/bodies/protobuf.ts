/**
 * Decodes Kubernetes' protobuf envelope and the messages of the built-in kinds into the JSON form
 * of the object.
 *
 * Protobuf is never written: answers are always JSON. Go writes fields that are not pointers even
 * when they are empty; these are decoded here, and dropped when the object is put into its
 * canonical shape.
 *
 * @see https://kubernetes.io/docs/reference/using-api/api-concepts/#protobuf-encoding
 */
import { readData } from "../../data-file.ts";
import { getField, setField } from "../../../kube/json.ts";
import type { JsonObject } from "../../../kube/object.ts";
import { parseApiVersion } from "../../../kube/resource.ts";
import { LEGACY_SCHEME, WireError, unregistered } from "../json/wire-error.ts";
import type { Body, TypeMeta } from "./body.ts";
import { tableOf } from "../../../table.ts";

interface Field {
  /** The name of the field; empty for a struct whose fields are inlined into its parent. */
  readonly name: string;
  readonly type: string;
  readonly rule: "single" | "list" | "map";
}

type Fields = ReadonlyMap<number, Field>;

const SCALARS: ReadonlySet<string> = new Set([
  "string",
  "bytes",
  "bool",
  "int32",
  "int64",
  "uint32",
  "uint64",
  "double",
]);

function readField(entry: string, pack: string): [number, Field] {
  const [number = "", name = "", marked = ""] = entry.split(" ");
  const rule = marked.startsWith("*") ? "list" : marked.startsWith("%") ? "map" : "single";
  const short = rule === "single" ? marked : marked.slice(1);
  const type = SCALARS.has(short) || short.includes(".") ? short : `${pack}.${short}`;
  return [Number(number), { name: name === "~" ? "" : name, type, rule }];
}

let table: Readonly<Record<string, string>> | undefined;
const linesOfMessages = (): Readonly<Record<string, string>> =>
  (table ??= readData<Record<string, string>>(new URL("./protobuf.data.json", import.meta.url)));

const parsed = new Map<string, Fields>();

/** The fields of a message, which is parsed on first use. */
function fieldsOf(message: string): Fields {
  const known = parsed.get(message);
  if (known) return known;
  const line = linesOfMessages()[message];
  if (line === undefined) throw new WireError(`there is no message ${message}`);
  const pack = message.slice(0, message.lastIndexOf("."));
  const entries = line.split(";").filter((entry) => entry !== "");
  const fields = new Map(entries.map((entry) => readField(entry, pack)));
  parsed.set(message, fields);
  return fields;
}

const META = "apimachinery.pkg.apis.meta.v1.";
const CRD = "apiextensions_apiserver.pkg.apis.apiextensions.v1.";

/** Packages whose name is not the first part of their group. */
const PACKAGES = tableOf<string>({
  "": "api.core",
  "apiextensions.k8s.io": "apiextensions_apiserver.pkg.apis.apiextensions",
  "apiregistration.k8s.io": "kube_aggregator.pkg.apis.apiregistration",
  "meta.k8s.io": "apimachinery.pkg.apis.meta",
});

function messageOf(apiVersion: string, kind: string): string | undefined {
  const { group, version } = parseApiVersion(apiVersion);
  const pack = PACKAGES.get(group) ?? `api.${group.split(".")[0] ?? ""}`;
  return [`${pack}.${version}.${kind}`, META + kind].find((name) =>
    Object.hasOwn(linesOfMessages(), name),
  );
}

const PREFIX = Buffer.from([0x6b, 0x38, 0x73, 0]);

/** Reads the envelope. @throws WireError for anything else */
export function openProtobuf(bytes: Uint8Array): Body {
  const data = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (data.length === 0) throw new WireError("empty data");
  if (!data.subarray(0, 4).equals(PREFIX)) {
    throw new WireError(
      "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]",
    );
  }
  if (data.length === PREFIX.length) throw new WireError("empty body");
  const envelope = parts(data.subarray(PREFIX.length));
  const found = parts(bytesOf(envelope.get(1)));
  const type = { apiVersion: textOf(found.get(1)), kind: textOf(found.get(2)) };
  const valueAs = (as: TypeMeta): JsonObject => readContentAs(bytesOf(envelope.get(2)), as);
  return {
    type,
    problems: [],
    valueAs,
    strictly: () => ({ tree: valueAs(type), problems: [] }),
    withEmpty: true,
  };
}

/**
 * Decodes the content of an envelope as an object of a kind.
 *
 * @throws WireError when it is malformed, or when the kind is unknown
 */
function readContentAs(content: Buffer, { apiVersion, kind }: TypeMeta): JsonObject {
  const message = messageOf(apiVersion, kind);
  if (message === undefined) {
    throw new WireError(unregistered(kind, apiVersion, LEGACY_SCHEME));
  }
  return { ...(readMessage(message, content, 0) as JsonObject), apiVersion, kind };
}

const MAX_DEPTH = 500;
const truncated = (): WireError => new WireError("unexpected EOF");

class Reader {
  readonly #data: Buffer;
  #at = 0;

  constructor(data: Buffer) {
    this.#data = data;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#data.length;
  }

  varint(): bigint {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = this.#data[this.#at++];
      if (byte === undefined) throw truncated();
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new WireError("proto: integer overflow");
  }

  take(length: number): Buffer {
    const end = this.#at + length;
    if (length < 0 || end > this.#data.length) throw truncated();
    const part = this.#data.subarray(this.#at, end);
    this.#at = end;
    return part;
  }
}

/** Calls `visit` for each field: a varint, or the bytes of anything else. */
function eachField(reader: Reader, visit: (number: number, value: bigint | Buffer) => void): void {
  while (!reader.isAtEnd) {
    const tag = Number(reader.varint());
    const number = tag >>> 3;
    switch (tag & 7) {
      case 0:
        visit(number, reader.varint());
        break;
      case 1:
        visit(number, reader.take(8));
        break;
      case 2:
        visit(number, reader.take(Number(reader.varint())));
        break;
      case 5:
        visit(number, reader.take(4));
        break;
      case 3:
        skipGroup(reader, number);
        break;
      default:
        throw new WireError(`proto: illegal wireType ${tag & 7}`);
    }
  }
}

/** Skips a group, an obsolete encoding that nobody writes any more. */
function skipGroup(reader: Reader, group: number): void {
  for (;;) {
    const tag = Number(reader.varint());
    if ((tag & 7) === 4 && tag >>> 3 === group) return;
    if ((tag & 7) === 0) reader.varint();
    else if ((tag & 7) === 2) reader.take(Number(reader.varint()));
    else reader.take((tag & 7) === 1 ? 8 : (tag & 7) === 5 ? 4 : 0);
  }
}

function readMessage(message: string, data: Buffer, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new WireError("exceeded max depth");
  const special = SPECIAL.get(message);
  if (special) return special(data, depth);
  const object: JsonObject = {};
  const fields = fieldsOf(message);
  eachField(new Reader(data), (number, raw) => {
    const field = fields.get(number);
    if (field) addField(object, field, raw, depth);
  });
  return object;
}

function addField(object: JsonObject, field: Field, raw: bigint | Buffer, depth: number): void {
  if (field.rule === "map") {
    const known = getField(object, field.name);
    const map = (known ?? {}) as JsonObject;
    if (!known) setField(object, field.name, map);
    addEntry(map, field, raw, depth);
    return;
  }
  const value = readValue(field.type, raw, depth);
  if (field.rule === "list") {
    const list = getField(object, field.name);
    if (Array.isArray(list)) list.push(value);
    else setField(object, field.name, [value]);
  } else if (field.name === "") {
    Object.assign(object, value);
  } else if (value !== undefined) {
    setField(object, field.name, value);
  }
}

function addEntry(map: JsonObject, field: Field, raw: bigint | Buffer, depth: number): void {
  if (!Buffer.isBuffer(raw)) return;
  let key = "";
  let value: unknown = emptyValue(field.type);
  eachField(new Reader(raw), (number, part) => {
    if (number === 1 && Buffer.isBuffer(part)) key = part.toString("utf8");
    if (number === 2) value = readValue(field.type, part, depth);
  });
  setField(map, key, value);
}

const emptyValue = (type: string): unknown =>
  type === "string" || type === "bytes" ? "" : type === "bool" ? false : SCALARS.has(type) ? 0 : {};

function readValue(type: string, raw: bigint | Buffer, depth: number): unknown {
  if (Buffer.isBuffer(raw)) {
    switch (type) {
      case "string":
        return raw.toString("utf8");
      case "bytes":
        return raw.toString("base64");
      case "double":
        return raw.readDoubleLE();
      default:
        return SCALARS.has(type) ? undefined : readMessage(type, raw, depth + 1);
    }
  }
  if (type === "bool") return raw !== 0n;
  return type.startsWith("uint") ? Number(raw) : Number(BigInt.asIntN(64, raw));
}

/** The fields of a message by number, for the messages that have a JSON form of their own. */
function parts(data: Buffer): Map<number, bigint | Buffer> {
  const found = new Map<number, bigint | Buffer>();
  eachField(new Reader(data), (number, value) => {
    found.set(number, value);
  });
  return found;
}

const bytesOf = (value: bigint | Buffer | undefined): Buffer =>
  Buffer.isBuffer(value) ? value : Buffer.alloc(0);
const textOf = (value: bigint | Buffer | undefined): string => bytesOf(value).toString("utf8");
const numberOf = (value: bigint | Buffer | undefined): number =>
  typeof value === "bigint" ? Number(BigInt.asIntN(64, value)) : 0;

function readJsonBytes(data: Buffer): unknown {
  const text = textOf(parts(data).get(1));
  if (text === "") return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw new WireError(`embedded JSON cannot be read: ${text.slice(0, 30)}`, { cause });
  }
}

function readTime(data: Buffer, fraction: (nanos: number) => string): string | null {
  const found = parts(data);
  if (found.size === 0) return null;
  const seconds = numberOf(found.get(1));
  const instant = new Date(seconds * 1000);
  if (Number.isNaN(instant.getTime())) throw new WireError(`time out of range: ${seconds} s`);
  return instant.toISOString().replace(/\.\d+Z$/, `${fraction(numberOf(found.get(2)))}Z`);
}

function readIntOrString(data: Buffer): unknown {
  const found = parts(data);
  return numberOf(found.get(1)) === 1 ? textOf(found.get(3)) : numberOf(found.get(2));
}

type SpecialReader = (data: Buffer, depth: number) => unknown;

const readSchema: SpecialReader = (raw, depth) =>
  readMessage(`${CRD}JSONSchemaProps`, raw, depth + 1);

/** Reads a message that has a schema in the field of that number, or what `other` reads. */
const schemaOr =
  (number: number, other: SpecialReader): SpecialReader =>
  (data, depth) => {
    const schema = parts(data).get(number);
    return Buffer.isBuffer(schema) ? readSchema(schema, depth) : other(data, depth);
  };

function readList(data: Buffer, number: number, read: (raw: Buffer) => unknown): unknown[] {
  const list: unknown[] = [];
  eachField(new Reader(data), (at, raw) => {
    if (at === number && Buffer.isBuffer(raw)) list.push(read(raw));
  });
  return list;
}

const readTexts = (data: Buffer, number = 1): unknown[] =>
  readList(data, number, (raw) => raw.toString("utf8"));

const SPECIAL = tableOf<SpecialReader | undefined>({
  "apimachinery.pkg.api.resource.Quantity": (data) => textOf(parts(data).get(1)),
  "apimachinery.pkg.util.intstr.IntOrString": readIntOrString,
  "apimachinery.pkg.runtime.RawExtension": readJsonBytes,
  [`${META}FieldsV1`]: readJsonBytes,
  [`${META}Time`]: (data) => readTime(data, () => ""),
  [`${META}MicroTime`]: (data) =>
    readTime(data, (nanos) => `.${String(Math.floor(nanos / 1000)).padStart(6, "0")}`),
  [`${CRD}JSON`]: readJsonBytes,
  [`${CRD}JSONSchemaPropsOrArray`]: schemaOr(1, (data, depth) =>
    readList(data, 2, (raw) => readSchema(raw, depth)),
  ),
  [`${CRD}JSONSchemaPropsOrBool`]: schemaOr(2, (data) => parts(data).get(1) !== 0n),
  [`${CRD}JSONSchemaPropsOrStringArray`]: schemaOr(1, (data) => readTexts(data, 2)),
  "api.authentication.v1.ExtraValue": (data) => readTexts(data),
  "api.authorization.v1.ExtraValue": (data) => readTexts(data),
  "api.certificates.v1.ExtraValue": (data) => readTexts(data),
});
