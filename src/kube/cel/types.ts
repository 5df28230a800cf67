/**
 * The types of CEL, for the checker and for values at run time.
 *
 * @see https://github.com/google/cel-spec/blob/master/doc/langdef.md#type-system
 */

type TypeKind =
  | "bool"
  | "bytes"
  | "double"
  | "duration"
  | "dyn"
  | "error"
  | "int"
  | "list"
  | "map"
  | "null"
  | "opaque"
  | "string"
  | "struct"
  | "timestamp"
  | "type"
  | "parameter"
  | "uint";

/** A type; types are compared by structure. */
export interface CelType {
  readonly kind: TypeKind;
  /** Its name at run time. */
  readonly name: string;
  readonly parameters: readonly CelType[];
}

const simple = (kind: TypeKind, name: string = kind): CelType => ({ kind, name, parameters: [] });

export const BOOL = simple("bool");
export const BYTES = simple("bytes");
export const DOUBLE = simple("double");
export const DURATION = simple("duration", "google.protobuf.Duration");
export const DYN = simple("dyn");
export const ERROR = simple("error");
export const INT = simple("int");
export const NULL = simple("null", "null_type");
export const STRING = simple("string");
export const TIMESTAMP = simple("timestamp", "google.protobuf.Timestamp");
export const UINT = simple("uint");

/** `list(item)` */
export const listOf = (item: CelType): CelType => ({
  kind: "list",
  name: "list",
  parameters: [item],
});

/** `map(key, value)` */
export const mapOf = (key: CelType, value: CelType): CelType => ({
  kind: "map",
  name: "map",
  parameters: [key, value],
});

/** `type(of)`, or `type`. */
export const typeOf = (of?: CelType): CelType => ({
  kind: "type",
  name: "type",
  parameters: of ? [of] : [],
});

/** A type of a library, with no fields. */
export const opaque = (name: string, ...parameters: CelType[]): CelType => ({
  kind: "opaque",
  name,
  parameters,
});

/** `optional_type(of)` */
export const optionalOf = (of: CelType): CelType => opaque("optional_type", of);

/** An object type; its fields are known to the environment. */
export const struct = (name: string): CelType => simple("struct", name);

export const parameter = (name: string): CelType => simple("parameter", name);

/** The types without parameters: lists and maps as the values of `type()` have them. */
export const LIST = listOf(DYN);
export const MAP = mapOf(DYN, DYN);
export const TYPE = typeOf();
export const OPTIONAL = optionalOf(DYN);

/** A type in messages. */
export function formatType(type: CelType): string {
  switch (type.kind) {
    case "duration":
    case "timestamp":
    case "null":
      return type.kind;
    case "error":
      return "!error!";
    default:
      if (type.parameters.length === 0) return type.name;
      return `${type.name}(${type.parameters.map(formatType).join(", ")})`;
  }
}

/** A call in messages: the types of its arguments, that of the receiver first. */
export function formatSignature(types: readonly CelType[], member: boolean): string {
  const [target, ...rest] = types.map(formatType);
  if (!member) return `(${types.map(formatType).join(", ")})`;
  return `${target ?? ""}.(${rest.join(", ")})`;
}

/** Whether two types are the same; type parameters by name, unless `names` is false. */
export function sameType(left: CelType, right: CelType, names = true): boolean {
  if (left === right) return true;
  if (left.kind !== right.kind || left.parameters.length !== right.parameters.length) return false;
  if ((names || left.kind !== "parameter") && left.name !== right.name) return false;
  return left.parameters.every((one, index) => {
    const other = right.parameters[index];
    return other !== undefined && sameType(one, other, names);
  });
}

/** Whether the type is that of an optional value. */
export const isOptional = (type: CelType): boolean =>
  type.kind === "opaque" && type.name === "optional_type";

/**
 * The first parameter: the items' type of a list, the keys' of a map, the value's of an optional.
 */
export const firstParameter = (type: CelType): CelType => type.parameters[0] ?? DYN;

/** The second parameter: the values' type of a map. */
export const secondParameter = (type: CelType): CelType => type.parameters[1] ?? DYN;
