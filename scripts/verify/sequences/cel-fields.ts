/** The fields that rules speak of, and values for them. */
import type { Json } from "./scenario.ts";

/** The schema of each field. */
export const SPEC_FIELDS: Readonly<Record<string, Json>> = {
  s: { type: "string", maxLength: 20 },
  t: { type: "string" },
  i: { type: "integer" },
  j: { type: "integer", format: "int32" },
  n: { type: "number" },
  b: { type: "boolean" },
  l: { type: "array", maxItems: 5, items: { type: "string", maxLength: 10 } },
  li: { type: "array", maxItems: 5, items: { type: "integer" } },
  set: {
    type: "array",
    maxItems: 5,
    "x-kubernetes-list-type": "set",
    items: { type: "string", maxLength: 5 },
  },
  m: { type: "object", maxProperties: 5, additionalProperties: { type: "string", maxLength: 10 } },
  o: {
    type: "object",
    properties: { a: { type: "integer" }, s: { type: "string", maxLength: 10 } },
  },
  lo: {
    type: "array",
    maxItems: 5,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
    items: {
      type: "object",
      required: ["k"],
      properties: { k: { type: "string", maxLength: 5 }, v: { type: "integer" } },
    },
  },
  d: { type: "string", format: "date-time" },
  du: { type: "string", format: "duration" },
  ios: { "x-kubernetes-int-or-string": true },
  free: {
    type: "object",
    "x-kubernetes-preserve-unknown-fields": true,
    properties: { a: { type: "integer" } },
  },
  nul: { type: "string", nullable: true },
};

/** Values of each field. */
export const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  s: ["a", "b", "", "ab c", "10.0.0.1", "1Gi", "1.2.3", "true", "5"],
  t: ["a", "A1", "ä€😀", "12", "2026-01-01T00:00:00Z", "1h"],
  i: [0, 1, -1, 5, 9007199254740991],
  j: [0, 2, 7],
  n: [0, 1.5, -2.5, 3],
  b: [true, false],
  l: [[], ["a"], ["b", "a"], ["a", "b", "c"]],
  li: [[], [1], [3, 1, 2], [1, 2]],
  set: [
    ["a", "b"],
    ["b", "a"],
  ],
  m: [{}, { a: "b" }, { a: "a", b: "x" }],
  o: [{}, { a: 1 }, { a: 2, s: "a" }],
  lo: [[], [{ k: "a", v: 1 }], [{ k: "a" }, { k: "b", v: 3 }]],
  d: ["2026-01-02T03:04:05Z", "2025-12-31T23:59:59.5Z"],
  du: ["1h", "90s", "1h30m5s"],
  ios: [1, "1", "a"],
  free: [{ a: 1 }, { a: 1, x: "y" }, {}],
  nul: [null, "a", ""],
};
