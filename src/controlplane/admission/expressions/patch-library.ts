/**
 * The results of expressions of mutations: `Object{}` and `JSONPatch{}`.
 *
 * The fields of an `Object{}` are not known while it is made; the check that its types are named by
 * their place comes when it is used.
 *
 * @see https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/
 */
import type { JsonObject } from "../../../kube/object.ts";
import { setField } from "../../../kube/json.ts";
import type { Library, MessageType } from "../../../kube/cel/environment.ts";
import { overload } from "../../../kube/cel/functions.ts";
import { Duration, Timestamp } from "../../../kube/cel/time.ts";
import { type CelType, DYN, STRING, struct } from "../../../kube/cel/types.ts";
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
} from "../../../kube/cel/values.ts";

export const OBJECT = struct("Object");
export const PATCH = struct("JSONPatch");

/** A type that no value has. */
const NOTHING = struct("");

/** Thrown when a mutation cannot be made. */
export class MutationError extends Error {
  override readonly name = "MutationError";
}

const sameFields = (
  left: ReadonlyMap<string, CelValue>,
  right: ReadonlyMap<string, CelValue>,
): boolean =>
  left.size === right.size &&
  [...left].every(([name, value]) => {
    const other = right.get(name);
    return other !== undefined && equalValues(value, other) === true;
  });

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
    return sameFields(this.#fields, other.#fields);
  }

  toString(): string {
    return `${this.type.name}{}`;
  }

  /** @throws MutationError when a value in it has no form in JSON */
  toJson(): JsonObject {
    const json: JsonObject = {};
    for (const [name, value] of this.#fields) setField(json, name, jsonOf(value));
    return json;
  }

  /** @throws MutationError when the names of types in it do not follow their place */
  checkNames(): void {
    const wrong = misnamed(this, this.type.name);
    if (wrong.length > 0) throw new MutationError(`type mismatch: ${wrong.join("\n")}`);
  }

  *entries(): Generator<readonly [string, CelValue]> {
    yield* this.#fields;
  }
}

function misnamed(value: CelValue | CelError, place: string): string[] {
  if (value instanceof ObjectLiteral) {
    const { name } = value.type;
    const below = [...value.entries()].flatMap(([field, one]) =>
      misnamed(one, `${place}.${field}`),
    );
    if (name === place) return below;
    return [
      `unexpected type name ${JSON.stringify(name)}, expected ${JSON.stringify(place)}, which matches field name path from root Object type`,
      ...below,
    ];
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
    return other instanceof PatchLiteral && sameFields(this.#fields, other.#fields);
  }

  toString(): string {
    return "JSONPatch{}";
  }
}

const GO_TYPES: Readonly<Record<string, string>> = {
  bigint: "int64",
  number: "float64",
  boolean: "bool",
};
const TEXT_FIELDS = new Set(["op", "path", "from"]);

const patchType: MessageType = {
  type: PATCH,
  field: (name) => (TEXT_FIELDS.has(name) ? STRING : name === "value" ? DYN : NOTHING),
  make(fields) {
    for (const [name, value] of fields) {
      if (!TEXT_FIELDS.has(name) || typeof value === "string") continue;
      const type =
        value === null ? "structpb.NullValue" : (GO_TYPES[typeof value] ?? "map[ref.Val]ref.Val");
      return new CelError(`unexpected type ${type} for JSONPatchType '${name}' field`);
    }
    return new PatchLiteral(fields);
  },
};

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

/** The JSON of a value. @throws MutationError when it has none */
export function jsonOf(value: CelValue | CelError): unknown {
  if (value instanceof CelError) throw new MutationError(value.message);
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
    throw new MutationError(`unsupported conversion of ${value.type.name} to JSON`);
  }
  return value;
}

function mapJson(map: CelMap): JsonObject {
  const json: JsonObject = {};
  for (const key of map.keys()) {
    if (typeof key !== "string") {
      throw new MutationError(`map key ${JSON.stringify(formatValue(key))} is not a string`);
    }
    setField(json, key, jsonOf(map.find(key) ?? null));
  }
  return json;
}
