import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../../../src/kube/object.ts";
import {
  differenceOf,
  isDifference,
  restore,
} from "../../../../src/runtime/webhook/conversion/difference.ts";
import {
  type ListDifference,
  restoreList,
} from "../../../../src/runtime/webhook/conversion/list-difference.ts";
import { parseExact, stringifyExact } from "../../../../src/runtime/rest/json/exact-json.ts";

/** What is restored on `now` of what was lost between `was` and `came`. */
function keep(was: JsonObject, came: JsonObject, now: JsonObject): unknown {
  const difference = differenceOf(was, came);
  if (!difference) return now;
  const stored = parseExact(stringifyExact(difference));
  expect(isDifference(stored)).toBe(true);
  return restore(now, difference);
}

const scalar = fc.oneof(
  fc.constantFrom("a", "b", "c", "", 0, 1, 2, true, false, null),
  fc.constantFrom(9007199254740993n, "x".repeat(50)),
);
const key = fc.constantFrom(
  "a",
  "b",
  "name",
  "key",
  "__proto__",
  "constructor",
  "value",
  "came",
  "0",
);
const { value: anything } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    scalar,
    fc.array(tie("value"), { maxLength: 5 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4 }),
  ),
}));
const object = fc.dictionary(key, anything, { maxKeys: 4 }) as fc.Arbitrary<JsonObject>;

describe("the difference of two objects", () => {
  it("gives any object back of any other", () => {
    fc.assert(
      fc.property(object, object, (was, came) => {
        expect(keep(was, came, came)).toEqual(was);
      }),
      { numRuns: 3000 },
    );
  });

  it("gives any list of alike elements back of any other", () => {
    const element = fc.oneof(
      fc.constantFrom("a", "b", "c"),
      fc.record({ name: fc.constantFrom("x", "y", "z"), n: fc.constantFrom(1, 2) }),
      fc.record({ n: fc.constantFrom(1, 2, 3) }),
    );
    const list = fc.array(element, { maxLength: 7 });
    fc.assert(
      fc.property(list, list, (was, came) => {
        expect(keep({ list: was }, { list: came }, { list: came })).toEqual({ list: was });
      }),
      { numRuns: 5000 },
    );
  });

  it("takes any difference on any object without failing", () => {
    fc.assert(
      fc.property(object, object, object, (was, came, now) => {
        const before = structuredClone(now);
        keep(was, came, now);
        expect(now).toEqual(before);
        expect(({} as JsonObject)["a"]).toBeUndefined();
      }),
      { numRuns: 2000 },
    );
  });

  it("lets win what was changed in the other version", () => {
    const was = { size: "10240Mi", color: "red", note: "n" };
    const came = { size: "10Gi", mode: "auto" };
    expect(keep(was, came, came)).toEqual(was);
    expect(keep(was, came, { size: "11Gi", mode: "auto" })).toEqual({
      size: "11Gi",
      color: "red",
      note: "n",
    });
    expect(keep(was, came, { size: "10Gi", mode: "none", color: "blue" })).toEqual({
      size: "10240Mi",
      mode: "none",
      color: "blue",
      note: "n",
    });
    expect(keep(was, came, { mode: "auto" })).toEqual({ color: "red", note: "n" });
  });

  it("fills up an object or a list that came back in another way", () => {
    const was = { tls: { ca: "x", cert: "old" }, hosts: ["lost", "both"] };
    expect(keep(was, {}, { tls: { cert: "new" }, hosts: ["added", "both"] })).toEqual({
      tls: { cert: "new", ca: "x" },
      hosts: ["lost", "added", "both"],
    });
  });

  it("does not bring back what was in an object that was removed", () => {
    const was = { ports: { a: { n: 1, lost: true }, b: { n: 2, lost: true } } };
    const came = { ports: { a: { n: 1 }, b: { n: 2 } } };
    expect(keep(was, came, { ports: { b: { n: 3 } } })).toEqual({
      ports: { b: { n: 3, lost: true } },
    });
    expect(keep(was, came, {})).toEqual({});
  });

  describe("in a list", () => {
    const was = {
      list: [
        { name: "a", n: 1, lost: "A" },
        { name: "b", n: 2, lost: "B" },
      ],
    };
    const came = {
      list: [
        { name: "a", n: 1 },
        { name: "b", n: 2 },
      ],
    };

    it("finds elements at any place by what they are", () => {
      const now = {
        list: [
          { name: "new", n: 0 },
          { name: "b", n: 2 },
        ],
      };
      expect(keep(was, came, now)).toEqual({
        list: [
          { name: "new", n: 0 },
          { name: "b", n: 2, lost: "B" },
        ],
      });
    });

    it("finds changed elements by their names", () => {
      const now = {
        list: [
          { name: "b", n: 7 },
          { name: "a", n: 1 },
        ],
      };
      expect(keep(was, came, now)).toEqual({
        list: [
          { name: "b", n: 7, lost: "B" },
          { name: "a", n: 1, lost: "A" },
        ],
      });
    });

    it("finds changed elements without names by their places, while there are as many", () => {
      const unnamed = {
        list: [
          { n: 1, lost: "A" },
          { n: 2, lost: "B" },
        ],
      };
      const back = { list: [{ n: 1 }, { n: 2 }] };
      expect(keep(unnamed, back, { list: [{ n: 1 }, { n: 9 }] })).toEqual({
        list: [
          { n: 1, lost: "A" },
          { n: 9, lost: "B" },
        ],
      });
      expect(keep(unnamed, back, { list: [{ n: 9 }] })).toEqual({ list: [{ n: 9 }] });
      expect(keep(unnamed, back, { list: [{ n: 2 }] })).toEqual({ list: [{ n: 2, lost: "B" }] });
    });

    it("does not take a renamed element for the one before", () => {
      const now = {
        list: [
          { name: "a", n: 1 },
          { name: "c", n: 2 },
        ],
      };
      expect(keep(was, came, now)).toEqual({
        list: [
          { name: "a", n: 1, lost: "A" },
          { name: "c", n: 2 },
        ],
      });
    });

    it("puts elements that did not come back after the ones that they were after", () => {
      const dropped = { list: ["first", "x", "y", "lost", "z"] };
      const back = { list: ["x", "y", "z"] };
      expect(keep(dropped, back, { list: ["new", "x", "y", "z", "w"] })).toEqual({
        list: ["first", "new", "x", "y", "lost", "z", "w"],
      });
      expect(keep(dropped, back, { list: ["lost", "y"] })).toEqual({
        list: ["first", "lost", "y"],
      });
      expect(keep(dropped, back, { list: [] })).toEqual({ list: ["first", "lost"] });
    });

    it("keeps the order, unless it was changed", () => {
      const sorted = { list: ["a", "b", "c"] };
      const mixed = { list: ["c", "a", "b"] };
      expect(keep(mixed, sorted, sorted)).toEqual(mixed);
      expect(keep(mixed, sorted, { list: ["a", "b", "new", "c"] })).toEqual({
        list: ["c", "a", "b", "new"],
      });
      expect(keep(mixed, sorted, { list: ["b", "a", "c"] })).toEqual({ list: ["b", "a", "c"] });
      expect(keep(mixed, sorted, { list: ["a", "c"] })).toEqual({ list: ["c", "a"] });
    });

    it("takes away what was added on the way there, where it is as it came", () => {
      expect(keep({ list: ["a"] }, { list: ["a", "default"] }, { list: ["default", "b"] })).toEqual(
        {
          list: ["b"],
        },
      );
    });
  });

  it("bears thousands of levels", () => {
    const deep = (end: unknown): JsonObject => {
      let value: JsonObject = { end };
      for (let level = 0; level < 9000; level++) value = { value };
      return value;
    };
    const restored = keep(deep(1), deep(2), deep(2));
    expect(JSON.stringify(differenceOf(restored, deep(1)) ?? "same")).toBe('"same"');
  });

  it("gives lists of thousands back", () => {
    const list = Array.from({ length: 5000 }, (_, n) => ({ name: `n${n}`, n, lost: "x" }));
    const back = list.map(({ name, n }) => ({ name, n }));
    expect(keep({ list }, { list: back }, { list: back })).toEqual({ list });
    expect(keep({ list }, { list: [] }, { list: [] })).toEqual({ list });
  });
});

describe("a text that is to be a difference", () => {
  it.each([
    "5",
    "null",
    "[]",
    "{}",
    '{"came":5}',
    '{"fields":[]}',
    '{"fields":{"a":5}}',
    '{"list":{}}',
    '{"list":{"length":1,"came":{"0":5}}}',
    '{"list":{"length":1,"came":{},"lost":[{}]}}',
    '{"list":{"length":1,"came":{},"order":["x"]}}',
    `${'{"fields":{"a":'.repeat(5000)}{}${"}}".repeat(5000)}`,
    `${'{"list":{"length":1,"came":{},"changed":{"0":'.repeat(9)}{"value":1}${"}}}".repeat(9)}`,
  ])("is refused when it is %s", (text) => {
    expect(isDifference(JSON.parse(text))).toBe(false);
  });
});

describe("a large difference", () => {
  it("restores elements whose predecessors are gone in linear time", () => {
    const element = (at: number) => ({ value: "x", at, after: 5, again: true });
    const lost = Array.from({ length: 100_000 }, (_, at) => element(2 * at));
    const list = Array.from({ length: 200_000 }, () => "y");
    const difference = { length: 0, came: {}, lost } as unknown as ListDifference<never>;
    const restored = restoreList(list, difference, (value) => value);
    expect(restored.length).toBe(300_000);
    expect(restored.slice(0, 4)).toEqual(["x", "y", "x", "y"]);
    expect(restored.slice(-3)).toEqual(["y", "y", "y"]);
  });

  it("has whole lists when they are so long that the places of their elements would not fit", () => {
    const list = Array.from({ length: 100_000 }, () => 1);
    const came = list.map(() => ({}));
    const difference = differenceOf({ list, short: [1, 2] }, { list: came, short: [2] });
    expect(difference).toEqual({
      fields: {
        list: { value: list, came: expect.any(String) },
        short: { list: expect.anything() },
      },
    });
    expect(keep({ list }, { list: came }, { list: came })).toEqual({ list });
  });

  it("has whole lists within many others", () => {
    const nested = (end: unknown): unknown => {
      let value = end;
      for (let level = 0; level < 90; level++) value = [value];
      return value;
    };
    const [was, came] = [nested("x".repeat(100)), nested("y".repeat(100))];
    const text = stringifyExact(differenceOf({ was }, { was: came }));
    expect(text.split('"list":').length).toBeLessThan(12);
    expect(keep({ was }, { was: came }, { was: came })).toEqual({ was });
  });
});
