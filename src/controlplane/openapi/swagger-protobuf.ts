/**
 * Encodes OpenAPI v2 as protobuf: the form in which Go clients read that document.
 *
 * @see https://github.com/google/gnostic-models/blob/main/openapiv2/OpenAPIv2.proto
 */
import { InternalError } from "../../errors.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";

/** Encodes a value as the field of that number: its tag, then its content. */
type FieldWriter = (number: number, value: unknown) => readonly Uint8Array[];

/** The fields of a message, by their names in JSON. */
interface Message {
  readonly fields: Readonly<Record<string, readonly [number, FieldWriter]>>;
  /** The number of the field for names that begin with `x-`. */
  readonly extensions?: number;
}

const VARINT = 0;
const FIXED64 = 1;
const LENGTH_DELIMITED = 2;

function varint(value: number): number[] {
  const bytes: number[] = [];
  let left = value;
  for (; left > 0x7f; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80);
  return [...bytes, left];
}

const tag = (number: number, type: number): number[] => varint(number * 8 + type);

function delimited(number: number, parts: readonly Uint8Array[]): Uint8Array[] {
  const size = parts.reduce((sum, part) => sum + part.byteLength, 0);
  return [Uint8Array.from([...tag(number, LENGTH_DELIMITED), ...varint(size)]), ...parts];
}

const text: FieldWriter = (number, value) => delimited(number, [Buffer.from(String(value))]);

const truth: FieldWriter = (number, value) =>
  value === true ? [Uint8Array.from([...tag(number, VARINT), 1])] : [];

const whole: FieldWriter = (number, value) => [
  Uint8Array.from([...tag(number, VARINT), ...varint(Number(value))]),
];

const double: FieldWriter = (number, value) => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(Number(value));
  return [Uint8Array.from(tag(number, FIXED64)), bytes];
};

/** Encodes any value as YAML, of which JSON is a subset. */
const any: FieldWriter = (number, value) =>
  delimited(number, text(2, `${JSON.stringify(value)}\n`));

const each =
  (item: FieldWriter): FieldWriter =>
  (number, value) =>
    (Array.isArray(value) ? value : [value]).flatMap((one: unknown) => item(number, one));

/** Encodes a message with a single field. */
const wrapped =
  (item: FieldWriter, inner = 1): FieldWriter =>
  (number, value) =>
    delimited(number, item(inner, value));

/** Encodes one field for each entry of an object: its name and its value. */
const entries =
  (item: FieldWriter): FieldWriter =>
  (number, value) =>
    Object.entries(value as JsonObject).flatMap(([name, part]) =>
      delimited(number, [...text(1, name), ...item(2, part)]),
    );

const message =
  (find: () => Message): FieldWriter =>
  (number, value) =>
    delimited(number, encodeMessage(find(), value));

function encodeMessage({ fields, extensions }: Message, value: unknown): Uint8Array[] {
  return Object.entries(value as JsonObject).flatMap(([name, part]) => {
    if (part === undefined) return [];
    if (name.startsWith("x-") && extensions !== undefined) {
      return delimited(extensions, [...text(1, name), ...any(2, part)]);
    }
    const field = fields[name];
    if (!field) throw new InternalError(`OpenAPI v2 has no field ${name} in protobuf.`);
    return [...field[1](field[0], part)];
  });
}

/** Encodes a reference when `$ref` is alone, else the value itself. */
const orReference =
  (item: FieldWriter, itemNumber: number, referenceNumber: number): FieldWriter =>
  (number, value) =>
    delimited(
      number,
      isJsonObject(value) && value["$ref"] !== undefined
        ? delimited(referenceNumber, text(1, value["$ref"]))
        : item(itemNumber, value),
    );

const schema = message(() => SCHEMA);
const SCHEMA: Message = {
  fields: {
    $ref: [1, text],
    format: [2, text],
    title: [3, text],
    description: [4, text],
    default: [5, any],
    multipleOf: [6, double],
    maximum: [7, double],
    exclusiveMaximum: [8, truth],
    minimum: [9, double],
    exclusiveMinimum: [10, truth],
    maxLength: [11, whole],
    minLength: [12, whole],
    pattern: [13, text],
    maxItems: [14, whole],
    minItems: [15, whole],
    uniqueItems: [16, truth],
    maxProperties: [17, whole],
    minProperties: [18, whole],
    required: [19, each(text)],
    enum: [20, each(any)],
    additionalProperties: [
      21,
      (number, value) =>
        delimited(number, typeof value === "boolean" ? truth(2, value) : schema(1, value)),
    ],
    type: [22, wrapped(each(text))],
    items: [23, wrapped(schema)],
    allOf: [24, each(schema)],
    properties: [25, wrapped(entries(schema))],
    externalDocs: [
      29,
      message(() => ({ fields: { description: [1, text], url: [2, text] }, extensions: 3 })),
    ],
    example: [30, any],
  },
  extensions: 31,
};

const BODY_PARAMETER: Message = {
  fields: {
    description: [1, text],
    name: [2, text],
    in: [3, text],
    required: [4, truth],
    schema: [5, schema],
  },
  extensions: 6,
};

/** A query or path parameter; the two differ only in `allowEmptyValue`. */
const plainParameter = (shift: number): Message => ({
  fields: {
    required: [1, truth],
    in: [2, text],
    description: [3, text],
    name: [4, text],
    type: [5 + shift, text],
    format: [6 + shift, text],
    default: [9 + shift, any],
    pattern: [16 + shift, text],
    uniqueItems: [19 + shift, truth],
    enum: [20 + shift, each(any)],
  },
  extensions: 22 + shift,
});

const PARAMETERS: Readonly<Record<string, FieldWriter>> = {
  body: (number, value) => delimited(number, message(() => BODY_PARAMETER)(1, value)),
  query: nonBody(3, plainParameter(1)),
  path: nonBody(4, plainParameter(0)),
};

function nonBody(inner: number, fields: Message): FieldWriter {
  const write = message(() => fields);
  return (number, value) => delimited(number, delimited(2, write(inner, value)));
}

const parameter: FieldWriter = (number, value) => {
  const place = String((value as JsonObject)["in"]);
  const write = PARAMETERS[place];
  if (!write) throw new InternalError(`OpenAPI v2 has no parameters in ${place} here.`);
  return write(number, value);
};

const response = message(() => ({
  fields: { description: [1, text], schema: [2, wrapped(schema)] },
  extensions: 5,
}));

const security = each((number, value) => delimited(number, entries(wrapped(each(text)))(1, value)));

const operation = message(() => ({
  fields: {
    tags: [1, each(text)],
    summary: [2, text],
    description: [3, text],
    operationId: [5, text],
    produces: [6, each(text)],
    consumes: [7, each(text)],
    parameters: [8, each(orReference(parameter, 1, 2))],
    responses: [9, wrapped(entries(orReference(response, 1, 2)))],
    schemes: [10, each(text)],
    deprecated: [11, truth],
    security: [12, security],
  },
  extensions: 13,
}));

const pathItem = message(() => ({
  fields: {
    get: [2, operation],
    put: [3, operation],
    post: [4, operation],
    delete: [5, operation],
    options: [6, operation],
    head: [7, operation],
    patch: [8, operation],
    parameters: [9, each(orReference(parameter, 1, 2))],
  },
  extensions: 10,
}));

const DOCUMENT: Message = {
  fields: {
    swagger: [1, text],
    info: [2, message(() => ({ fields: { title: [1, text], version: [2, text] } }))],
    paths: [8, wrapped(entries(pathItem), 2)],
    definitions: [9, wrapped(entries(schema))],
    parameters: [10, wrapped(entries(parameter))],
    security: [12, security],
    securityDefinitions: [
      13,
      wrapped(
        entries(
          wrapped(
            message(() => ({
              fields: {
                type: [1, text],
                name: [2, text],
                in: [3, text],
                description: [4, text],
              },
            })),
            2,
          ),
        ),
      ),
    ],
  },
  extensions: 16,
};

/** Encodes a document of OpenAPI v2 as protobuf. */
export function swaggerBytes(document: JsonObject): Uint8Array {
  return Buffer.concat(encodeMessage(DOCUMENT, document));
}
