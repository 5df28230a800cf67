import { describe, expect, it } from "vitest";
import { FieldSet } from "../../../src/controlplane/apply/field-set.ts";
import { knownSet, readSet } from "../../../src/controlplane/apply/known-sets.ts";

const kind = { type: "object" } as const;

describe("Sets of fields that are known", () => {
  it("are one for all that have the same fields, with one fieldsV1", () => {
    const first = knownSet(kind, FieldSet.of(["f:spec", "f:image"], ["f:spec", "f:replicas"]));
    const second = knownSet(kind, FieldSet.of(["f:spec", "f:image"], ["f:spec", "f:replicas"]));
    expect(second).toBe(first);
    expect(second.toFieldsV1()).toBe(first.toFieldsV1());
    expect(readSet(first.toFieldsV1())).toBe(first);
  });

  it("are told apart however their elements are named", () => {
    const names = ["f:a", "f:a/", "f:a(f:b)", "3:f:a", "f:b", "f:a3:f:b"];
    const sets = [
      ...names.map((name) => FieldSet.of([name])),
      FieldSet.of(["f:a", "f:b"]),
      FieldSet.of(["f:a"], ["f:b"]),
      FieldSet.of(["f:a"], ["f:a", "f:b"]),
    ];
    expect(new Set(sets.map((set) => set.identify())).size).toBe(sets.length);
  });

  it("stay as they were when what they gave is written to", () => {
    const set = knownSet(kind, FieldSet.of(["f:spec"], ["f:spec", "f:image"]));
    expect(set.toFieldsV1()).toEqual({ "f:spec": { ".": {}, "f:image": {} } });
    expect(() => Object.assign(set.toFieldsV1(), { "f:other": {} })).toThrow(TypeError);
    expect(() => Object.assign(set.toFieldsV1()["f:spec"] as object, { x: {} })).toThrow(TypeError);
  });

  it("include what is in them, and nothing else", () => {
    const set = FieldSet.of(["f:a"], ["f:b", "f:c"], ["f:b", "f:d"]);
    expect(set.includes(FieldSet.of(["f:b", "f:c"]))).toBe(true);
    expect(set.includes(FieldSet.of(["f:a"], ["f:b", "f:d"]))).toBe(true);
    expect(set.includes(FieldSet.of(["f:b"]))).toBe(false);
    expect(set.includes(FieldSet.of(["f:a", "f:x"]))).toBe(false);
  });
});
