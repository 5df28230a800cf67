/**
 * The results of expressions of mutations: `Object{}` and `JSONPatch{}`.
 *
 * The fields of an `Object{}` are not known while it is made; the check that its types are named by
 * their place comes when it is used.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/
 */
import type { JsonObject } from "../../kube/object.ts";
import { setField } from "../../kube/json.ts";
import type { Library, MessageType } from "../../kube/cel/environment.ts";
import { overload } from "../../kube/cel/functions.ts";
import { Duration, Timestamp } from "../../kube/cel/time.ts";
import { type CelType, DYN, STRING, struct } from "../../kube/cel/types.ts";
import {
  CelError,
  CelList,
  CelMap,
  CelObject,
  type CelValue,
  equalValues,
  formatValue,
  noSuchOverload,
  Uint,
} from "../../kube/cel/values.ts";

/** The type of a whole `Object{}`. */
export const OBJECT = struct("Object");
/** The type of a `JSONPatch{}`. */
export const PATCH = struct("JSONPatch");

/** A type that no value has. */
const NOTHING = struct("");

/** Thrown for a value of CEL that has no form in JSON. */
export class NoJson extends Error {
  override readonly name = "NoJson";
}

/** `Object.spec{replicas: 1}` */
export class ObjectLiteral extends CelObject {
  readonly type: CelType;
  readonly #fields: ReadonlyMap<string, CelValue>;

  constructor(type: CelType, fields: ReadonlyMap<string, CelValue>) {
    super();
    this.type = type;
    this.#fields = fields;
  }

  equals(other: CelValue): boolean {
    if (!(other instanceof ObjectLiteral) || other.type.name !== this.type.name) return false;
    if (other.#fields.size !== this.#fields.size) return false;
    return [...this.#fields].every(([name, value]) => {
      const theirs = other.#fields.get(name);
      return theirs !== undefined && equalValues(value, theirs) === true;
    });
  }

  toString(): string {
    return `${this.type.name}{}`;
  }

  /** @throws NoJson */
  toJson(): JsonObject {
    const json: JsonObject = {};
    for (const [name, value] of this.#fields) setField(json, name, jsonOf(value));
    return json;
  }

  /** The types in it whose names do not follow their place. */
  misnamed(): string[] {
    return misnamed(this, this.type.name);
  }

  *entries(): Generator<readonly [string, CelValue]> {
    yield* this.#fields;
  }
}

function misnamed(value: CelValue | CelError, place: string): string[] {
  if (value instanceof ObjectLiteral) {
    const { name } = value.type;
    const wrong =
      name === place
        ? []
        : [
            `unexpected type name ${JSON.stringify(name)}, expected ${JSON.stringify(place)}, which matches field name path from root Object type`,
          ];
    const below = [...value.entries()].flatMap(([field, one]) =>
      misnamed(one, `${place}.${field}`),
    );
    return [...wrong, ...below];
  }
  if (value instanceof CelList) return [...value].flatMap((item) => misnamed(item, place));
  if (value instanceof CelMap) {
    return [...value.keys()].flatMap((key) => misnamed(value.find(key) ?? null, place));
  }
  return [];
}

/** `JSONPatch{op: "add", path: "/spec/replicas", value: 1}` */
export class PatchLiteral extends CelMap {
  override readonly type = PATCH;
  readonly #fields: ReadonlyMap<string, CelValue>;

  constructor(fields: ReadonlyMap<string, CelValue>) {
    super();
    this.#fields = fields;
  }

  get size(): number {
    return this.#fields.size;
  }

  find(key: CelValue): CelValue | undefined {
    return typeof key === "string" ? this.#fields.get(key) : undefined;
  }

  keys(): Iterable<CelValue> {
    return this.#fields.keys();
  }

  equals(other: CelValue): boolean {
    if (!(other instanceof PatchLiteral)) return false;
    return ["op", "path", "from", "value"].every((name) => {
      const [mine, theirs] = [this.#fields.get(name), other.#fields.get(name)];
      if (mine === undefined || theirs === undefined) return mine === theirs;
      return equalValues(mine, theirs) === true;
    });
  }

  toString(): string {
    return "JSONPatch{}";
  }
}

const TEXT_FIELDS = new Set(["op", "path", "from"]);

const patchType: MessageType = {
  type: PATCH,
  field: (name) => (TEXT_FIELDS.has(name) ? STRING : name === "value" ? DYN : NOTHING),
  make(fields) {
    for (const [name, value] of fields) {
      if (!TEXT_FIELDS.has(name) || typeof value === "string") continue;
      return new CelError(`unexpected type ${goTypeOf(value)} for JSONPatchType '${name}' field`);
    }
    return new PatchLiteral(fields);
  },
};

function goTypeOf(value: CelValue): string {
  switch (typeof value) {
    case "bigint":
      return "int64";
    case "number":
      return "float64";
    case "boolean":
      return "bool";
    default:
      return value === null ? "structpb.NullValue" : "map[ref.Val]ref.Val";
  }
}

function objectType(name: string): MessageType {
  const type = struct(name);
  return { type, field: () => DYN, make: (fields) => new ObjectLiteral(type, fields) };
}

/** The types, and the function that escapes keys for paths. */
export const patchLibrary: Library = {
  messages(name) {
    if (name === PATCH.name) return patchType;
    return name === OBJECT.name || name.startsWith(`${OBJECT.name}.`)
      ? objectType(name)
      : undefined;
  },
  functions: [
    {
      name: "jsonpatch.escapeKey",
      overloads: [
        overload("string_jsonpatch_escapeKey_string", [STRING], STRING, (key) =>
          typeof key === "string"
            ? key.replaceAll("~", "~0").replaceAll("/", "~1")
            : noSuchOverload(),
        ),
      ],
    },
  ],
};

/** The JSON of a value. @throws NoJson when it has none */
export function jsonOf(value: CelValue | CelError): unknown {
  if (value instanceof CelError) throw new NoJson(value.message);
  if (value instanceof ObjectLiteral) return value.toJson();
  if (value instanceof CelList) return [...value].map(jsonOf);
  if (value instanceof CelMap) return mapJson(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (value instanceof Uint || typeof value === "bigint") {
    return Number(value instanceof Uint ? value.value : value);
  }
  if (value instanceof Timestamp) return value.toString();
  if (value instanceof Duration) return `${Number(value.nanos) / 1e9}s`;
  if (value instanceof CelObject) {
    throw new NoJson(`unsupported conversion of ${value.type.name} to JSON`);
  }
  return value;
}

function mapJson(map: CelMap): JsonObject {
  const json: JsonObject = {};
  for (const key of map.keys()) {
    if (typeof key !== "string") {
      throw new NoJson(`map key ${JSON.stringify(formatValue(key))} is not a string`);
    }
    setField(json, key, jsonOf(map.find(key) ?? null));
  }
  return json;
}
