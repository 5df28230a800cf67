import { describe, expect, it } from "vitest";
import { applyJsonPatch, applyMergePatch } from "../../src/kube/patch.ts";
import { StatusError } from "../../src/kube/status.ts";

const document = { a: { k: "1" }, list: ["x", "y"], nothing: null };

function failureOf(run: () => unknown): { code: number; message: string } {
  try {
    run();
  } catch (error) {
    if (error instanceof StatusError) return { code: error.code, message: error.message };
    throw error;
  }
  throw new Error("it did not fail");
}

describe("applyJsonPatch", () => {
  const patched = (...operations: object[]): unknown => applyJsonPatch(document, operations);

  it("adds, replaces, removes, moves and copies in order", () => {
    expect(
      patched(
        { op: "add", path: "/a/m", value: 1 },
        { op: "replace", path: "/a/k", value: "2" },
        { op: "move", from: "/a/m", path: "/moved" },
        { op: "copy", from: "/a", path: "/copied" },
        { op: "remove", path: "/list/0" },
      ),
    ).toEqual({ a: { k: "2" }, copied: { k: "2" }, list: ["y"], moved: 1, nothing: null });
  });

  it("leaves the document as it was", () => {
    patched({ op: "remove", path: "/a" });
    expect(document.a).toEqual({ k: "1" });
  });

  it("adds a key that replace does not find, and null for a missing value or source", () => {
    expect(
      applyJsonPatch({}, [
        { op: "replace", path: "/r", value: 1 },
        { op: "add", path: "/n" },
        { op: "copy", from: "/missing", path: "/c" },
      ]),
    ).toEqual({ r: 1, n: null, c: null });
  });

  it("counts indexes from the end when they are negative, and appends at '-'", () => {
    expect(patched({ op: "add", path: "/list/-", value: "z" })).toMatchObject({
      list: ["x", "y", "z"],
    });
    expect(patched({ op: "add", path: "/list/-1", value: "z" })).toMatchObject({
      list: ["x", "y", "z"],
    });
    expect(patched({ op: "remove", path: "/list/-2" })).toMatchObject({ list: ["y"] });
    expect(patched({ op: "add", path: "/list/01", value: "z" })).toMatchObject({
      list: ["x", "z", "y"],
    });
  });

  it("tests a missing key as null", () => {
    expect(patched({ op: "test", path: "/missing", value: null })).toEqual(document);
    expect(patched({ op: "test", path: "", value: document })).toEqual(document);
  });

  it("ignores what stands before the first slash, and unescapes ~1 before ~0", () => {
    expect(applyJsonPatch({}, [{ op: "add", path: "data/k", value: 1 }])).toEqual({ k: 1 });
    expect(applyJsonPatch({}, [{ op: "add", path: "/p~01q~1r", value: 1 }])).toEqual({
      "p~1q/r": 1,
    });
  });

  it("never touches a prototype", () => {
    const result = applyJsonPatch({}, [
      { op: "add", path: "/__proto__", value: { polluted: true } },
    ]) as object;
    expect(Object.keys(result)).toEqual(["__proto__"]);
    expect("polluted" in result).toBe(false);
    expect(
      failureOf(() => applyJsonPatch({}, [{ op: "add", path: "/constructor/prototype", value: 1 }]))
        .code,
    ).toBe(422);
  });

  it.each([
    { op: "test", path: "/a/k", value: "9" },
    { op: "remove", path: "/missing" },
    { op: "remove", path: "/list/2" },
    { op: "add", path: "/list/4", value: 1 },
    { op: "replace", path: "/list/-", value: 1 },
    { op: "move", from: "/missing", path: "/x" },
    { op: "add", path: "/missing/deep", value: 1 },
    { op: "add", path: "/nothing/deep", value: 1 },
    { op: "add", path: "", value: {} },
    { op: "replace", path: "", value: 7 },
    { op: "nope", path: "/a" },
    { path: "/a" },
    { op: "add" },
  ])("says 422 without details for %j", (operation) => {
    expect(failureOf(() => patched(operation))).toEqual({
      code: 422,
      message: "the server rejected our request due to an error in our request",
    });
  });

  it("says 400 in Go's words for another shape", () => {
    expect(failureOf(() => applyJsonPatch({}, {})).message).toBe(
      "error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp",
    );
    expect(failureOf(() => applyJsonPatch({}, [1])).message).toBe(
      "error decoding patch: json: cannot unmarshal number into Go value of type handlers.jsonPatchOp",
    );
    expect(failureOf(() => applyJsonPatch({}, [{ op: true, path: "/a" }])).message).toBe(
      "error decoding patch: json: cannot unmarshal bool into Go struct field jsonPatchOp.op of type string",
    );
  });

  it("takes 10000 operations at most", () => {
    const many = Array.from({ length: 10_001 }, () => ({}));
    expect(failureOf(() => applyJsonPatch({}, many)).code).toBe(413);
  });
});

describe("applyMergePatch", () => {
  it("merges objects, replaces everything else and deletes on null", () => {
    expect(applyMergePatch(document, { a: { l: "2" }, list: [1], nothing: null })).toEqual({
      a: { k: "1", l: "2" },
      list: [1],
    });
  });

  it("leaves the document as it was, and shares with it what the patch does not speak of", () => {
    const spec = Object.freeze({ image: "x", ports: Object.freeze([80]) });
    const status = Object.freeze({ ready: 1, conditions: Object.freeze([1]) });
    const before = Object.freeze({ spec, status });
    const after = applyMergePatch(before, { status: { ready: 2 } });
    expect(after).toEqual({ spec, status: { ready: 2, conditions: [1] } });
    expect(after["spec"]).toBe(spec);
    expect(before.status.ready).toBe(1);
  });

  it("drops nulls from what it brings new", () => {
    expect(applyMergePatch({ s: "x" }, { s: { z: null, y: 1 }, n: { z: null } })).toEqual({
      s: { y: 1 },
      n: {},
    });
  });

  it("says 400 for anything but an object", () => {
    expect(failureOf(() => applyMergePatch({}, [])).message).toBe(
      "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}",
    );
    expect(failureOf(() => applyMergePatch({}, null)).message).toBe("Invalid JSON Patch");
  });
});

describe("copies in a JSON patch", () => {
  it("add three MiB at most, however they multiply", () => {
    const copies = Array.from({ length: 25 }, (_, index) => ({
      op: "copy",
      from: "/a",
      path: `/a/b${index}`,
    }));
    const document = { a: { text: "x".repeat(1000) } };
    expect(() => applyJsonPatch(document, copies)).toThrow("the server rejected our request");
    expect(applyJsonPatch(document, copies.slice(0, 5))).toHaveProperty("a.b4.b3.b2.b1.b0.text");
  });
});
