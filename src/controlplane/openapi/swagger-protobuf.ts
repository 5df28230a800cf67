/**
 * Encodes OpenAPI v2 as protobuf: the form in which Go clients read that document.
 *
 * @see https://github.com/google/gnostic-models/blob/main/openapiv2/OpenAPIv2.proto
 */
import { InternalError } from "../../errors.ts";
import { isJsonObject } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import { tableOf } from "../../table.ts";

/** Encodes a value as the field of that number: its tag, then its content. */
type FieldWriter = (number: number, value: unknown) => readonly Uint8Array[];

type Fields = Readonly<Record<string, readonly [number, FieldWriter]>>;

/** The fields of a message, by their names in JSON. */
interface Message {
  readonly fields: Fields;
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

function message(find: () => Message): FieldWriter {
  let known: Message | undefined;
  return (number, value) => delimited(number, encodeMessage((known ??= find()), value));
}

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

/** Fields with one encoding, by their numbers. */
const fields = (write: FieldWriter, numbers: Readonly<Record<string, number>>): Fields =>
  Object.fromEntries(Object.entries(numbers).map(([name, number]) => [name, [number, write]]));

const schema = message(() => SCHEMA);
const SCHEMA: Message = {
  fields: {
    ...fields(text, { $ref: 1, format: 2, title: 3, description: 4, pattern: 13 }),
    ...fields(any, { default: 5, example: 30 }),
    ...fields(double, { multipleOf: 6, maximum: 7, minimum: 9 }),
    ...fields(truth, { exclusiveMaximum: 8, exclusiveMinimum: 10, uniqueItems: 16 }),
    ...fields(whole, { maxLength: 11, minLength: 12, maxItems: 14, minItems: 15 }),
    ...fields(whole, { maxProperties: 17, minProperties: 18 }),
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
      message(() => ({ fields: fields(text, { description: 1, url: 2 }), extensions: 3 })),
    ],
  },
  extensions: 31,
};

const BODY_PARAMETER: Message = {
  fields: {
    ...fields(text, { description: 1, name: 2, in: 3 }),
    required: [4, truth],
    schema: [5, schema],
  },
  extensions: 6,
};

/** A query or path parameter; the two differ only in `allowEmptyValue`. */
const plainParameter = (shift: number): Message => ({
  fields: {
    ...fields(truth, { required: 1, uniqueItems: 19 + shift }),
    ...fields(text, { in: 2, description: 3, name: 4 }),
    ...fields(text, { type: 5 + shift, format: 6 + shift, pattern: 16 + shift }),
    default: [9 + shift, any],
    enum: [20 + shift, each(any)],
  },
  extensions: 22 + shift,
});

const PARAMETERS = tableOf<FieldWriter>({
  body: wrapped(message(() => BODY_PARAMETER)),
  query: wrapped(
    wrapped(
      message(() => plainParameter(1)),
      3,
    ),
    2,
  ),
  path: wrapped(
    wrapped(
      message(() => plainParameter(0)),
      4,
    ),
    2,
  ),
});

const parameter: FieldWriter = (number, value) => {
  const place = String((value as JsonObject)["in"]);
  const write = PARAMETERS.get(place);
  if (!write) throw new InternalError(`OpenAPI v2 has no parameters in ${place} here.`);
  return write(number, value);
};
const parameters = each(orReference(parameter, 1, 2));

const response = message(() => ({
  fields: { description: [1, text], schema: [2, wrapped(schema)] },
  extensions: 5,
}));

const security = each(wrapped(entries(wrapped(each(text)))));

const operation = message(() => ({
  fields: {
    ...fields(each(text), { tags: 1, produces: 6, consumes: 7, schemes: 10 }),
    ...fields(text, { summary: 2, description: 3, operationId: 5 }),
    parameters: [8, parameters],
    responses: [9, wrapped(entries(orReference(response, 1, 2)))],
    deprecated: [11, truth],
    security: [12, security],
  },
  extensions: 13,
}));

const METHODS = { get: 2, put: 3, post: 4, delete: 5, options: 6, head: 7, patch: 8 };
const pathItem = message(() => ({
  fields: { ...fields(operation, METHODS), parameters: [9, parameters] },
  extensions: 10,
}));

const securityScheme = message(() => ({
  fields: fields(text, { type: 1, name: 2, in: 3, description: 4 }),
}));

const DOCUMENT: Message = {
  fields: {
    swagger: [1, text],
    info: [2, message(() => ({ fields: fields(text, { title: 1, version: 2 }) }))],
    paths: [8, wrapped(entries(pathItem), 2)],
    definitions: [9, wrapped(entries(schema))],
    parameters: [10, wrapped(entries(parameter))],
    security: [12, security],
    securityDefinitions: [13, wrapped(entries(wrapped(securityScheme, 2)))],
  },
  extensions: 16,
};

/** Encodes a document of OpenAPI v2 as protobuf. */
export function swaggerBytes(document: JsonObject): Uint8Array {
  return Buffer.concat(encodeMessage(DOCUMENT, document));
}
