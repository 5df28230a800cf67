/**
 * Random values that a structural schema allows, with a preference for rare ones: empty and odd
 * texts, limits, absent fields. Most values are valid; the caller checks each.
 */
import { setField } from "../kube/json.ts";
import type { JsonObject } from "../kube/object.ts";
import { type Schema, valuesOf } from "../kube/schema/structural.ts";
import type { Random } from "./random.ts";
import { textOfPattern } from "./random-text.ts";
import { tableOf } from "../table.ts";

const TEXTS = [
  "",
  "a",
  "b",
  "blue",
  "x y",
  "ä日👍",
  "__proto__",
  "10Gi",
  "1.2.3",
  '"',
  "-",
  "0",
] as const;
const MAP_KEYS = [
  "a",
  "b",
  "app",
  "example.com/name",
  "__proto__",
  "constructor",
  "0",
  "name",
] as const;
const FORMATS = tableOf<readonly [string, ...string[]]>({
  "date-time": ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.678901Z", "1999-12-31T23:59:59+02:00"],
  date: ["2026-01-02", "2024-02-29"],
  duration: ["1h", "1h30m", "0s", "90s"],
  ipv4: ["10.0.0.1", "255.255.255.255"],
  ipv6: ["::1", "2001:db8::1"],
  cidr: ["10.0.0.0/8", "2001:db8::/32"],
  mac: ["00:11:22:33:44:55"],
  uuid: ["123e4567-e89b-42d3-a456-426614174000"],
  uuid4: ["123e4567-e89b-42d3-a456-426614174000"],
  byte: ["aGVsbG8=", "AA=="],
  hostname: ["a", "shop.example.com"],
  email: ["me@example.com"],
  uri: ["https://example.com/a?b=c"],
});
/** Deeper optional fields are left out: a recursive schema has no end. */
const MAX_DEPTH = 8;
const MAX_ITEMS = 4;
const INT32_MAX = 2 ** 31 - 1;

export function randomValue(schema: Schema, random: Random, depth = 0): unknown {
  if (schema.nullable && random.chance(0.1)) return null;
  if (schema.enum) return random.pick(schema.enum);
  if (schema.default !== undefined && random.chance(0.2)) return schema.default;
  if (schema["x-kubernetes-int-or-string"]) {
    return random.chance(0.5) ? random.between(0, 70_000) : random.pick(["50%", "http", "0"]);
  }
  switch (schema.type) {
    case "object":
      return randomObject(schema, random, depth);
    case "array":
      return randomList(schema, random, depth);
    case "string":
      return randomString(schema, random);
    case "integer":
    case "number":
      return randomNumber(schema, random);
    case "boolean":
      return random.chance(0.5);
    default:
      return randomJson(random, depth);
  }
}

function randomObject(schema: Schema, random: Random, depth: number): JsonObject {
  const object: JsonObject = {};
  if (schema["x-kubernetes-embedded-resource"]) {
    Object.assign(object, { apiVersion: "v1", kind: "Thing", metadata: { name: "thing" } });
  }
  const required = new Set([...(schema.required ?? []), ...requiredByBranch(schema, random)]);
  const share = depth > MAX_DEPTH ? 0 : random.pick([0, 0.3, 0.6, 0.9, 1]);
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    if (Object.hasOwn(object, name)) continue;
    if (required.has(name) || random.chance(share)) {
      setField(object, name, randomValue(property, random, depth + 1));
    }
  }
  const values = valuesOf(schema);
  const isFree = schema["x-kubernetes-preserve-unknown-fields"] === true;
  if (!values && !isFree) return object;
  const { minProperties = 0, maxProperties = Math.max(minProperties, 3) } = schema;
  const count = depth > MAX_DEPTH ? minProperties : random.between(minProperties, maxProperties);
  for (let added = 0; added < Math.min(count, minProperties + MAX_ITEMS); added++) {
    const key = added < minProperties ? `${random.pick(MAP_KEYS)}${added}` : random.pick(MAP_KEYS);
    if (Object.hasOwn(schema.properties ?? {}, key)) continue;
    const value = values ? randomValue(values, random, depth + 1) : randomJson(random, depth + 1);
    setField(object, key, value);
  }
  return object;
}

function requiredByBranch({ oneOf, anyOf }: Schema, random: Random): readonly string[] {
  return [oneOf, anyOf].flatMap((branches) => random.pick(branches ?? [])?.required ?? []);
}

function randomList(schema: Schema, random: Random, depth: number): unknown[] {
  const { items, minItems = 0, maxItems = minItems + MAX_ITEMS } = schema;
  const most = depth > MAX_DEPTH ? minItems : Math.min(maxItems, minItems + MAX_ITEMS);
  const count = random.between(minItems, most);
  const list = Array.from({ length: count }, () =>
    items ? randomValue(items, random, depth + 1) : randomJson(random, depth + 1),
  );
  const type = schema["x-kubernetes-list-type"];
  if (type !== "set" && type !== "map") return list;
  const keys = schema["x-kubernetes-list-map-keys"] ?? [];
  const seen = new Set<string>();
  return list.filter((item) => {
    const key = JSON.stringify(
      type === "set"
        ? item
        : keys.map(
            (name) => (item as JsonObject)[name] ?? items?.properties?.[name]?.default ?? null,
          ),
      (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value),
    );
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}

function randomString(schema: Schema, random: Random): string {
  const { format = "", pattern, minLength = 0, maxLength = Infinity } = schema;
  const known = FORMATS.get(format);
  if (known) return random.pick(known);
  const text = pattern === undefined ? undefined : textOfPattern(pattern, random);
  const chosen = text ?? random.pick(TEXTS);
  if (pattern !== undefined) return chosen;
  return Array.from(chosen.padEnd(minLength, "x")).slice(0, maxLength).join("");
}

function randomNumber(schema: Schema, random: Random): number | bigint {
  const { type, format, multipleOf } = schema;
  const isWhole = type === "integer";
  const limit = format === "int32" ? INT32_MAX : Number.MAX_SAFE_INTEGER;
  const step = isWhole ? 1 : Number.EPSILON;
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const low = minimum === undefined ? undefined : minimum + (exclusiveMinimum ? step : 0);
  const high = maximum === undefined ? undefined : maximum - (exclusiveMaximum ? step : 0);
  const isOpen = low === undefined && high === undefined && multipleOf === undefined;
  if (isWhole && isOpen && format !== "int32" && random.chance(0.1)) {
    return random.pick([9007199254740993n, -9007199254740993n, 2n ** 63n - 1n]);
  }
  const spread = random.pick([10, 1000, INT32_MAX]);
  const from = low ?? Math.max(-limit, (high ?? 0) - spread);
  const to = high ?? Math.min(limit, Math.max(from, 0) + spread);
  const value = random.chance(0.3)
    ? random.pick([from, to])
    : isWhole
      ? random.between(Math.ceil(from), Math.floor(to))
      : from + random.between(0, 16) * ((to - from) / 16);
  return multipleOf === undefined ? value : Math.ceil(value / multipleOf) * multipleOf;
}

function randomJson(random: Random, depth: number): unknown {
  const kind = random.between(0, depth > MAX_DEPTH ? 3 : 5);
  if (kind === 0) return random.between(-5, 1000);
  if (kind === 1) return random.chance(0.5);
  if (kind < 4) return random.pick(TEXTS);
  if (kind === 4)
    return Array.from({ length: random.between(0, 3) }, () => randomJson(random, depth + 2));
  const object: JsonObject = {};
  for (let count = random.between(0, 3); count > 0; count--) {
    setField(object, random.pick(MAP_KEYS), randomJson(random, depth + 2));
  }
  return object;
}
