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
    "safe: numbers and strings are both taken now",
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
      path: ["spec", "field", "items"],
      keyword: "type",
    });
  });

  it("judges CRDs that come and go", () => {
    expect(compareCrds([crd(text)], []).map(({ severity }) => severity)).toEqual(["breaking"]);
    expect(compareCrds([], [crd(text)]).map(({ severity }) => severity)).toEqual(["safe"]);
  });
});
