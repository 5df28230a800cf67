/** However a list comes in parts, what is read of it is what `JSON.parse` makes of the whole. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readItems } from "../../../../src/runtime/rest/json/list-items.ts";
import { ObjectReader } from "../../../../src/runtime/rest/json/object-reader.ts";

/** How many items were read before the end, and what the list is with all of them. */
async function read(text: string, partBytes: number): Promise<{ early: number; list: unknown }> {
  const bytes = Buffer.from(text);
  async function* parts() {
    for (let at = 0; at < bytes.length; at += partBytes) {
      yield Uint8Array.from(bytes.subarray(at, at + partBytes));
    }
  }
  const { items, rest } = await readItems(parts(), new ObjectReader(false));
  const list = JSON.parse(rest.toString()) as { items: unknown[] };
  return {
    early: items.length,
    list: items.length === 0 ? list : { ...list, items: [...items, ...list.items] },
  };
}

const named = (count: number, more: object = {}): object[] =>
  Array.from({ length: count }, (_, index) => ({ metadata: { name: `ä-${index}` }, ...more }));
const template = { metadata: { name: "inner" }, spec: {} };

const LISTS: Readonly<Record<string, object>> = {
  "of a built-in kind": { kind: "PodList", metadata: { resourceVersion: "1" }, items: named(40) },
  "of a custom kind, with its metadata behind": {
    apiVersion: "a/v1",
    items: named(40).map((item) => ({ apiVersion: "a/v1", kind: "A", ...item })),
    kind: "AList",
    metadata: { continue: "x", resourceVersion: "1" },
  },
  "without items": { kind: "PodList", metadata: {}, items: [] },
  "with null for its items": { kind: "AList", metadata: {}, items: null },
  "of items that begin differently": { metadata: {}, items: [{ spec: {} }, ...named(20)] },
  "of items with metadata at their end": {
    metadata: {},
    items: named(20).map((item) => ({ spec: { name: "a" }, ...item })),
  },
  "with items in its items": {
    metadata: {},
    items: named(20, { items: [template, template], templates: [template, template, template] }),
  },
  "with items somewhere else": { metadata: {}, other: { items: named(20) }, items: named(20) },
  "in something that is no list": { spec: { items: named(20) } },
  "of huge items": { metadata: {}, items: named(3, { data: "x".repeat(100_000) }) },
};

describe("readItems", () => {
  it.each(Object.entries(LISTS))("reads a list %s", async (_, list) => {
    const text = `${JSON.stringify(list)}\n`;
    for (const partBytes of [200, 1024, 65_536]) {
      expect((await read(text, partBytes)).list).toEqual(list);
    }
  });

  it.each(["of a built-in kind", "of a custom kind, with its metadata behind"])(
    "reads most items of a list %s before its end",
    async (name) => {
      expect((await read(JSON.stringify(LISTS[name]), 300)).early).toBeGreaterThan(30);
    },
  );

  it("reads lists of anything in parts of any size", async () => {
    const field = fc.constantFrom("metadata", "items", "name", "a", '"items":[{"metadata":{"');
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(1, null, "},{", '},{"metadata":{"name"'),
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(field, tie("value"), { maxKeys: 3 }),
      ),
    }));
    const item = fc.record({
      metadata: fc.record({ name: fc.constantFrom("a", "ä"), more: value }),
      spec: value,
    });
    const list = fc.record({
      metadata: value,
      items: fc.array(item, { maxLength: 8 }),
      more: value,
    });
    await fc.assert(
      fc.asyncProperty(list, fc.integer({ min: 1, max: 200 }), async (whole, partBytes) => {
        expect((await read(JSON.stringify(whole), partBytes)).list).toEqual(
          JSON.parse(JSON.stringify(whole)),
        );
      }),
      { numRuns: 300 },
    );
  });

  it.each([
    ["ends in the middle", (text: string) => text.slice(0, 700)],
    ["is broken in the middle", (text: string) => text.replace('"ä-12"', "ä-12")],
    ["ends twice", (text: string) => text.replace('"ä-12"}}', '"ä-12"}}]')],
    ["is no JSON", () => "<html>"],
  ])("leaves the error to the reader of the rest when a list %s", async (_, breakIt) => {
    const text = breakIt(JSON.stringify({ metadata: {}, items: named(40) }));
    await expect(read(text, 100)).rejects.toThrow(SyntaxError);
  });
});
