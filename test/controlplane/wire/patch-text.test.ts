import { describe, expect, it } from "vitest";
import { patchedText } from "../../../src/controlplane/wire/patch-text.ts";

const live = { kind: "K", apiVersion: "v1", spec: { z: { b: 1, a: 2 }, y: { d: 1, c: 2 } } };

describe("patchedText", () => {
  it("sorts the keys of what a JSON patch looks into, and leaves the rest as it was written", () => {
    const patch = [{ op: "add", path: "/spec/z/n", value: { q: 1, p: 2 } }];
    expect(patchedText(live, "json", patch)).toBe(
      '{"apiVersion":"v1","kind":"K","spec":{"y":{"d":1,"c":2},"z":{"a":2,"b":1,"n":{"q":1,"p":2}}}}',
    );
  });

  it("sorts what a test of a JSON patch compares", () => {
    const patch = [{ op: "test", path: "/spec/y", value: { c: 2, d: 1 } }];
    expect(patchedText(live, "json", patch)).toBe(
      '{"apiVersion":"v1","kind":"K","spec":{"y":{"c":2,"d":1},"z":{"b":1,"a":2}}}',
    );
  });

  it("sorts the keys of what a merge patch merges or adds", () => {
    const patch = { spec: { z: null, n: { q: 1, p: { t: 1, s: null } } } };
    expect(patchedText(live, "merge", patch)).toBe(
      '{"apiVersion":"v1","kind":"K","spec":{"n":{"p":{"t":1},"q":1},"y":{"d":1,"c":2}}}',
    );
  });

  it("takes over as it was sent what a merge patch puts in place of an object", () => {
    const patch = { spec: { z: [{ q: 1, p: 2 }], y: "x" } };
    expect(patchedText(live, "merge", patch)).toBe(
      '{"apiVersion":"v1","kind":"K","spec":{"y":"x","z":[{"q":1,"p":2}]}}',
    );
  });

  it("escapes what would be markup in a page", () => {
    expect(patchedText({ a: "<b> & c" }, "merge", {})).toBe('{"a":"\\u003cb\\u003e \\u0026 c"}');
  });
});
