import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExact } from "../../../../src/runtime/rest/json/exact-json.ts";
import { ObjectReader } from "../../../../src/runtime/rest/json/object-reader.ts";

const objectOf = (event: unknown): unknown => (event as { object?: unknown } | null)?.object;

function lines(text: string, withoutManagedFields = false): unknown[] {
  return new ObjectReader(withoutManagedFields).lines(Buffer.from(text), objectOf);
}

describe("the values of lines", () => {
  it("are what each line says, however long it is", () => {
    const value = fc.oneof(fc.jsonValue(), fc.constant({ text: "ä".repeat(100_000) }));
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 20 }), (values) => {
        const texts = values.map((each) => JSON.stringify(each));
        expect(lines(texts.join("\n"))).toEqual(texts.map(parseExact));
      }),
    );
  });

  it("come without managedFields, and with whole numbers as they are", () => {
    const object = { metadata: { name: "a", managedFields: [{ manager: "b" }] } };
    const line = JSON.stringify({ type: "ADDED", object }).replace(`"a"`, "12345678901234567890");
    const event = { type: "ADDED", object: { metadata: { name: 12345678901234567890n } } };
    expect(lines(`${line}\n${line}`, true)).toEqual([event, event]);
  });

  it.each([
    ["an empty line", "{}\n\n{}"],
    ["two values in a line", "{},{}\n{}"],
    ["a value over two lines", '{}\n{"a":\n1}'],
    ["no value", "{}\nok"],
    ["half a value", '{}\n{"a"'],
  ])("cannot be read with %s", (_, text) => {
    expect(() => lines(text)).toThrow(SyntaxError);
    expect(() => lines(text, true)).toThrow(SyntaxError);
  });

  it("leave nothing behind for the next ones", () => {
    expect(lines('{"a":1,"b":[2]}\n{"c":3}')).toHaveLength(2);
    expect(lines("{}")).toEqual([{}]);
  });
});
