/**
 * Reads the content of a body as Go's struct of a built-in kind does: wrong types are refused in
 * Go's words, unknown fields are dropped and reported, null counts as absent.
 */
import { isInt64, isNumeric } from "../../kube/text/go-number.ts";
import { isJsonObject, setField } from "../../kube/json.ts";
import type { JsonObject } from "../../kube/object.ts";
import { goKindOf } from "../../kube/patch.ts";
import { messageOf } from "../../errors.ts";
import { type Definition, REFERENCE_PREFIX, findDefinition } from "../builtin/definitions.ts";
import { findEmbedding, findFieldType } from "../builtin/field-types.ts";
import { goType, refOf, shortName } from "./go-type.ts";
import { checkBase64, readQuantity, timeMistake } from "./go-values.ts";
import { printJsonPath } from "./json/json-scanner.ts";
import { NumberLiteral, isMap, plainNumbers } from "./json/number-literal.ts";
import { WireError } from "./json/wire-error.ts";

const MAX_UNKNOWN = 100;

/**
 * Reads `value` as the definition of that name.
 *
 * @param unknown - paths of unknown fields are added here, up to 100
 * @throws WireError for the first wrong type: `json: cannot unmarshal ... of type v1.ObjectMeta`
 */
export function readBuiltIn(value: unknown, definition: string, unknown: string[]): unknown {
  return new BuiltInReader(unknown).readWhole(value, { $ref: REFERENCE_PREFIX + definition }) ?? {};
}

/**
 * Reads a value that was decoded before, such as the result of a strategic merge patch: integers
 * may overflow, whole floats count as integers, and wrong types are refused in other words.
 *
 * @throws WireError `cannot restore struct from: string`
 */
export function convertBuiltIn(value: unknown, definition: string, unknown: string[]): unknown {
  const found: string[] = [];
  const read = new Converter(found).readWhole(value, { $ref: REFERENCE_PREFIX + definition }) ?? {};
  unknown.push(...found.sort());
  return read;
}

class BuiltInReader {
  readonly #unknown: string[];
  /** The path from the root: names and indexes. */
  readonly #path: (string | number)[] = [];
  /** The names of the struct fields on the path from the root. */
  readonly #fields: string[] = [];
  /** The definitions of the structs that have these fields. */
  readonly #holders: string[] = [];
  /** The definition of the struct that is being read. */
  #struct = "";
  /** The depth of nested lists and maps within the current field. */
  #depth = 0;
  /** Whether unknown fields are dropped without being reported. */
  #isSilent = false;
  /** The first wrong type; a later error of a type's own unmarshaller takes precedence. */
  #mistake: WireError | undefined;

  constructor(unknown: string[]) {
    this.#unknown = unknown;
  }

  /** @throws WireError for the first wrong type */
  readWhole(value: unknown, node: Definition): unknown {
    const read = this.read(value, node);
    this.#throwMistake();
    return read;
  }

  #throwMistake(): void {
    if (this.#mistake) throw this.#mistake;
  }

  protected refuse(what: string, node: Definition): null {
    const type = this.typeOf(node);
    const target =
      this.#fields.length === 0
        ? `Go value of type ${type}`
        : `Go struct field ${shortName(this.#struct)}.${this.#fieldPath()} of type ${type}`;
    this.#mistake ??= new WireError(`json: cannot unmarshal ${what} into ${target}`);
    return null;
  }

  /** The fields from the root as Go's errors list them: with the embedded structs. */
  #fieldPath(): string {
    return this.#fields
      .map((field, index) => {
        const embedded = findEmbedding(this.#holders[index] ?? "", field);
        return embedded === undefined ? field : `${embedded}.${field}`;
      })
      .join(".");
  }

  /** The Go type of the value that is being read. */
  protected typeOf(node: Definition): string {
    let named = findFieldType(this.#struct, this.#fields.at(-1) ?? "");
    for (let depth = this.#depth; depth > 0 && named !== undefined; depth -= 1) {
      named = /^(?:\[\]|map\[\w+\])(.*)$/.exec(named)?.[1];
    }
    return named ?? goType(node);
  }

  protected mismatch(value: unknown, node: Definition): null {
    return this.refuse(value instanceof NumberLiteral ? "number" : goKindOf(value), node);
  }

  /** Reads a value; `undefined` for null and for an absent value. */
  read(value: unknown, node: Definition): unknown {
    if (value === null || value === undefined) return undefined;
    const name = refOf(node);
    if (name !== undefined) return this.#readNamed(value, node, name);
    switch (node.type) {
      case "object":
        return this.#readMap(value, node);
      case "array":
        return this.#readList(value, node);
      case "string":
        return this.#readText(value, node);
      case "boolean":
        return typeof value === "boolean" ? value : this.mismatch(value, node);
      case "integer":
        return this.readInteger(value, node);
      case "number":
        if (value instanceof NumberLiteral) return Number(value.text);
        return isNumeric(value) ? Number(value) : this.mismatch(value, node);
      default:
        return plainNumbers(value);
    }
  }

  #readNamed(value: unknown, node: Definition, name: string): unknown {
    switch (shortName(name)) {
      case "Time":
      case "MicroTime":
        return this.#atOnce(() => this.readTime(value, node, shortName(name) === "MicroTime"));
      case "Quantity":
        return readQuantity(value);
      case "IntOrString":
        return typeof value === "string" ? value : this.#atOnce(() => this.readIntOrString(value));
      case "JSONSchemaPropsOrBool":
      case "JSONSchemaPropsOrArray":
      case "JSONSchemaPropsOrStringArray":
        return this.#readSchemaOr(value, name);
      default:
        break;
    }
    const definition = findDefinition(name);
    const isOpen = !definition?.properties && shortName(name) !== "CustomResourceSubresourceStatus";
    if (isOpen) return this.#readOpen(value, definition ?? {}, node);
    return isMap(value)
      ? this.#readStruct(value, definition ?? {}, name)
      : this.mismatch(value, node);
  }

  /** Reads a type with its own unmarshaller: a mistake in it ends the reading. */
  #atOnce<T>(read: () => T): T {
    const before = this.#mistake;
    this.#mistake = undefined;
    const value = read();
    this.#throwMistake();
    this.#mistake = before;
    return value;
  }

  /** Reads a schema of a CRD, or its keyword's alternative: their unmarshallers are not strict. */
  #readSchemaOr(value: unknown, name: string): unknown {
    const [schemaName = "", other] = name.split("Or");
    if (other === "Bool" && typeof value !== "boolean" && !isJsonObject(value)) {
      throw new WireError("boolean or JSON schema expected");
    }
    const schema = { $ref: REFERENCE_PREFIX + schemaName };
    const items: Definition = other === "StringArray" ? { type: "string" } : schema;
    // Like `atOnce`, without its two calls: schemas are nested deeply.
    const before = this.#mistake;
    this.#mistake = undefined;
    const wasSilent = this.#isSilent;
    this.#isSilent = true;
    const read = Array.isArray(value)
      ? this.#readList(value, { type: "array", items })
      : isJsonObject(value)
        ? this.#readNamed(value, schema, schema.$ref.slice(REFERENCE_PREFIX.length))
        : plainNumbers(value);
    this.#isSilent = wasSilent;
    this.#throwMistake();
    this.#mistake = before;
    return read;
  }

  /** Reads a named type other than a struct: free JSON, or an alias of a map or list. */
  #readOpen(value: unknown, definition: Definition, node: Definition): unknown {
    if (definition.additionalProperties || definition.items) return this.read(value, definition);
    const isAnything = /\.(?:FieldsV1|RawExtension)$/.test(refOf(node) ?? "");
    if (definition.type === "object" && !isAnything && !isJsonObject(value))
      return this.mismatch(value, node);
    return plainNumbers(value);
  }

  #readStruct(value: JsonObject, definition: Definition, name: string): JsonObject {
    const outer = this.#struct;
    const outerDepth = this.#depth;
    this.#struct = name;
    this.#depth = 0;
    const known = definition.properties ?? {};
    const object: JsonObject = {};
    for (const [key, field] of Object.entries(value)) {
      const node = Object.hasOwn(known, key) ? known[key] : undefined;
      this.#path.push(key);
      if (node) {
        this.#fields.push(key);
        this.#holders.push(name);
        const read = this.read(field, node);
        if (read !== undefined) setField(object, key, read);
        this.#fields.pop();
        this.#holders.pop();
      } else if (!this.#isSilent && this.#unknown.length < MAX_UNKNOWN) {
        this.#unknown.push(printJsonPath(this.#path));
      }
      this.#path.pop();
    }
    this.#struct = outer;
    this.#depth = outerDepth;
    return object;
  }

  #readMap(value: unknown, node: Definition): JsonObject | null {
    if (!isMap(value)) return this.mismatch(value, node);
    const values = node.additionalProperties;
    if (!values) return plainNumbers(value) as JsonObject;
    const map: JsonObject = {};
    this.#depth += 1;
    for (const [key, entry] of Object.entries(value)) {
      this.#path.push(key);
      setField(map, key, this.read(entry, values) ?? zeroOf(values));
      this.#path.pop();
    }
    this.#depth -= 1;
    return map;
  }

  #readList(value: unknown, node: Definition): unknown[] | null {
    if (!Array.isArray(value)) return this.mismatch(value, node);
    const items = node.items ?? {};
    this.#depth += 1;
    const read = value.map((item: unknown, index) => {
      this.#path.push(index);
      const one = this.read(item, items) ?? zeroOf(items);
      this.#path.pop();
      return one;
    });
    this.#depth -= 1;
    return read;
  }

  /** Reads bytes given as a list of numbers. */
  #readBytes(list: readonly unknown[]): string {
    this.#depth += 1;
    const bytes = list.map((item) =>
      item === null ? 0 : (this.readInteger(item, { type: "integer", format: "uint8" }) ?? 0),
    );
    this.#depth -= 1;
    return Buffer.from(bytes).toString("base64");
  }

  #readText(value: unknown, node: Definition): string | null {
    if (node.format === "byte" && Array.isArray(value)) return this.#readBytes(value);
    if (typeof value !== "string") return this.mismatch(value, node);
    if (node.format === "byte") this.checkBytes(value);
    return value;
  }

  protected checkBytes(value: string): void {
    try {
      checkBase64(value);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.#mistake ??= error;
    }
  }

  protected readTime(value: unknown, node: Definition, isMicroTime: boolean): string | null {
    if (typeof value !== "string") return this.mismatch(value, node);
    // An empty Time counts as absent; an empty MicroTime does not.
    if (value === "" && !isMicroTime) return null;
    const mistake = timeMistake(value, isMicroTime);
    if (mistake !== undefined) throw new WireError(mistake);
    return value;
  }

  protected readIntOrString(value: unknown): number | null {
    return this.readInteger(value, { type: "integer", format: "int32" });
  }

  protected readInteger(value: unknown, node: Definition): number | null {
    const text =
      value instanceof NumberLiteral ? value.text : isNumeric(value) ? String(value) : undefined;
    if (text === undefined) return this.mismatch(value, node);
    if (!/^-?\d+$/.test(text) || !isInRange(BigInt(text), node.format)) {
      return this.refuse(`number ${text}`, node);
    }
    return Number(text) + 0;
  }
}

/** The kind of a value in Go's reflection. */
function reflectKind(value: unknown): string {
  if (Array.isArray(value)) return "slice";
  if (isNumeric(value)) return isInt64(value) ? "int64" : "float64";
  if (typeof value === "boolean") return "bool";
  return typeof value === "string" ? "string" : "map";
}

/** Types with their own unmarshallers, whose errors name no field. */
const SELF_READING: ReadonlySet<string> = new Set(["Time", "MicroTime", "Quantity", "IntOrString"]);

class Converter extends BuiltInReader {
  protected override mismatch(value: unknown, node: Definition): never {
    const name = refOf(node);
    if (name !== undefined && SELF_READING.has(shortName(name))) {
      throw new WireError(
        `json: cannot unmarshal ${goKindOf(value)} into Go value of type ${goType(node)}`,
      );
    }
    const kind = reflectKind(value);
    if (name !== undefined) throw new WireError(`cannot restore struct from: ${kind}`);
    if (node.type === "array" || node.format === "byte") {
      throw new WireError(`cannot restore slice from ${kind}`);
    }
    if (node.type === "object") throw new WireError(`cannot restore map from ${kind}`);
    const wanted = goType(node);
    const isNear =
      (kind === "int64" && wanted === "string") || (kind === "float64" && wanted.startsWith("int"));
    throw new WireError(
      isNear ? `cannot convert ${kind} to ${this.typeOf(node)}` : `unrecognized type: ${wanted}`,
    );
  }

  protected override readInteger(value: unknown, node: Definition): number {
    if (!isNumeric(value) || (typeof value === "number" && !Number.isInteger(value))) {
      return this.mismatch(value, node);
    }
    const exact = BigInt(value);
    // A number beyond 64 bits becomes the smallest 64-bit integer.
    const whole = fits(exact, 64) ? exact : -(2n ** 63n);
    return Number(BigInt.asIntN(node.format === "int32" ? 32 : 64, whole));
  }

  /** Reads an IntOrString, whose own unmarshaller gets JSON encoded anew and names no field. */
  protected override readIntOrString(value: unknown): number {
    if (isNumeric(value) && isInt32(value)) return Number(value) + 0;
    const what = isNumeric(value) ? `number ${String(value)}` : goKindOf(value);
    throw new WireError(`json: cannot unmarshal ${what} into Go value of type int32`);
  }

  protected override checkBytes(value: string): void {
    try {
      checkBase64(value);
    } catch (error) {
      throw new WireError(`error decoding from json: ${messageOf(error)}`, { cause: error });
    }
  }
}

const isInt32 = (value: number | bigint): boolean =>
  typeof value === "bigint" ? fits(value, 32) : Number.isInteger(value) && (value | 0) === value;

const isInRange = (value: bigint, format: string | undefined): boolean =>
  format === "uint8"
    ? BigInt.asUintN(8, value) === value
    : fits(value, format === "int32" ? 32 : 64);

const fits = (value: bigint, bits: number): boolean => BigInt.asIntN(bits, value) === value;

/** The value of null as an item of a list or map, where it cannot be absent. */
function zeroOf(node: Definition): unknown {
  const name = refOf(node);
  if (name !== undefined) {
    const kind = shortName(name);
    if (kind === "Quantity") return "0";
    if (kind === "IntOrString") return 0;
    return findDefinition(name)?.properties ? {} : null;
  }
  return ZEROS[node.type ?? ""] ?? null;
}

const ZEROS: Readonly<Record<string, unknown>> = {
  string: "",
  boolean: false,
  integer: 0,
  number: 0,
};
