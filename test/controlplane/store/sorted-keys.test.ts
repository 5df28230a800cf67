import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SortedKeys } from "../../../src/controlplane/store/sorted-keys.ts";

describe("SortedKeys", () => {
  it("holds many keys in order, whatever the order in which they come", () => {
    const keys = new SortedKeys();
    const wanted: string[] = [];
    for (let number = 0; number < 5000; number++) {
      const key = `item-${(number * 7919) % 5000}`;
      keys.add(key);
      keys.add(key);
      wanted.push(key);
    }
    expect(keys.range()).toEqual(wanted.sort());
    for (const key of wanted.splice(100, 4800)) keys.delete(key);
    expect(keys.range()).toEqual(wanted);
  });

  it("agrees with a plain set that is sorted each time", () => {
    const key = fc.string({ maxLength: 2 });
    fc.assert(
      fc.property(fc.array(fc.tuple(key, fc.boolean())), key, key, (steps, from, end) => {
        const keys = new SortedKeys();
        const model = new Set<string>();
        for (const [one, isAdded] of steps) {
          keys[isAdded ? "add" : "delete"](one);
          model[isAdded ? "add" : "delete"](one);
        }
        const sorted = [...model].sort();
        expect(keys.range()).toEqual(sorted);
        const meant = sorted.filter((one) => one >= from && one < end);
        expect(keys.range(from, end)).toEqual(meant);
      }),
    );
  });
});
