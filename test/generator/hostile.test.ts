/**
 * Code that leads in circles, grows without end or is made to break a reader: each is told as a mistake of its
 * file, in time.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Diagnostic } from "../../src/errors.ts";
import { generate } from "../../src/generator/generate.ts";
import { emptyFolder } from "../cli/support/run-cli.ts";

/** What is told of a kind whose spec is the class `Spec` of this code. */
async function told(code: string): Promise<string[]> {
  return (await diagnosticsOf(code)).map(({ code: what, line }) => `${line} ${what}`);
}

async function diagnosticsOf(code: string): Promise<readonly Diagnostic[]> {
  const root = emptyFolder();
  mkdirSync(join(root, "src"));
  writeFileSync(
    join(root, "src/page.ts"),
    `import { CustomResource, Default, Enum, Minimum, Pattern, Resource, With, type Int32 } from "tsop";
@Resource({ group: "web.example.com", version: "v1" })
export class Page extends CustomResource<Spec> {}
${code}`,
  );
  const { diagnostics } = await generate({ root, cache: false });
  return diagnostics;
}

const nested = (depth: number, open: string, inner: string, close: string): string =>
  open.repeat(depth) + inner + close.repeat(depth);

describe("what leads in a circle", () => {
  it.each([
    ["a class that extends itself", "class Spec extends Spec {}", "recursive-type"],
    [
      "classes that extend each other",
      "class A extends Spec {} class Spec extends A {}",
      "recursive-type",
    ],
    [
      "interfaces",
      "interface A extends B {} interface B extends A {} class Spec { a!: A }",
      "recursive-type",
    ],
    ["aliases", "type A = B; type B = A; class Spec { a!: A }", "recursive-type"],
    ["a union with itself", "type A = A | string; class Spec { a!: A }", "recursive-type"],
    ["what is excluded from itself", 'type A = Exclude<A, "x">; class Spec { a!: A }', "type-any"],
    ["null taken from itself", "type A = A; class Spec { a!: NonNullable<A> }", "recursive-type"],
    [
      "generics that grow",
      "class G<T> { g?: G<T[]> } class Spec { a!: G<string> }",
      "recursive-type",
    ],
    [
      "the type of a constant",
      "type A = typeof a; const a: A = a; class Spec { a!: A }",
      "type-any",
    ],
    ["keywords", "type K = K; class Spec { a!: With<string, K> }", "wrong-argument"],
    [
      "constants",
      "const A = B; const B = A; class Spec { @Minimum(A) a!: Int32 }",
      "circular-constant",
    ],
    [
      "parts of constants",
      "const A = { ...B }; const B = { ...A }; class Spec { a: string = A.a }",
      "circular-constant",
    ],
    [
      "a template",
      "const A = `${B}`; const B = A; class Spec { a: string = A }",
      "circular-constant",
    ],
    ["enums", "enum A { X = B.Y } enum B { Y = A.X } class Spec { a!: A }", "enum-not-constant"],
    [
      "exports",
      'export { A as B } from "./page.ts"; export { B as A } from "./page.ts"; import { A as C } from "./page.ts"; class Spec { a!: C }',
      "unknown-type",
    ],
  ])("is told: %s", async (_what, code, expected) => {
    expect((await told(code)).join()).toContain(expected);
  });
});

describe("a type that is not there", () => {
  it.each([
    ["Str<{ maxLength: 63 }>", 'Add Str to the import from "tsop".'],
    ["PodTemplateSpec", 'Import PodTemplateSpec from "tsop/k8s".'],
    ["strin", "Did you mean string?"],
    ["Pag", "Did you mean Page?"],
    ["Wholly<Unknown>", "Declare it, or import it."],
  ])("is told with the way to it: %s", async (type, way) => {
    const [found] = await diagnosticsOf(`class Spec { a!: ${type} }`);
    expect(found?.fix).toBe(way);
  });
});

describe("what is large", () => {
  it("is read to a depth of hundreds, and told of beyond", async () => {
    expect(await told(`class Spec { a!: ${nested(200, "{ a: ", "string", " }")} }`)).toEqual([]);
    const deep = await told(`class Spec { a!: ${nested(20_000, "{ a: ", "string", " }")} }`);
    expect(deep).toEqual(["4 nested-too-deep"]);
  });

  it.each([
    ["parentheses in a type", `class Spec {\n  a?: ${nested(3000, "(", "string", ")")};\n}`],
    ["lists of lists", `class Spec {\n  a?: string${"[]".repeat(3000)};\n}`],
    ["generics", `type G<T> = T; class Spec {\n a?: ${nested(3000, "G<", "string", ">")};\n}`],
    ["conditions", `class Spec {\n  a?: ${nested(3000, "1 extends 1 ? ", "1", " : 2")}\n}`],
    ["operators", `class Spec {\n  a: Int32 = ${"- ".repeat(3000)}1;\n}`],
    ["sums", `class Spec {\n  a: string = ${'"a" + '.repeat(3000)}"a";\n}`],
    ["members", `class Spec {}\nconst a = process${".env".repeat(3000)};`],
    ["a value", `class Spec {\n  @Default(${nested(3000, "[", "", "]")}) a: string[] = [];\n}`],
    ["code that is no kind's", `class Spec {}\nexport const a = ${nested(3000, "(", "1", ")")};`],
  ])("is told at its line when it is nested in thousands: %s", async (_what, code) => {
    expect(await told(code)).toContain("5 nested-too-deep");
  });

  it.each([
    ["constants", 'const A1000 = "a"; class Spec { @Default(A0) a: string = "b" }', "const"],
    ["classes", "class A1000 {} class Spec extends A0 {}", "class"],
    ["types", "type A1000 = string; class Spec { a?: A0 }", "type"],
  ])("is told when it is made of a thousand, each of the next: %s", async (_what, end, word) => {
    const link = (n: number): string =>
      word === "class" ? `class A${n} extends A${n + 1} {}` : `${word} A${n} = A${n + 1};`;
    const code = Array.from({ length: 1000 }, (_, n) => link(n)).join("\n");
    const all = await told(`${end}\n${code}`);
    expect(all.filter((one) => one.endsWith(" nested-too-deep"))).toHaveLength(1);
  });

  it("is told of a pattern that Go cannot read, at its line", async () => {
    for (const pattern of ['"("', "/(?=a)/", '"a{2000}"', JSON.stringify("(".repeat(3000))]) {
      const code = `class Spec {\n  @Pattern(${pattern}) a?: string;\n}`;
      expect(await told(code)).toEqual(["5 wrong-pattern"]);
    }
  });

  it("costs no more than its length: constants that double, unions of thousands", async () => {
    const doubling = Array.from({ length: 60 }, (_, n) => `const C${n} = C${n + 1} - C${n + 1};`);
    const code = `${doubling.join("\n")} const C60 = 1; class Spec { @Minimum(C0) a!: Int32 }`;
    expect(await told(code)).toEqual([]);
    const values = Array.from({ length: 3000 }, (_, n) => `"v${n}"`).join(" | ");
    expect(await told(`type A = ${values}; class Spec { a!: Exclude<A, "v1"> }`)).toEqual([]);
  });
});

describe("constants that contain another one twice, and that one the next", () => {
  const link = (n: number, value: string): string => `const C${n} = ${value};`;
  it.each([
    ["lists", '["a"]', (c: string) => `[${c}, ${c}]`],
    ["spread lists", '["a"]', (c: string) => `[...${c}, ...${c}]`],
    ["objects", '{ type: "string" }', (c: string) => `{ anyOf: ${c}, allOf: ${c} }`],
    ["sums", '"abcdefgh"', (c: string) => `${c} + ${c}`],
    ["templates", '"abcdefgh"', (c: string) => `\`\${${c}}\${${c}}\``],
  ])("are told at their line: %s", async (_what, first, twice) => {
    const links = Array.from({ length: 40 }, (_, n) => link(n + 1, twice(`C${n}`)));
    const code = [link(0, first), ...links, "class Spec { @Default(C40) a!: string[] }"].join("\n");
    const [large, ...others] = (await told(code)).filter((one) => one.includes("too-large"));
    expect([large, others]).toEqual([expect.stringMatching(/^(1\d|2\d) schema-too-large$/), []]);
  });

  it("are told at their kind where only all uses together are too large", async () => {
    const links = Array.from({ length: 14 }, (_, n) => link(n + 1, `[C${n}, C${n}]`));
    const fields = Array.from({ length: 20 }, (_, n) => `@Default(C14) a${n}!: unknown;`);
    const code = [link(0, '["a"]'), ...links, `class Spec { ${fields.join(" ")} }`].join("\n");
    expect(await told(code)).toContain("3 schema-too-large");
  });
});

describe("arguments", () => {
  it("may be spread from a constant list", async () => {
    const code = 'const MODES = ["a", "b"] as const; class Spec { @Enum(...MODES) a!: string }';
    expect(await told(code)).toEqual([]);
  });

  it.each([
    ["Math.random()", "argument-not-constant"],
    ["(() => { throw new Error() })()", "argument-not-constant"],
    ["...numbers()", "argument-not-constant"],
    ["1 / 0", "wrong-argument"],
  ])("that are no constants are told: %s", async (argument, expected) => {
    expect(await told(`class Spec { @Minimum(${argument}) a!: Int32 }`)).toEqual([`4 ${expected}`]);
  });

  it("that an enum takes from its own members are known", async () => {
    const code = "enum Size { S = 1, M = Size.S + 1 } class Spec { @Minimum(Size.M) a!: Int32 }";
    expect(await told(code)).toEqual([]);
  });
});
