import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { copyWithoutManagedFields } from "../../../../src/runtime/rest/json/managed-fields.ts";
import { ObjectReader } from "../../../../src/runtime/rest/json/object-reader.ts";

/** The objects in `values` as a reader gives them that leaves managedFields out where it can. */
function read(values: readonly unknown[]): unknown[] {
  const text = values.map((value) => JSON.stringify(value)).join(",");
  return new ObjectReader(true).elements(Buffer.from(text));
}

function without(object: object, name = "managedFields"): object {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

/** The object, whatever it is, without the managedFields in its metadata. */
function trimmed(object: unknown): unknown {
  const { metadata } = object as { metadata?: unknown };
  if (typeof metadata !== "object" || metadata === null || Array.isArray(metadata)) return object;
  return { ...(object as object), metadata: without(metadata) };
}

/** Keys and texts with all that a scanner could trip over. */
const text = fc.string({
  unit: fc.constantFrom(
    ...["a", '"', "\\", "[", "]", "{", "}", ",", ":", "\n", "ä"],
    ...['"managedFields":[{"', "}]", '"metadata":{'],
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

/** As API servers write them: a text may have anything in it, but there are no arrays. */
const entries = fc.array(
  fc.record({ manager: text, fieldsV1: fc.dictionary(text, fc.constant({})) }),
  { minLength: 1, maxLength: 3 },
);

describe("managedFields", () => {
  it("are left out wherever they stand in the objects' metadata; all others are not", () => {
    const object = fc.tuple(fields, fields, fc.option(fc.oneof(entries, managedFields)), fields);
    fc.assert(
      fc.property(fc.array(object, { minLength: 1, maxLength: 4 }), (objects) => {
        const values = objects.map(([first, before, managed, after]) => {
          const own = managed ? { managedFields: managed } : {};
          return { ...first, metadata: { ...without(before), ...own, ...without(after) } };
        });
        const all = JSON.parse(JSON.stringify(values)) as unknown[];
        expect(read(values).map(trimmed)).toEqual(all.map(trimmed));
      }),
      { numRuns: 500 },
    );
  });

  const managed = [{ manager: "a", fieldsV1: { 'v:"}],"': {}, "f:a": {} } }, { manager: "b" }];

  it.each([
    ["last", { name: "a", managedFields: managed }],
    ["in between", { labels: {}, managedFields: managed, name: "a" }],
    ["alone", { managedFields: managed }],
  ])("are not parsed when they stand %s in the metadata", (_, metadata) => {
    const object = { kind: "Pod", metadata: { ...metadata, managedFields: [{ manager: "a" }] } };
    const json = Buffer.from(JSON.stringify(object));
    const copy = Buffer.alloc(json.length + 1);
    const { end, cuts } = copyWithoutManagedFields(json, copy, 1);
    expect(cuts).toHaveLength(1);
    expect(copy.toString("utf8", 1, end)).toBe(
      JSON.stringify({ kind: "Pod", metadata: { ...metadata, managedFields: 0 } }),
    );
    expect(read([object, object])).toEqual([trimmed(object), trimmed(object)]);
  });

  it("are parsed where their end cannot be found for a text in them", () => {
    const object = { metadata: { managedFields: managed, name: "a" } };
    expect(read([object])).toEqual([object]);
  });

  it("of an object in the object stay, and then all stay", () => {
    const managedFields = [{ manager: "a" }];
    const inner = { metadata: { name: "inner", managedFields } };
    const objects = [
      { metadata: { name: "a", managedFields }, spec: { manifests: [inner] } },
      { metadata: { name: "b", managedFields }, spec: { template: inner } },
      { metadata: { name: "c" }, spec: { managedFields } },
    ];
    expect(read(objects)).toEqual(objects);
    for (const object of objects) expect(read([object]).map(trimmed)).toEqual([trimmed(object)]);
  });

  it("that a text in the object looks like stay in it", () => {
    const text = JSON.stringify({ metadata: { managedFields: [{ manager: "a" }] } });
    const object = { metadata: { name: "a", annotations: { last: text } }, data: { text } };
    expect(read([object])).toEqual([object]);
  });

  it("do not make an error of what is none, nor the other way round", () => {
    const good = '{"metadata":{"managedFields":[{"manager":"a"}]}}';
    const reader = new ObjectReader(true);
    for (const end of [5, 30, 44, good.length - 1]) {
      const bytes = Buffer.from(`${good},${good.slice(0, end)}`);
      expect(() => reader.elements(bytes)).toThrow(SyntaxError);
    }
    expect(reader.elements(Buffer.from(`1,null,"a",{"metadata":null},[]`))).toEqual([
      1,
      null,
      "a",
      { metadata: null },
      [],
    ]);
  });

  it("beside whole numbers of 64 bits are left out, too", () => {
    const text = '{"metadata":{"managedFields":[{"manager":"a"}]},"size":1152921504606846977}';
    expect(new ObjectReader(true).elements(Buffer.from(text))).toEqual([
      { metadata: {}, size: 1152921504606846977n },
    ]);
  });
});
