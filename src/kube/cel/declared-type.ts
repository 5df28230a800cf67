/**
 * The types of the values of a schema, and their largest sizes.
 *
 * @see https://pkg.go.dev/k8s.io/apiserver/pkg/cel/common#SchemaDeclType
 */
import { propertyOf, type Schema, valuesOf } from "../schema/structural.ts";
import type { ObjectFields } from "./environment.ts";
import { escapeName, isReserved } from "./escaping.ts";
import type { SizeEstimate } from "./cost/estimates.ts";
import type { SizeLookup } from "./cost/cost.ts";
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  struct,
  TIMESTAMP,
} from "./types.ts";

/** The largest request that the API server reads, in bytes. */
export const MAX_REQUEST_BYTES = 3 * 1024 * 1024;

/** The type of a schema's values, for expressions. */
export interface DeclaredType {
  readonly kind: "object" | "list" | "map" | "scalar";
  /** The type of a scalar. */
  readonly scalar?: CelType;
  /** The fields of an object, by their names in expressions. */
  readonly fields?: ReadonlyMap<string, DeclaredType>;
  /** The items of a list, or the values of a map. */
  readonly items?: DeclaredType;
  /** The largest number of characters, items or entries. */
  readonly maxSize: number;
  /** The smallest size of a value in JSON, in bytes. */
  readonly minBytes: number;
}

const scalar = (type: CelType, minBytes: number, maxSize = 0): DeclaredType => ({
  kind: "scalar",
  scalar: type,
  maxSize,
  minBytes,
});

const STRING_TYPE: Schema = { type: "string" };

/** The schema with the fields that every object has: expressions see no other metadata. */
export function withTypeMeta(schema: Schema): Schema {
  const metadata = propertyOf(schema, "metadata");
  const isComplete =
    propertyOf(schema, "kind")?.type === "string" &&
    propertyOf(schema, "apiVersion")?.type === "string" &&
    metadata?.type === "object" &&
    propertyOf(metadata, "name")?.type === "string" &&
    propertyOf(metadata, "generateName")?.type === "string";
  if (isComplete) return schema;
  return {
    ...schema,
    properties: {
      ...schema.properties,
      kind: STRING_TYPE,
      apiVersion: STRING_TYPE,
      metadata: {
        type: "object",
        properties: { name: STRING_TYPE, generateName: STRING_TYPE },
      },
    },
  };
}

const isEmbedded = (schema: Schema): boolean => schema["x-kubernetes-embedded-resource"] === true;

/**
 * The type of a schema's values; `undefined` where expressions cannot see them.
 *
 * @param isRoot - whether the schema is that of a whole object
 */
export function declaredType(schema: Schema, isRoot: boolean): DeclaredType | undefined {
  if (schema["x-kubernetes-int-or-string"]) {
    const { maxLength } = schema;
    const maxSize = maxLength === undefined ? MAX_REQUEST_BYTES - 2 : Math.max(maxLength, 0) * 4;
    return scalar(DYN, 1, maxSize);
  }
  const whole = isRoot ? withTypeMeta(schema) : schema;
  switch (whole.type) {
    case "array": {
      const items = whole.items && declaredType(whole.items, isEmbedded(whole.items));
      if (!items) return undefined;
      const maxSize =
        whole.maxItems === undefined
          ? Math.floor((MAX_REQUEST_BYTES - 2) / (items.minBytes + 1))
          : Math.max(whole.maxItems, 0);
      return { kind: "list", items, maxSize, minBytes: 2 };
    }
    case "object":
      return valuesOf(whole) ? mapType(whole) : objectType(whole);
    case "string":
      return stringType(whole);
    case "boolean":
      return scalar(BOOL, 4);
    case "number":
      return scalar(DOUBLE, 1);
    case "integer":
      return scalar(INT, 1);
    default:
      return undefined;
  }
}

function mapType(schema: Schema): DeclaredType | undefined {
  const values = valuesOf(schema);
  const items = values && declaredType(values, isEmbedded(values));
  if (!items) return undefined;
  const maxSize =
    schema.maxProperties === undefined
      ? Math.floor((MAX_REQUEST_BYTES - 2) / (items.minBytes + 6))
      : Math.max(schema.maxProperties, 0);
  return { kind: "map", items, maxSize, minBytes: 2 };
}

function objectType(schema: Schema): DeclaredType {
  const fields = new Map<string, DeclaredType>();
  let minBytes = 2;
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const type = declaredType(property, isEmbedded(property));
    if (!type) continue;
    const escaped = escapeName(name);
    if (escaped !== undefined) fields.set(escaped, type);
    const isDefaulted = property.default !== undefined && property.default !== null;
    if (schema.required?.includes(name) && !isDefaulted) {
      minBytes += Buffer.byteLength(name) + type.minBytes + 4;
    }
  }
  return { kind: "object", fields, maxSize: 0, minBytes };
}

function stringType(schema: Schema): DeclaredType {
  const { maxLength, format } = schema;
  switch (format) {
    case "byte":
      return scalar(
        BYTES,
        2,
        maxLength === undefined ? MAX_REQUEST_BYTES - 2 : Math.max(maxLength, 0),
      );
    case "duration":
      return scalar(DURATION, 3, 32);
    case "date":
      return scalar(TIMESTAMP, 12, 12);
    case "date-time":
      return scalar(TIMESTAMP, 21, 32);
    default:
      return textType(schema);
  }
}

function textType({ maxLength, enum: values = [] }: Schema): DeclaredType {
  if (maxLength !== undefined) return scalar(STRING, 2, Math.max(maxLength, 0) * 4);
  if (values.length === 0) return scalar(STRING, 2, MAX_REQUEST_BYTES - 2);
  const lengths = values.map((one) => (typeof one === "string" ? Buffer.byteLength(one) : 0));
  return scalar(STRING, 2, Math.max(...lengths));
}

/** The object types below a declared type, under names of their own. */
export class DeclaredObjects implements ObjectFields {
  /** The type of the root in expressions. */
  readonly type: CelType;
  readonly #fields = new Map<string, ReadonlyMap<string, CelType>>();

  /** @param name - the name of the root in messages */
  constructor(root: DeclaredType, name: string) {
    this.type = this.#name(root, name);
  }

  has(type: string): boolean {
    return this.#fields.has(type);
  }

  field(type: string, name: string): CelType | undefined {
    const fields = this.#fields.get(type);
    return fields?.get(name) ?? (isReserved(name) ? fields?.get(`__${name}__`) : undefined);
  }

  #name(type: DeclaredType, name: string): CelType {
    if (type.kind === "scalar") return type.scalar ?? DYN;
    if (type.kind === "list") return listOf(this.#name(type.items ?? type, `${name}.@idx`));
    if (type.kind === "map") return mapOf(STRING, this.#name(type.items ?? type, `${name}.@elem`));
    const fields = new Map<string, CelType>();
    for (const [field, fieldType] of type.fields ?? []) {
      fields.set(field, this.#name(fieldType, `${name}.${field}`));
    }
    this.#fields.set(name, fields);
    return struct(name);
  }
}

/** The sizes of values below a declared type; paths start with a variable's name. */
export function sizesOf(root: DeclaredType): SizeLookup {
  return ([, ...steps]): SizeEstimate | undefined => {
    let type: DeclaredType | undefined = root;
    for (const step of steps) {
      if (step === "@items" || step === "@values") type = type.items;
      else if (step === "@keys") type = type.kind === "map" ? MAP_KEY : undefined;
      else type = type.fields?.get(step);
      if (!type) return undefined;
    }
    return { min: 0, max: type.maxSize };
  };
}

/** The keys of maps; their length is not known, so it is not counted. */
const MAP_KEY: DeclaredType = scalar(STRING, 2);
