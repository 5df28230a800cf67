import { describe, expect, it } from "vitest";
import { bodyForm } from "../../../src/controlplane/wire/bodies/open.ts";
import { decodeObject } from "../../../src/controlplane/wire/decode-object.ts";
import { decodePatch, openPatch } from "../../../src/controlplane/wire/decode-patch.ts";

const DEPLOYMENT = { group: "apps", version: "v1", kind: "Deployment", builtIn: true };
const META = '"apiVersion":"apps/v1","kind":"Deployment"';

const warningsOf = (text: string, type = "application/json"): readonly string[] =>
  decodeObject(Buffer.from(text), bodyForm(type), DEPLOYMENT, "Warn").warnings;

// The lists are the warnings of a real kube-apiserver v1.36.3.
describe("Unknown and duplicate fields of a built-in kind", () => {
  it.each([
    [
      "an unknown field before a duplicate one",
      `{${META},"spec":{"unknownField":1,"replicas":1,"replicas":2}}`,
      ['unknown field "spec.unknownField"', 'duplicate field "spec.replicas"'],
    ],
    [
      "both at several depths",
      `{${META},"metadata":{"name":"d","m1":1,"name":"d","m2":3},"top":1,"top":2,"spec":{"u1":1,"replicas":1,"replicas":2,"u2":1,"paused":false,"paused":true}}`,
      [
        ...['unknown field "metadata.m1"', 'duplicate field "metadata.name"'],
        ...['unknown field "metadata.m2"', 'unknown field "top"', 'unknown field "spec.u1"'],
        ...['duplicate field "spec.replicas"', 'unknown field "spec.u2"'],
        'duplicate field "spec.paused"',
      ],
    ],
    [
      "an unknown field that comes again",
      `{${META},"spec":{"u":{"a":1,"a":2},"u":2}}`,
      ['unknown field "spec.u"'],
    ],
    [
      "a struct that comes again",
      `{${META},"spec":{"strategy":{"type":"Recreate","u":1},"strategy":{"u":1,"type":"Recreate","type":"Recreate"}}}`,
      [
        ...['unknown field "spec.strategy.u"', 'duplicate field "spec.strategy"'],
        'duplicate field "spec.strategy.type"',
      ],
    ],
    [
      "types that read themselves",
      `{${META},"metadata":{"managedFields":[{"manager":"a","zz":1,"fieldsV1":{"f:a":{},"f:a":{}},"manager":"b"}]}}`,
      [
        'unknown field "metadata.managedFields[0].zz"',
        'duplicate field "metadata.managedFields[0].manager"',
      ],
    ],
  ])("are told in the order in which they stand: %s", (_, text, warnings) => {
    expect(warningsOf(text)).toEqual(warnings);
  });

  it("are told by name in YAML, after the keys that came twice", () => {
    const text = `{${META},"top":1,"spec":{"u2":1,"replicas":1,"replicas":2,"u1":1}}`;
    expect(warningsOf(text, "application/yaml")).toEqual([
      'line 1: key "replicas" already set in map',
      ...['unknown field "spec.u1"', 'unknown field "spec.u2"', 'unknown field "top"'],
    ]);
  });

  it("are told up to a hundred, of both sorts together", () => {
    const fields = Array.from({ length: 120 }, (_, index) => `"u${index}":1`).join(",");
    const warnings = warningsOf(`{${META},"kind":"Deployment",${fields}}`);
    expect(warnings).toHaveLength(100);
    expect(warnings[0]).toBe('duplicate field "kind"');
  });

  it("are told of the operations of a JSON patch in their order", () => {
    const patch = '[{"op":"add","zz":1,"op":"add","path":"/data/z","value":"x","yy":2}]';
    expect(decodePatch(openPatch(Buffer.from(patch)), "json").problems).toEqual([
      ...['json patch unknown field "[0].zz"', 'json patch duplicate field "[0].op"'],
      'json patch unknown field "[0].yy"',
    ]);
  });
});
