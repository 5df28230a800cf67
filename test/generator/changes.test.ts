import { describe, expect, it } from "vitest";
import { compareCrds, type CrdState } from "../../src/generator/changes/compare-crds.ts";
import type { VersionDefinition } from "../../src/generator/import/definition.ts";
import type { Schema } from "../../src/kube/schema/structural.ts";

function crd(
  field: Schema | undefined,
  more: {
    readonly required?: string[];
    readonly version?: Partial<VersionDefinition>;
    readonly spec?: Partial<CrdState["spec"]>;
    readonly storedVersions?: string[];
  } = {},
): CrdState {
  const spec: Schema = {
    type: "object",
    properties: { other: { type: "string" }, ...(field ? { field } : {}) },
    required: more.required ?? [],
  };
  return {
    metadata: { name: "zones.dns.example.com" },
    spec: {
      group: "dns.example.com",
      scope: "Namespaced",
      names: { kind: "Zone", plural: "zones", shortNames: ["zo"] },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
          ...more.version,
        },
      ],
      ...more.spec,
    },
    ...(more.storedVersions ? { status: { storedVersions: more.storedVersions } } : {}),
  };
}

const text: Schema = { type: "string" };
const number: Schema = { type: "integer" };
const list: Schema = { type: "array", items: { type: "string" } };
const rule = (expression: string): Schema => ({
  ...text,
  "x-kubernetes-validations": [{ rule: expression }],
});

/** A version with these parts. */
const withVersion = (version: Partial<VersionDefinition>): CrdState => crd(text, { version });
const named = (names: object): CrdState =>
  crd(text, { spec: { names: { kind: "Zone", plural: "zones", shortNames: ["zo"], ...names } } });
const scaled = (replicas: string): CrdState =>
  withVersion({
    subresources: {
      status: {},
      scale: { specReplicasPath: replicas, statusReplicasPath: ".status.replicas" },
    },
  });
const open: Schema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
const inside = (...names: string[]): Schema => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, text])),
});
const record = (values: Schema): Schema => ({ type: "object", additionalProperties: values });

/** A union whose `type` says which other field there is. */
const variants = (...names: string[]): Schema => ({
  type: "object",
  properties: {
    type: { type: "string", enum: names },
    ...Object.fromEntries(names.map((name) => [name, text])),
  },
  required: ["type"],
  "x-kubernetes-validations": names.map((name) => ({
    rule: `self.type != '${name}' || (${[
      `has(self.${name})`,
      ...names.filter((other) => other !== name).map((other) => `!has(self.${other})`),
    ].join(" && ")})`,
  })),
});

const CASES: readonly (readonly [string, CrdState, CrdState, string])[] = [
  ["a field that is gone", crd(text), crd(undefined), "breaking: the field was removed"],
  ["a field that is new", crd(undefined), crd(text), "safe: the field is new"],
  [
    "a new field that is required",
    crd(undefined),
    crd(text, { required: ["field"] }),
    "breaking: the field is required now",
  ],
  [
    "a field that became required and has a default",
    crd(text),
    crd({ ...text, default: "a" }, { required: ["field"] }),
    "safe: the field is required now, and has a default",
  ],
  [
    "a field that is no longer required",
    crd(text, { required: ["field"] }),
    crd(text),
    "safe: the field is no longer required",
  ],
  ["another type", crd(text), crd(number), "breaking: the type was string and is integer"],
  [
    "a type that takes more",
    crd(number),
    crd({ "x-kubernetes-int-or-string": true }),
    "risky: numbers and strings are both valid now; clients that expect numbers may read the other",
  ],
  [
    "a lower maximum",
    crd({ ...number, maximum: 9 }),
    crd({ ...number, maximum: 5 }),
    "breaking: maximum was 9 and is 5",
  ],
  [
    "a higher maximum",
    crd({ ...number, maximum: 5 }),
    crd({ ...number, maximum: 9 }),
    "safe: maximum was 5 and is 9",
  ],
  [
    "a new minimum of 0",
    crd(number),
    crd({ ...number, minimum: 0 }),
    "breaking: minimum was not set and is 0",
  ],
  [
    "another pattern",
    crd({ ...text, pattern: "^a" }),
    crd({ ...text, pattern: "^b" }),
    "breaking: the pattern was ^a and is ^b",
  ],
  [
    "an enum value that is gone",
    crd({ ...text, enum: ["a", "b"] }),
    crd({ ...text, enum: ["a"] }),
    'breaking: "b" is no longer taken',
  ],
  [
    "an enum value more",
    crd({ ...text, enum: ["a"] }),
    crd({ ...text, enum: ["a", "b"] }),
    'safe: "b" is taken as well',
  ],
  [
    "another default",
    crd({ ...text, default: "a" }),
    crd({ ...text, default: "b" }),
    'risky: the default was "a" and is "b"',
  ],
  [
    "null that is no longer taken",
    crd({ ...text, nullable: true }),
    crd(text),
    "breaking: null is no longer taken",
  ],
  [
    "a list that became a set",
    crd(list),
    crd({ ...list, "x-kubernetes-list-type": "set" }),
    "breaking: the list was atomic and is set",
  ],
  ["a new rule", crd(text), crd(rule("self != ''")), "breaking: there is a new rule: self != ''"],
  [
    "a new rule on changes",
    crd(text),
    crd(rule("self == oldSelf")),
    "risky: there is a new rule: self == oldSelf",
  ],
  ["a rule that is gone", crd(rule("self != ''")), crd(text), "safe: the rule"],
  [
    "a new union",
    crd(text),
    crd({ ...text, oneOf: [{ minLength: 1 }] }),
    "breaking: oneOf is another one now",
  ],
  [
    "another scope",
    crd(text),
    crd(text, { spec: { scope: "Cluster" } }),
    "breaking: the scope was Namespaced",
  ],
  [
    "a short name that is gone",
    crd(text),
    crd(text, { spec: { names: { kind: "Zone", plural: "zones" } } }),
    "risky: zo is gone",
  ],
  [
    "a version that is gone",
    crd(text),
    crd(text, { version: { name: "v2" } }),
    "breaking: the version is gone",
  ],
  [
    "a version that is not served",
    crd(text),
    crd(text, { version: { served: false } }),
    "breaking: the version is no longer served",
  ],
  [
    "a version in which objects are stored",
    crd(text, { version: { served: false }, storedVersions: ["v1"] }),
    crd(text, { version: { name: "v2" } }),
    "breaking: v1 is gone, in which objects are stored",
  ],
  [
    "a default where there was none",
    crd(text),
    crd({ ...text, default: "a" }),
    'risky: there was no default and it is "a"',
  ],
  [
    "a default that is gone",
    crd({ ...text, default: "a" }),
    crd(text),
    'risky: the default was "a" and there is none now',
  ],
  [
    "a required field without its default",
    crd({ ...text, default: "a" }, { required: ["field"] }),
    crd(text, { required: ["field"] }),
    "breaking: the field is required and no longer has a default",
  ],
  [
    "a required name without a schema",
    crd(text),
    crd(text, { required: ["elsewhere"] }),
    "breaking: the field is required now",
  ],
  [
    "a whole number that may have a fraction",
    crd(number),
    crd({ type: "number" }),
    "risky: the type was integer",
  ],
  [
    "a number that has to be whole",
    crd({ type: "number" }),
    crd(number),
    "breaking: the type was number",
  ],
  [
    "a value of any type",
    crd(text),
    crd({ "x-kubernetes-preserve-unknown-fields": true }),
    "safe: any value is taken now",
  ],
  [
    "a value of any type no more",
    crd({ "x-kubernetes-preserve-unknown-fields": true }),
    crd(text),
    "breaking: the type was any",
  ],
  [
    "a new format",
    crd(text),
    crd({ ...text, format: "date-time" }),
    "breaking: the format was any and is date-time",
  ],
  [
    "a format that nobody checks",
    crd(text),
    crd({ ...text, format: "secret" }),
    "safe: the format was any",
  ],
  [
    "a wider format",
    crd({ ...number, format: "int32" }),
    crd({ ...number, format: "int64" }),
    "safe: the format was int32",
  ],
  [
    "a narrower format",
    crd({ ...number, format: "int64" }),
    crd({ ...number, format: "int32" }),
    "breaking: the format was int64",
  ],
  [
    "a bound that is gone",
    crd({ ...text, maxLength: 3 }),
    crd(text),
    "safe: maxLength was 3 and is not set",
  ],
  [
    "fewer items",
    crd({ ...list, maxItems: 9 }),
    crd({ ...list, maxItems: 3 }),
    "breaking: maxItems was 9 and is 3",
  ],
  [
    "more properties at least",
    crd(record(text)),
    crd({ ...record(text), minProperties: 1 }),
    "breaking: minProperties was not set and is 1",
  ],
  [
    "a limit that is excluded",
    crd({ ...number, minimum: 1 }),
    crd({ ...number, minimum: 1, exclusiveMinimum: true }),
    "breaking: exclusiveMinimum is true now",
  ],
  [
    "a coarser multiple",
    crd({ ...number, multipleOf: 2 }),
    crd({ ...number, multipleOf: 4 }),
    "breaking: multipleOf was 2 and is 4",
  ],
  [
    "a finer multiple",
    crd({ ...number, multipleOf: 4 }),
    crd({ ...number, multipleOf: 2 }),
    "safe: multipleOf was 4 and is 2",
  ],
  [
    "a pattern that is gone",
    crd({ ...text, pattern: "^a" }),
    crd(text),
    "safe: the pattern was ^a",
  ],
  [
    "an enumeration where there was none",
    crd(text),
    crd({ ...text, enum: ["a"] }),
    'breaking: only "a" are taken now',
  ],
  [
    "an enumeration that is gone",
    crd({ ...text, enum: ["a"] }),
    crd(text),
    "safe: any value is taken now",
  ],
  ["null that is taken", crd(text), crd({ ...text, nullable: true }), "safe: null is taken now"],
  [
    "a set that became a list",
    crd({ ...list, "x-kubernetes-list-type": "set" }),
    crd(list),
    "risky: the list was set and is atomic",
  ],
  [
    "other keys of a list",
    crd({
      type: "array",
      items: inside("a", "b"),
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["a"],
    }),
    crd({
      type: "array",
      items: inside("a", "b"),
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["b"],
    }),
    'breaking: the keys were ["a"] and are ["b"]',
  ],
  [
    "an object that is owned as a whole",
    crd(inside("a")),
    crd({ ...inside("a"), "x-kubernetes-map-type": "atomic" }),
    "risky: the object was granular and is atomic",
  ],
  [
    "unknown fields that are dropped",
    crd(open),
    crd({ type: "object" }),
    "breaking: unknown fields are dropped now",
  ],
  [
    "unknown fields that are kept",
    crd({ type: "object" }),
    crd(open),
    "safe: unknown fields are kept now",
  ],
  [
    "a field that was kept unchecked",
    crd(open),
    crd({ ...open, ...inside("a") }),
    "breaking: contents of the field that were kept without validation are now validated",
  ],
  [
    "a field that is no longer described",
    crd({ ...open, ...inside("a") }),
    crd(open),
    "risky: the field is no longer described; it is kept unchecked",
  ],
  [
    "a record that became an object",
    crd(record(text)),
    crd(inside("a")),
    "breaking: names that are not listed are dropped now",
  ],
  [
    "an object that became a record",
    crd(inside("a")),
    crd(record(text)),
    "risky: the field is now a value of the record",
  ],
  [
    "an object that became a record of others",
    crd(inside("a")),
    crd(record(number)),
    "breaking: the type was string and is integer",
  ],
  [
    "other values of a record",
    crd(record(text)),
    crd(record(number)),
    "breaking: the type was string and is integer",
  ],
  [
    "values that were kept unchecked",
    crd(open),
    crd(record(text)),
    "breaking: fields that were kept without validation are now validated",
  ],
  [
    "an embedded object",
    crd(open),
    crd({ ...open, "x-kubernetes-embedded-resource": true }),
    "breaking: the object must now be a complete Kubernetes object",
  ],
  [
    "an embedded object no more",
    crd({ ...open, "x-kubernetes-embedded-resource": true }),
    crd(open),
    "risky: the object need not be a whole Kubernetes object",
  ],
  [
    "a rule in other words",
    crd(rule("self != ''")),
    crd({ ...text, "x-kubernetes-validations": [{ rule: "self != ''", message: "no" }] }),
    "safe: the rule self != '' answers in other words",
  ],
  [
    "a rule that holds for new objects as well",
    crd(rule("self == oldSelf")),
    crd({
      ...text,
      "x-kubernetes-validations": [{ rule: "self == oldSelf", optionalOldSelf: true }],
    }),
    "breaking: the rule self == oldSelf holds for new values too now",
  ],
  [
    "a union that is gone",
    crd({ ...text, oneOf: [{ minLength: 1 }] }),
    crd(text),
    "safe: oneOf is another one now",
  ],
  ["another kind", crd(text), named({ kind: "Area" }), "breaking: the kind was Zone and is Area"],
  [
    "another singular",
    crd(text),
    named({ singular: "area" }),
    "risky: the singular was zone and is area",
  ],
  [
    "another list",
    crd(text),
    named({ listKind: "Zones" }),
    "risky: the listKind was ZoneList and is Zones",
  ],
  [
    "another category",
    crd(text),
    named({ categories: ["all"] }),
    "safe: all is new among its categories",
  ],
  [
    "a status that became a subresource",
    withVersion({ subresources: {} }),
    crd(text),
    "breaking: status is a subresource now",
  ],
  ["a new scale", crd(text), scaled(".spec.replicas"), "safe: scale is a subresource now"],
  [
    "a scale that is gone",
    scaled(".spec.replicas"),
    crd(text),
    "breaking: scale is no longer a subresource",
  ],
  [
    "a scale of another field",
    scaled(".spec.replicas"),
    scaled(".spec.count"),
    "risky: scale reads and writes other fields",
  ],
  [
    "a version that is served again",
    withVersion({ served: false }),
    crd(text),
    "safe: the version is served now",
  ],
  [
    "a deprecated version",
    crd(text),
    withVersion({ deprecated: true }),
    "safe: the version is deprecated",
  ],
  [
    "a selectable field more",
    crd(text),
    withVersion({ selectableFields: [{ jsonPath: ".spec.field" }] }),
    "safe: field selectors can use .spec.field",
  ],
  [
    "a selectable field less",
    withVersion({ selectableFields: [{ jsonPath: ".spec.field" }] }),
    crd(text),
    "breaking: field selectors can no longer use .spec.field",
  ],
  [
    "another column",
    crd(text),
    withVersion({
      additionalPrinterColumns: [{ name: "A", type: "string", jsonPath: ".spec.field" }],
    }),
    "safe: kubectl get shows other columns",
  ],
  [
    "another way of conversion",
    crd(text, { spec: { conversion: { strategy: "Webhook", webhook: { path: "/a" } } } }),
    crd(text, { spec: { conversion: { strategy: "Webhook", webhook: { path: "/b" } } } }),
    "risky: the conversion is done in another way",
  ],
  [
    "a conversion",
    crd(text),
    crd(text, { spec: { conversion: { strategy: "Webhook" } } }),
    "risky: the conversion was None and is Webhook",
  ],
  [
    "another stored version",
    crd(text),
    crd(text, {
      spec: {
        versions: ["v1", "v2"].map((name) => ({
          name,
          served: true,
          storage: name === "v2",
          subresources: { status: {} },
          schema: {},
        })),
      },
    }),
    "risky: objects were stored as v1 and are stored as v2",
  ],
  [
    "a limit in another spelling",
    crd({ ...number, minimum: 1 }),
    crd({ ...number, minimum: 0, exclusiveMinimum: true }),
    "safe: exclusiveMinimum is true now; every old value is still valid",
  ],
  [
    "a fraction between two limits",
    crd({ type: "number", minimum: 0, exclusiveMinimum: true }),
    crd({ type: "number", minimum: 0.1 }),
    "breaking: minimum was 0 and is 0.1; 0.05 was valid and is refused now",
  ],
  [
    "a pattern that takes more",
    crd({ ...text, pattern: "^-?[0-9]+(\\.[0-9]+)?Gi$" }),
    crd({ ...text, pattern: "^.*Gi$" }),
    "safe: the pattern was ^-?[0-9]+(\\.[0-9]+)?Gi$ and is ^.*Gi$; it takes every text that the old one took",
  ],
  [
    "a pattern that takes less",
    crd({ ...text, pattern: "^[a-z-]+$" }),
    crd({ ...text, pattern: "^[a-z]([a-z-]*[a-z])?$" }),
    'breaking: the pattern was ^[a-z-]+$ and is ^[a-z]([a-z-]*[a-z])?$; "-" was valid and is refused now',
  ],
  [
    "a number that becomes a number or a string",
    crd({ ...number, format: "int32" }),
    crd({
      "x-kubernetes-int-or-string": true,
      anyOf: [{ type: "integer" }, { type: "string" }],
    }),
    "risky: numbers and strings are both valid now",
  ],
  [
    "a variant that is new",
    crd(variants("git", "s3")),
    crd(variants("git", "s3", "oci")),
    "risky: there is a new rule: self.type != 'git' || (has(self.git) && !has(self.s3) && !has(self.oci)); of ",
  ],
  [
    "a rule with a value that it refuses",
    crd(inside("a", "b")),
    crd({
      ...inside("a", "b"),
      "x-kubernetes-validations": [{ rule: "!(has(self.a) && has(self.b))" }],
    }),
    'breaking: there is a new rule: !(has(self.a) && has(self.b)); {"a":"a","b":"a"} was valid and is refused now',
  ],
  [
    "a status that is no subresource any more",
    crd(text),
    crd(text, { version: { subresources: {} } }),
    "breaking: status is no longer a subresource",
  ],
];

describe("the change gate", () => {
  for (const [title, before, after, expected] of CASES) {
    it(`judges ${title}`, () => {
      const found = compareCrds([before], [after]).map(
        ({ severity, message }) => `${severity}: ${message}`,
      );
      expect(
        found.some((line) => line.startsWith(expected)),
        found.join("\n"),
      ).toBe(true);
    });
  }

  it("says nothing of equal states, and names where a change is", () => {
    expect(compareCrds([crd(text)], [crd(text)])).toEqual([]);
    const [change] = compareCrds([crd(list)], [crd({ ...list, items: number })]);
    expect(change).toMatchObject({
      crd: "zones.dns.example.com",
      version: "v1",
      path: [{ field: "spec" }, { field: "field" }, "items"],
      keyword: "type",
    });
  });

  it("breaks nothing where a variant is added, and shows what breaks where one gets another field", () => {
    const breaking = (after: Schema): string[] =>
      compareCrds([crd(variants("git", "s3"))], [crd(after)])
        .filter(({ severity }) => severity === "breaking")
        .map(({ message }) => message);
    expect(breaking(variants("git", "s3", "oci"))).toEqual([]);
    const [s3] = variants("git", "s3")["x-kubernetes-validations"]?.slice(1) ?? [];
    const stricter = variants("git", "s3", "region");
    stricter["x-kubernetes-validations"]?.splice(1, 2, {
      rule: `${s3?.rule ?? ""} && (self.type != 's3' || has(self.region))`,
    });
    expect(breaking(stricter).join("\n")).toContain(
      '{"type":"s3","s3":"a"} was valid and is refused now',
    );
  });

  it("judges CRDs that come and go", () => {
    expect(compareCrds([crd(text)], []).map(({ severity }) => severity)).toEqual(["breaking"]);
    expect(compareCrds([], [crd(text)]).map(({ severity }) => severity)).toEqual(["safe"]);
  });
});
