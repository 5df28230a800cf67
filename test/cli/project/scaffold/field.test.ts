import { describe, expect, it } from "vitest";
import { parseField, parseFields } from "../../../../src/cli/project/scaffold/field.ts";

describe("--field", () => {
  it.each([
    ["image:string", "string", false, undefined],
    ["image:string?", "string", true, undefined],
    ["image:string=nginx:1.27", "string", true, '"nginx:1.27"'],
    ["note:string=", "string", true, '""'],
    ["replicas:int=3", "Int32", true, "3"],
    ["bytes:long?", "Int64", true, undefined],
    ["ratio:number=0.5", "Double", true, "0.5"],
    ["on:bool=true", "boolean", true, "true"],
    ["paid:boolean=false", "boolean", true, "false"],
    ["count:Int32", "Int32", false, undefined],
    ["size:Quantity?", "Quantity", true, undefined],
    ["wait:Duration[]", "Duration[]", false, undefined],
    ["surge:intorstring", "IntOrString", false, undefined],
    ["size:quantity=10Gi", "Quantity", true, '"10Gi"'],
    ["every:duration=1h30m", "Duration", true, '"1h30m"'],
    ["at:time?", "Time", true, undefined],
    ["surge:intOrString=25", "IntOrString", true, "25"],
    ["surge:intOrString=25%", "IntOrString", true, '"25%"'],
    ["tags:string[]", "string[]", false, undefined],
    ["labels:map?", "Record<string, string>", true, undefined],
    ["mode:enum(a|b|c)=b", '"a" | "b" | "c"', true, '"b"'],
    ["modes:enum(a|b)[]?", '("a" | "b")[]', true, undefined],
  ])("reads %s", (text, type, optional, initializer) => {
    const field = parseField(text);
    expect([field.type, field.optional, field.initializer]).toEqual([type, optional, initializer]);
  });

  it("suggests the nearest type, with one mark at the end", () => {
    expect(() => parseField("a:strin")).toThrow(
      expect.objectContaining({
        message: '--field "a:strin": there is no type `strin`.',
        fix: "Did you mean string?",
      }),
    );
  });

  it("makes a sentence of the name", () => {
    expect(parseField("nodePortNumber:int").description).toBe("The node port number.");
    expect(parseField("serverURL:string").description).toBe("The server url.");
  });

  it.each([
    ["image", "is not of the form"],
    ["Image:string", "camelCase"],
    ["image:Widget", "there is no type `Widget`."],
    ["replicas:int=many", "not a whole number"],
    ["replicas:int=3000000000", "not a whole number up to 2147483647"],
    ["on:bool=yes", "neither true nor false"],
    ["size:quantity=big", "not a quantity"],
    ["mode:enum(a|b)=c", "not one of a, b"],
    ["mode:enum(a|)", "an enum lists its values"],
    ["tags:string[]=a", "cannot have a default"],
    ["x:constructor", "there is no type"],
    ["constructor:string", "a class has its constructor"],
  ])("refuses %s and lists the types", (text, problem) => {
    expect(() => parseField(text)).toThrow(problem);
    expect(() => parseField(text)).toThrow(
      expect.objectContaining({ fix: expect.stringContaining("intOrString") as string }) as Error,
    );
  });

  it("refuses a name that comes twice", () => {
    expect(() => parseFields(["a:string", "a:int"])).toThrow("is there twice");
  });

  it("tells of every mistake at once", () => {
    const wrong = ["a:string", "b:strin", "a:int", "c:int=x"];
    expect(() => parseFields(wrong)).toThrow(/"b:strin".*\n.*"a:int".*\n.*"c:int=x"/);
  });
});
