/** A custom resource with every kind of list and map, and what managers want of its objects. */
import type { Random } from "../../../test/support/random.ts";
import type { Json } from "./scenario.ts";
import { type Value, listMap, mapOf, number, rarelyNull, setOf, struct, text } from "./values.ts";

/** A possible action on one object: by whom, by which verb, through which subresource. */
export interface Target {
  readonly collection: (random: Random) => { path: string; apiVersion: string };
  readonly kind: string;
  readonly name: string;
  /** A configuration of some fields of the object, or one that would be complete for a create. */
  readonly part: (random: Random, whole: boolean) => Json;
  readonly status?: (random: Random) => Json;
}

const anything: Value = (random) =>
  random.pick<Value>([
    text,
    number,
    () => null,
    () => [1, "a"],
    mapOf(text),
    struct({ a: number, b: mapOf(text), c: () => [{ name: "n" }] }),
  ])(random);

const portKeys = [
  { name: "http" },
  { name: "http", protocol: "UDP" },
  { name: "https", protocol: "TCP" },
  { name: "dns", protocol: "UDP" },
];

const specFields: Record<string, Value> = {
  text: rarelyNull(text),
  count: rarelyNull(number),
  either: (random) => random.pick<unknown>([1, "1", "50%", 2]),
  maybe: (random) => random.pick<unknown>([null, "a", "b"]),
  box: rarelyNull(struct({ width: number, height: number, deep: struct({ x: number, y: text }) })),
  frozen: rarelyNull(struct({ width: number, deep: mapOf(text) })),
  tags: rarelyNull(setOf(["a", "b", "c"])),
  numbers: setOf([1, 2, 3]),
  ports: rarelyNull(
    listMap(portKeys, {
      port: number,
      options: struct({ a: text, b: text }),
      tags: setOf(["a", "b"]),
      inner: listMap([{ id: 1 }, { id: 2 }], { value: text }),
    }),
  ),
  line: rarelyNull(setOf(["a", "b", "c"])),
  lineOfStructs: (random) => random.some([{ a: 1 }, { a: 2, b: "x" }]),
  labels: rarelyNull(mapOf(text)),
  frozenLabels: mapOf(text),
  structs: mapOf(struct({ a: number, b: text })),
  free: anything,
  freeBox: struct({ known: number, other: anything, more: mapOf(anything) }),
  embedded: (random) => ({
    apiVersion: "v1",
    kind: "Thing",
    metadata: { name: "e", labels: mapOf(text)(random) },
    ...struct({ spec: struct({ a: number, b: text }) })(random),
  }),
};

const statusFields: Record<string, Value> = {
  phase: text,
  conditions: listMap([{ type: "Ready" }, { type: "Live" }], { status: text, reason: text }),
};

const object = (properties: Json, more: Json = {}): Json => ({
  type: "object",
  properties,
  ...more,
});
const STRING = { type: "string" };
const INTEGER = { type: "integer" };

/** The schema, with defaults and atomic parts at random. */
export function widgetSchema(random: Random): Json {
  const inner = {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["id"],
    items: object({ id: INTEGER, value: STRING }, { required: ["id"] }),
  };
  const spec = {
    text: random.chance(0.3) ? { type: "string", default: "d" } : STRING,
    count: INTEGER,
    either: { "x-kubernetes-int-or-string": true },
    maybe: { type: "string", nullable: true },
    box: object({
      width: INTEGER,
      height: random.chance(0.3) ? { type: "integer", default: 7 } : INTEGER,
      deep: object({ x: INTEGER, y: STRING }),
    }),
    frozen: object(
      { width: INTEGER, deep: { type: "object", additionalProperties: STRING } },
      { "x-kubernetes-map-type": "atomic" },
    ),
    tags: { type: "array", "x-kubernetes-list-type": "set", items: STRING },
    numbers: { type: "array", "x-kubernetes-list-type": "set", items: INTEGER },
    ports: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name", "protocol"],
      items: object(
        {
          name: STRING,
          protocol: { type: "string", default: "TCP" },
          port: INTEGER,
          options: object(
            { a: STRING, b: STRING },
            random.chance(0.3) ? { "x-kubernetes-map-type": "atomic" } : {},
          ),
          tags: { type: "array", "x-kubernetes-list-type": "set", items: STRING },
          inner,
        },
        { required: ["name"] },
      ),
    },
    line: { type: "array", items: STRING },
    lineOfStructs: {
      type: "array",
      "x-kubernetes-list-type": "atomic",
      items: object({ a: INTEGER, b: STRING }),
    },
    labels: { type: "object", additionalProperties: STRING },
    frozenLabels: {
      type: "object",
      additionalProperties: STRING,
      "x-kubernetes-map-type": "atomic",
    },
    structs: { type: "object", additionalProperties: object({ a: INTEGER, b: STRING }) },
    free: { "x-kubernetes-preserve-unknown-fields": true },
    freeBox: object({ known: INTEGER }, { "x-kubernetes-preserve-unknown-fields": true }),
    embedded: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-preserve-unknown-fields": true,
    },
  };
  const status = object({
    phase: STRING,
    conditions: {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["type"],
      items: object({ type: STRING, status: STRING, reason: STRING }, { required: ["type"] }),
    },
  });
  return object({ spec: object(spec), status });
}

/** An object that is written in any of these versions. */
export function widget(versions: readonly string[]): Target {
  return {
    kind: "Widget",
    name: "w",
    collection: (choice) => {
      const version = choice.pick(versions);
      return {
        path: `/apis/\${group}/${version}/namespaces/\${ns}/widgets`,
        apiVersion: `\${group}/${version}`,
      };
    },
    part: (choice) => ({ spec: struct(specFields, [], choice.pick([0.15, 0.3]))(choice) }),
    status: struct(statusFields, [], 0.7),
  };
}
