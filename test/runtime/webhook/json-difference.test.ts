import {
  array,
  assert,
  bigInt,
  dictionary,
  oneof,
  property,
  string,
  letrec,
  boolean,
  integer,
  constant,
  constantFrom,
} from "fast-check";
import { describe, expect, it } from "vitest";
import { sameJson } from "../../../src/kube/json.ts";
import { applyJsonPatch } from "../../../src/kube/patch.ts";
import { differenceOf } from "../../../src/runtime/webhook/json-difference.ts";

const { value } = letrec<{ value: unknown }>((tie) => ({
  value: oneof(
    { depthSize: "small", withCrossShrink: true },
    constantFrom("a", "b", null, 1, 2),
    oneof(
      string(),
      integer(),
      boolean(),
      bigInt({ min: 2n ** 53n, max: 2n ** 63n }),
      constant(null),
    ),
    array(tie("value"), { maxLength: 6 }),
    dictionary(constantFrom("a", "b", "c", "x/y", "m~n", "", "__proto__"), tie("value"), {
      maxKeys: 4,
      noNullPrototype: true,
    }),
  ),
}));
const object = dictionary(constantFrom("spec", "a/b", "~1"), value, { noNullPrototype: true });

describe("the difference of two objects", () => {
  it("makes the one of the other, when it is applied as the API server does", () => {
    assert(
      property(object, object, (before, after) => {
        const patch = differenceOf(before, after);
        const made = patch.length === 0 ? before : applyJsonPatch(before, patch);
        return sameJson(made, after) && (patch.length > 0 || sameJson(before, after));
      }),
      { numRuns: 2000, seed: 1 },
    );
  });

  it.each<[string, object, object, object[]]>([
    [
      "an item that was put in front is added",
      { list: [{ name: "a" }, { name: "b" }] },
      { list: [{ name: "new" }, { name: "a" }, { name: "b" }] },
      [{ op: "add", path: "/list/0", value: { name: "new" } }],
    ],
    [
      "an item is changed in place",
      { list: [{ name: "a" }, { name: "b", old: 1 }, { name: "c" }] },
      { list: [{ name: "a" }, { name: "b", new: 2 }, { name: "c" }] },
      [
        { op: "remove", path: "/list/1/old" },
        { op: "add", path: "/list/1/new", value: 2 },
      ],
    ],
    [
      "items are removed from the end on",
      { list: [1, 2, 3, 4] },
      { list: [1, 4] },
      [
        { op: "remove", path: "/list/2" },
        { op: "remove", path: "/list/1" },
      ],
    ],
    [
      "a field that is undefined is absent",
      { a: 1 },
      { a: undefined, b: undefined },
      [{ op: "remove", path: "/a" }],
    ],
    [
      "what has a text in JSON is that text",
      { at: "1970-01-01T00:00:00.000Z" },
      { at: new Date(0) },
      [],
    ],
    [
      "a kind of value is replaced",
      { a: [1] },
      { a: { 0: 1 } },
      [{ op: "replace", path: "/a", value: { 0: 1 } }],
    ],
  ])("is small: %s", (_, before, after, patch) => {
    expect(differenceOf(before, after)).toEqual(patch);
  });

  it("is found in objects that are deeper than the stack, and in long lists", () => {
    const deep = (end: number): object => {
      let inner: object = { end };
      for (let level = 0; level < 50_000; level++) inner = { inner };
      return inner;
    };
    expect(differenceOf(deep(1), deep(1))).toEqual([]);
    expect(differenceOf(deep(1), deep(2))).toHaveLength(1);
    const long = (offset: number) => ({
      list: Array.from({ length: 20_000 }, (_, index) => ({ index: index + offset })),
    });
    expect(differenceOf(long(0), long(1))).toHaveLength(20_000);
  });
});
