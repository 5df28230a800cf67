import { describe, expect, it } from "vitest";
import { generateFrom, told } from "./mistakes-table.ts";

const version = (name: string, fields: string, options: string): string =>
  `import { CustomResource, Resource, Maximum, type Int32 } from "tsop";
export class PageSpec { ${fields} }
@Resource({ group: "web.example.com", version: "${name}"${options} })
export class Page extends CustomResource<PageSpec> {}
`;

const run = (
  [first, second]: readonly [string, string],
  options: readonly [string, string] = ["", ", storage: true"],
): ReturnType<typeof generateFrom> =>
  generateFrom({
    "v1.ts": version("v1", first, options[0]),
    "v2.ts": version("v2", second, options[1]),
  });

describe("versions of a kind without a conversion", () => {
  for (const [fields, message] of [
    [["html!: string;", "html!: string; title?: string;"], "spec.title is only in v2"],
    [["html!: string; title?: string;", "html!: string;"], "spec.title is only in v1"],
    [["html!: string;", "html!: Int32;"], "spec.html is of another type in v1 than in v2"],
    [["a!: string[];", "a!: { b: string }[];"], "spec.a[*] is of another type"],
    [
      ["a!: Record<string, { b: string }>;", "a!: Record<string, { c: string }>;"],
      "spec.a{*}.c is only in v2",
    ],
    [["a!: string;", "a!: string[];"], "spec.a is of another type"],
  ] as const) {
    it(`are refused where a value is lost: ${message}`, async () => {
      const generated = await run(fields);
      const [found, ...others] = generated.diagnostics;
      expect([found?.file, found?.line, found?.code]).toEqual([
        "src/v1.ts",
        4,
        "versions-not-converted",
      ]);
      expect(found?.message).toContain(message);
      expect(others).toEqual([]);
      expect(generated.files.size).toBe(0);
    });
  }

  it("pass where their fields are equal, whatever each allows of them", async () => {
    const texts = [
      "/** One. */ @Maximum(3) a!: Int32;",
      "/** Two. */ @Maximum(5) a!: Int32;",
    ] as const;
    expect(told(await run(texts))).toEqual([]);
  });

  it("pass where one of them says who converts, or that nobody has to", async () => {
    for (const said of ["false", '{ strategy: "None" }']) {
      const options = [`, conversion: ${said}`, ", storage: true"] as const;
      expect(told(await run(["a!: string;", "b!: string;"], options))).toEqual([]);
    }
  });

  it("pass where only one of them is ever used", async () => {
    const options = [", served: false", ", storage: true"] as const;
    expect(told(await run(["a!: string;", "b!: string;"], options))).toEqual([]);
  });
});

describe("mistakes in rules", () => {
  const rule = (fields: string): Promise<Awaited<ReturnType<typeof generateFrom>>> =>
    generateFrom({
      "page.ts": `import { Cel, CustomResource, Default, Pattern, Resource, type Int32 } from "tsop";
export class PageSpec { ${fields} }
@Resource({ group: "web.example.com", version: "v1" })
export class Page extends CustomResource<PageSpec> {}
`,
    });

  for (const other of [
    '@Default("x") n?: Int32;',
    '@Pattern("(?=a)") p?: string;',
    "u?: () => void;",
    "n?: number;",
  ]) {
    it(`are told together with others: ${other}`, async () => {
      const codes = (await rule(`@Cel("self.startsWith(") a?: string; ${other}`)).diagnostics.map(
        ({ code }) => code,
      );
      expect(codes).toContain("wrong-cel-rule");
      expect(new Set(codes).size).toBeGreaterThan(1);
    });
  }
});
