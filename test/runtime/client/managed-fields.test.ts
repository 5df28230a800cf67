import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  cutManagedFields,
  EVENT_LINES,
  LIST_ITEMS,
} from "../../../src/runtime/client/managed-fields.ts";

const line = (event: unknown): string => JSON.stringify(event);

function cut(text: string, layout = EVENT_LINES): string {
  return cutManagedFields(Buffer.from(text), layout).toString("utf8");
}

function without(object: object, name = "managedFields"): object {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

/** Keys and texts with all that a scanner could trip over. */
const text = fc.string({
  unit: fc.constantFrom(
    ...["a", '"', "\\", "[", "]", "{", "}", ",", ":", "\n", "ä"],
    ...['"managedFields":[', '"metadata":{'],
  ),
  maxLength: 6,
});
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.integer(),
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(
      fc.oneof(text, fc.constantFrom("managedFields", "metadata", "object")),
      tie("value"),
      {
        maxKeys: 3,
      },
    ),
  ),
}));
const fields = fc.dictionary(fc.oneof(text, fc.constantFrom("name", "metadata", "object")), value, {
  maxKeys: 4,
});
const managedFields = fc.array(fields, { maxLength: 2 });

describe("cutManagedFields", () => {
  it("takes out those of the object, wherever they stand in its metadata, and leaves all others", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fields, fields, fields, fc.option(managedFields), fields), {
          minLength: 1,
          maxLength: 4,
        }),
        (events) => {
          const build = (withFields: boolean) =>
            events.map(([first, before, after, managed, last]) => {
              const own = withFields && managed ? { managedFields: managed } : {};
              const metadata = { ...without(before), ...own, ...without(after) };
              const object = { ...first, metadata, ...without(last, "metadata"), kind: "Pod" };
              return line({ type: "ADDED", object });
            });
          const kept = cut(build(true).join("\n")).split("\n");
          expect(kept).toHaveLength(events.length);
          for (const [index, expected] of build(false).entries()) {
            expect(JSON.parse(kept[index] ?? "")).toEqual(JSON.parse(expected));
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it("takes out those of a list's items, and leaves all others", () => {
    const item = fc.tuple(fields, fields, fc.option(managedFields), fields);
    fc.assert(
      fc.property(fields, fields, fc.array(item, { maxLength: 4 }), (top, own, all) => {
        const build = (withFields: boolean) => ({
          ...top,
          metadata: { ...own, managedFields: [1], items: [{ metadata: { managedFields: [2] } }] },
          items: all.map(([before, first, managed, last]) => {
            const extra = withFields && managed ? { managedFields: managed } : {};
            const metadata = { ...without(first), ...extra, ...without(last) };
            return { ...before, metadata, spec: { metadata: { managedFields: [3] } } };
          }),
        });
        const text = `${JSON.stringify(build(true))}\n`;
        expect(JSON.parse(cut(text, LIST_ITEMS))).toEqual(JSON.parse(JSON.stringify(build(false))));
      }),
      { numRuns: 300 },
    );
  });

  it("leaves a list alone that is laid out in lines", () => {
    const list = { items: [{ metadata: { name: "a", managedFields: [{ "f:a": {} }] } }] };
    const text = JSON.stringify(list, undefined, 2);
    expect(JSON.parse(cut(text, LIST_ITEMS))).toEqual(list);
  });

  it("goes by the place, not by the name: a spec may have managedFields of its own", () => {
    const object = {
      data: { metadata: { managedFields: [1] } },
      metadata: { labels: { managedFields: "[" }, managedFields: [{ "f:a": "]" }], name: "a" },
      spec: { managedFields: [2], metadata: { managedFields: [3] } },
    };
    const metadata = without(object.metadata);
    expect(cut(line({ type: "ADDED", object }))).toBe(
      line({ type: "ADDED", object: { ...object, metadata } }),
    );
  });

  it("leaves broken lines broken, and what stands before them whole", () => {
    const good = line({ type: "ADDED", object: { metadata: { name: "a", managedFields: [] } } });
    const broken = '{"type":"ADDED","object":{"metadata":{"managedFields":[{"a';
    expect(cut(`${good}\n${broken}`).split("\n")[0]).toBe(
      line({ type: "ADDED", object: { metadata: { name: "a" } } }),
    );
    expect(() => void JSON.parse(cut(broken))).toThrow(SyntaxError);
  });
});
