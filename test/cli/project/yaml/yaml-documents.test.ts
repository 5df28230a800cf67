import { describe, expect, it } from "vitest";
import { parseUserYaml } from "../../../../src/cli/project/yaml/user-yaml.ts";
import { readDocuments, readYaml } from "../../../../src/cli/project/yaml/yaml-documents.ts";

describe("readDocuments", () => {
  it.each([
    ["lists in lists", "- ".repeat(10_000)],
    ["lists in brackets", "[".repeat(20_000)],
    ["mappings in braces", "{a: ".repeat(5_000)],
    ["keys that are keys", "? ".repeat(10_000)],
    [
      "mappings by indentation",
      Array.from({ length: 800 }, (_, i) => `${" ".repeat(i)}a:\n`).join(""),
    ],
    [
      "aliases that nest",
      Array.from({ length: 800 }, (_, i) => `a${i}: &a${i} [${i ? `*a${i - 1}` : "x"}]\n`).join(""),
    ],
  ])("refuses %s beyond what the stack takes, with the position", (_what, text) => {
    expect(() => readDocuments(text, "a.yaml")).toThrow(
      /^a\.yaml:\d+:\d+ is not valid YAML: it(s aliases are| is) nested deeper than 500 levels\.$/,
    );
    expect(() => parseUserYaml("PROJECT", text, "broken-project-file")).toThrow(/nested deeper/);
  });

  it.each([
    ["a: &a [*a]\n", "a.yaml:1:8 is not valid YAML: the anchor `a` contains itself."],
    ["a: &a\n  b: { c: *a }\n", "a.yaml:2:11 is not valid YAML: the anchor `a` contains itself."],
    ["a: &a { <<: *a }\n", "a.yaml:1:13 is not valid YAML: the anchor `a` contains itself."],
    ["b: *a\na: &a 1\n", "a.yaml:1:4 is not valid YAML: there is no anchor `a` before this alias."],
    ["<<: 5\n", "a.yaml:1:5 is not valid YAML: `<<` takes a mapping, or a list of mappings."],
    [
      "[a]: 5\n",
      "a.yaml:1:1 is not valid YAML: a key is a list or a mapping, but a string is expected.",
    ],
    ["a: 1\nb: 2\na: 3\n", "a.yaml:3:1 is not valid YAML: the key `a` is there twice."],
  ])("refuses %j", (text, message) => {
    expect(() => readDocuments(text, "a.yaml")).toThrow(
      expect.objectContaining({ code: "broken-yaml", message }),
    );
  });

  it("refuses a text of more tokens than the memory takes, before it is read to its end", () => {
    expect(() => readYaml("- a\n".repeat(1000), "a.yaml", { maxTokens: 100 })).toThrow(
      /^a\.yaml:\d\d:\d is not valid YAML: it has more than 100 tokens\.$/,
    );
  });

  it("finds a repeated key among fifty thousand", () => {
    const keys = Array.from({ length: 50_000 }, (_, index) => `k${index}: 1\n`).join("");
    expect(() => readDocuments(`${keys}k7: 2\n`, "a.yaml")).toThrow(/the key `k7` is there twice/);
  });

  it("reads aliases and merged mappings as copies, and keys that JavaScript has for itself", () => {
    const [value] = readDocuments(
      "a: &a { x: 1 }\nb: *a\nc: { <<: *a, x: 2, y: 3 }\nd: { <<: [*a, { x: 9, z: 4 }] }\n__proto__: { e: 5 }\n1: ~\n",
      "a.yaml",
    ) as Record<string, unknown>[];
    expect(Object.entries(value ?? {})).toEqual([
      ["1", null],
      ["a", { x: 1 }],
      ["b", { x: 1 }],
      ["c", { x: 2, y: 3 }],
      ["d", { x: 1, z: 4 }],
      ["__proto__", { e: 5 }],
    ]);
    expect(value?.["b"]).not.toBe(value?.["a"]);
  });
});

describe("quoted texts at the indentation of their key, or left of it", () => {
  it.each([
    ['a: "x\ny"\nb: 1\n', { a: "x y", b: 1 }],
    ["a: 'x\n\n y'\nb: 1\n", { a: "x\ny", b: 1 }],
    ['a:\n  b: "x\n y\\\nz"\n', { a: { b: "x yz" } }],
    ['- - a: "x\ny"\n', [[{ a: "x y" }]]],
  ])("%j is read as Go's parser does", (text, value) => {
    expect(readDocuments(text, "a.yaml")).toEqual([value]);
  });

  it("are placed where they are in the text", () => {
    const text = 'a: "x\ny"\nb: &a {c: 1}\nd: {e: "x\ny", f: 1, f: 2}\n';
    expect(() => readDocuments(text, "a.yaml")).toThrow(/^a\.yaml:5:11 /);
  });

  it("are not indented where that would make the text much longer", () => {
    const text = `${"- ".repeat(200)}a: "${"x\n".repeat(5000)}"\n`;
    expect(() => readDocuments(text, "a.yaml")).toThrow(/^a\.yaml:\d+:\d+ is not valid YAML/);
  });
});

describe("readYaml", () => {
  it("says where a value is, or the nearest around it", () => {
    const [, document] = readYaml("a: 1\n---\nlist:\n  - name: x\n    tag: 5\n", "k.yaml");
    expect(document?.placeOf(["list", 0, "tag"])).toBe("k.yaml:5:10");
    expect(document?.placeOf(["list", 0, "gone", "deeper"])).toBe("k.yaml:4:5");
    expect(document?.placeOf([])).toBe("k.yaml:3:1");
  });
});
