/**
 * Single changes of an object, made by the schema of its kind: what is there is removed, emptied, repeated, given
 * another value; what is not there is added, with values that are right, wrong, or taken from another object.
 */
import {
  type Definition,
  REFERENCE_PREFIX,
  findDefinition,
  findDefinitionName,
} from "../../../../src/controlplane/builtin/definitions.ts";
import type { SentObject } from "../../../../src/kube/object.ts";

/** One change. */
export interface Mutation {
  readonly path: readonly (string | number)[];
  /** What stands there afterwards; `undefined` removes it. */
  readonly value: unknown;
}

/** Values that stand in some object, by the name of their definition or by definition and field. */
export type Donors = ReadonlyMap<string, readonly unknown[]>;

const LONG = "x".repeat(300);
const TEXTS = [
  "",
  "Bogus",
  "a b/c!",
  LONG,
  "good",
  "..",
  "a.b/c_D",
  "1.2.3.4",
  "-x-",
  "Ünï",
  "a\nb",
];
const MISSING_TEXTS = ["Bogus", "", "a b/c!", "good"];
const NUMBERS = [-1, 0, 1, 101, 65_536, 2_147_483_647];
const BYTES = ["", "YQ==", "!!"];
const TIMES = ["2023-01-01T00:00:00Z", "bad", "2024-01-01T01:00:00.123456+01:00"];
const QUANTITIES: readonly unknown[] = ["-1", "abc", "0", "1.5", "3Gi", "1m", 7, "", "0.1n"];
const INT_OR_STRING: readonly unknown[] = [-1, 0, 70_000, "150%", "50%", "abc", "", "Bad_x", "0%"];

type Kind =
  | "quantity"
  | "int-or-string"
  | "time"
  | "any"
  | "map"
  | "struct"
  | "list"
  | "text"
  | "bytes"
  | "number"
  | "boolean";

interface Resolved {
  readonly kind: Kind;
  readonly definition: Definition;
  /** The name in the table, where it has one. */
  readonly name?: string;
}

const SPECIAL: readonly (readonly [ending: RegExp, kind: Kind])[] = [
  [/\.Quantity$/, "quantity"],
  [/\.IntOrString$/, "int-or-string"],
  [/\.(Micro)?Time$/, "time"],
  [/\.(RawExtension|FieldsV1|JSON|JSONSchemaPropsOr\w+)$/, "any"],
];

function resolve(node: Definition | undefined): Resolved {
  if (!node) return { kind: "any", definition: {} };
  const reference = node.$ref ?? node.allOf?.[0]?.$ref;
  if (reference === undefined) return { kind: kindOf(node), definition: node };
  const name = reference.slice(REFERENCE_PREFIX.length);
  const special = SPECIAL.find(([ending]) => ending.test(name))?.[1];
  const definition = findDefinition(name) ?? {};
  return { kind: special ?? kindOf(definition), definition, name };
}

function kindOf(node: Definition): Kind {
  if (node.type === "array") return "list";
  if (node.additionalProperties) return "map";
  if (node.properties) return "struct";
  if (node.type === "integer" || node.type === "number") return "number";
  if (node.type === "boolean") return "boolean";
  if (node.type === "string") return node.format === "byte" ? "bytes" : "text";
  return "any";
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function rootOf({ apiVersion, kind }: SentObject): Resolved {
  const [group = "", version = ""] = apiVersion.includes("/")
    ? apiVersion.split("/")
    : ["", apiVersion];
  const name = findDefinitionName({ group, version, kind });
  if (name === undefined) throw new Error(`${apiVersion} ${kind} is not built in`);
  return { kind: "struct", definition: findDefinition(name) ?? {}, name };
}

/** Collects what stands in `objects`, for use elsewhere. */
export function donorsOf(objects: readonly SentObject[]): Donors {
  const donors = new Map<string, unknown[]>();
  const seen = new Set<string>();
  const add = (key: string, value: unknown): void => {
    const text = `${key} ${JSON.stringify(value)}`;
    if (seen.has(text)) return;
    seen.add(text);
    donors.set(key, [...(donors.get(key) ?? []), value]);
  };
  const walk = (value: unknown, at: Resolved): void => {
    if (at.kind === "list" && Array.isArray(value)) {
      for (const item of value) walk(item, resolve(at.definition.items));
    } else if (at.kind === "map" && isMap(value)) {
      for (const item of Object.values(value))
        walk(item, resolve(at.definition.additionalProperties));
    } else if (at.kind === "struct" && isMap(value)) {
      if (at.name !== undefined) add(at.name, value);
      for (const [field, item] of Object.entries(value)) {
        const node = at.definition.properties?.[field];
        if (!node) continue;
        if (at.name !== undefined) add(`${at.name}.${field}`, item);
        walk(item, resolve(node));
      }
    }
  };
  for (const object of objects) walk(object, rootOf(object));
  return donors;
}

/** Every change of one place of `object`, or of its status. */
export function mutationsOf(
  object: SentObject,
  part: "object" | "status",
  donors: Donors,
): Mutation[] {
  const root = rootOf(object);
  if (part === "object") return [...inStruct(object, root, [], donors)];
  const node = root.definition.properties?.["status"];
  const { status } = object as SentObject & { status?: unknown };
  return [...inValue(status, resolve(node), ["status"], donors)];
}

type Path = readonly (string | number)[];

function* inValue(value: unknown, at: Resolved, path: Path, donors: Donors): Generator<Mutation> {
  const change = (to: unknown): Mutation => ({ path, value: to });
  yield change(undefined);
  yield change(null);
  switch (at.kind) {
    case "struct":
      yield change({});
      yield change("x");
      if (isMap(value)) yield* inStruct(value, at, path, donors);
      return;
    case "map":
      yield change({});
      yield change([]);
      if (isMap(value)) yield* inMap(value, at, path, donors);
      return;
    case "list":
      yield change([]);
      yield change({});
      if (Array.isArray(value)) yield* inList(value, at, path, donors);
      return;
    default:
      for (const other of scalars(at, value)) yield change(other);
  }
}

function scalars({ kind }: Resolved, value: unknown): readonly unknown[] {
  switch (kind) {
    case "quantity":
      return QUANTITIES;
    case "int-or-string":
      return INT_OR_STRING;
    case "time":
      return TIMES;
    case "bytes":
      return BYTES;
    case "number":
      return [...NUMBERS, typeof value === "number" ? value + 1 : 2, "x", 1.5, 3_000_000_000];
    case "boolean":
      return [value !== true, "x"];
    case "text":
      return [...TEXTS, 5, {}];
    default:
      return [{}, { x: 1 }, "x"];
  }
}

function* inList(
  value: readonly unknown[],
  at: Resolved,
  path: Path,
  donors: Donors,
): Generator<Mutation> {
  const item = resolve(at.definition.items);
  if (value.length > 0) yield { path, value: [...value, structuredClone(value[0])] };
  if (value.length > 1) yield { path, value: value.toReversed() };
  yield { path, value: [...value, sample(item)] };
  yield { path, value: [...value, null] };
  for (const donor of (donors.get(item.name ?? "") ?? []).slice(0, 8)) {
    yield { path, value: [...value, donor] };
  }
  for (const [index, one] of value.entries()) yield* inValue(one, item, [...path, index], donors);
}

function* inMap(
  value: Record<string, unknown>,
  at: Resolved,
  path: Path,
  donors: Donors,
): Generator<Mutation> {
  const item = resolve(at.definition.additionalProperties);
  for (const key of ["Bad Key!", "a/b/c", "newkey", "foo.com/new-key", "", LONG]) {
    yield { path: [...path, key], value: sample(item) };
  }
  if (item.kind === "quantity") {
    for (const [key, amount] of [
      ["hugepages-2Mi", "2Mi"],
      ["foo.com/new-key", "500m"],
      ["storage", "1Gi"],
      ["pods", "5"],
      ["cpu", "1"],
      ["requests.cpu", "1"],
    ] as const) {
      yield { path: [...path, key], value: amount };
    }
  }
  for (const [key, one] of Object.entries(value)) yield* inValue(one, item, [...path, key], donors);
}

/** What a server keeps for itself; that a client may not change it is shown elsewhere. */
const OWN_METADATA = new Set([
  "name",
  "namespace",
  "managedFields",
  "resourceVersion",
  "uid",
  "creationTimestamp",
  "selfLink",
]);

function* inStruct(value: object, at: Resolved, path: Path, donors: Donors): Generator<Mutation> {
  const fields = value as Record<string, unknown>;
  const isRoot = path.length === 0;
  const isMetadata = path.length === 1 && path[0] === "metadata";
  for (const [field, node] of Object.entries(at.definition.properties ?? {})) {
    if (isRoot && ["apiVersion", "kind", "status"].includes(field)) continue;
    if (isMetadata && OWN_METADATA.has(field)) continue;
    const here = [...path, field];
    const child = resolve(node);
    if (isRoot && field === "metadata") {
      yield* inStruct(fields[field] as object, child, here, donors);
      continue;
    }
    if (fields[field] !== undefined) yield* inValue(fields[field], child, here, donors);
    else for (const other of missing(child)) yield { path: here, value: other };
    const from = donors.get(`${at.name ?? ""}.${field}`) ?? [];
    for (const donor of from.slice(0, 12)) yield { path: here, value: donor };
  }
  if (!isRoot) yield { path: [...path, "unknownField"], value: "x" };
}

/** Values for a field that is not there. */
function missing(at: Resolved): readonly unknown[] {
  switch (at.kind) {
    case "quantity":
      return ["1", "-1"];
    case "int-or-string":
      return [1, "abc"];
    case "time":
      return ["2023-01-01T00:00:00Z", null];
    case "bytes":
      return ["", "YQ=="];
    case "number":
      return [-1, 0, 1];
    case "boolean":
      return [true, false];
    case "text":
      return MISSING_TEXTS;
    case "list": {
      const item = resolve(at.definition.items);
      return [[], [sample(item), sample(item)]];
    }
    case "map": {
      const item = resolve(at.definition.additionalProperties);
      return [{}, { "Bad Key!": sample(item) }, { good: sample(item) }];
    }
    case "struct":
      return [{}, sample(at), null];
    default:
      return [{}];
  }
}

/** Something of the right type, with the scalars of a struct filled in. */
function sample(at: Resolved): unknown {
  switch (at.kind) {
    case "quantity":
      return "1";
    case "time":
      return "2023-01-01T00:00:00Z";
    case "bytes":
      return "YQ==";
    case "number":
    case "int-or-string":
      return 1;
    case "boolean":
      return true;
    case "text":
      return "good";
    case "list":
      return [];
    case "struct":
      return Object.fromEntries(
        Object.entries(at.definition.properties ?? {})
          .map(([field, node]) => [field, resolve(node)] as const)
          .filter(([, { kind }]) => ["text", "number", "boolean", "bytes"].includes(kind))
          .map(([field, child]) => [field, sample(child)]),
      );
    default:
      return {};
  }
}

/** A copy of `object` with the changes made; those that no longer find their place are left out. */
export function mutate<T extends object>(object: T, mutations: readonly Mutation[]): T {
  const copy = structuredClone(object);
  for (const { path, value } of mutations) {
    let parent: unknown = copy;
    for (const step of path.slice(0, -1))
      parent = (parent as Record<string | number, unknown> | undefined)?.[step];
    const last = path.at(-1);
    if (typeof parent !== "object" || parent === null || last === undefined) continue;
    if (value !== undefined)
      (parent as Record<string | number, unknown>)[last] = structuredClone(value);
    else if (Array.isArray(parent)) parent.splice(Number(last), 1);
    else Reflect.deleteProperty(parent, last);
  }
  return copy;
}
