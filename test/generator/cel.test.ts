import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Diagnostic } from "../../src/errors.ts";
import { generate } from "../../src/generator/generate.ts";

const BOUNDED = "names!: Bounded;";

/** A field with a wrong rule, and a word of what is said about it. */
const MISTAKES: readonly (readonly [field: string, said: string])[] = [
  [`@Cel("self >") a1!: string;`, "Syntax error"],
  [`@Cel("self == 'a") a2!: string;`, "Syntax error"],
  [`@Cel("size(self) > 1 and true") a3!: string;`, "Syntax error"],
  [`@Cel("(size(self) > 1") a4!: string;`, "Syntax error"],
  [`@Cel("self.size(") a5!: string;`, "Syntax error"],
  [`@Cel("self") a6!: string;`, "bool"],
  [`@Cel("size(self)") a7!: string;`, "bool"],
  [`@Cel("self + 1") a8!: Int32;`, "bool"],
  [`@Cel("self > 'a'") b1!: Int32;`, "no matching overload"],
  [`@Cel("self == 1") b2!: string;`, "no matching overload"],
  [`@Cel("self.startsWith(1)") b3!: string;`, "no matching overload"],
  [`@Cel("self && true") b4!: string;`, "expected type 'bool' but found 'string'"],
  [`@Cel("self.contains('a')") b5!: Int32;`, "no matching overload"],
  [`@Cel("self + 'a' == 'a'") b6!: Int32;`, "no matching overload"],
  [`@Cel("self in 'abc'") b7!: string;`, "no matching overload"],
  [`@Cel("!self") b8!: Int32;`, "no matching overload"],
  [`@Cel("self.lenght() > 1") c1!: string;`, "undeclared reference"],
  [`@Cel("sie(self) > 1") c2!: string;`, "undeclared reference"],
  [`@Cel("old == self") c3!: string;`, "undeclared reference"],
  [`@Cel("this == 'a'") c4!: string;`, "undeclared reference"],
  [`@Cel("self.isURL()") c5!: string;`, "no matching overload"],
  [`@Cel("self.mni <= self.max") d1!: Range;`, "undefined field 'mni'"],
  [`@Cel("has(self.middle)") d2!: Range;`, "undefined field 'middle'"],
  [`@Cel("self.min.value > 1") d3!: Range;`, "does not support field selection"],
  [`@Cel("self.all(r, r.maxx > 1)") @MaxItems(3) d4!: Range[];`, "undefined field 'maxx'"],
  [
    `@Cel("self.all(k, self[k].low > 1)") @MaxProperties(3) d5!: Record<string, Range>;`,
    "undefined field 'low'",
  ],
  [`@Cel("has(self)") d6!: Range;`, "invalid argument to has()"],
  [`@Cel("self.all(1, true)") d7!: Bounded;`, "must be a simple name"],
  [`@Cel("self.exists(x, x)") d8!: Bounded;`, "expected type 'bool'"],
  [`@Cel("self.all(x, self.all(y, x == y))") e1!: string[];`, "cost"],
  [`@Cel("self.all(x, x.contains('a'))") e2!: string[];`, "cost"],
  [`@Cel("self.all(x, self.exists(y, y.startsWith(x)))") e3!: Record<string, string>;`, "cost"],
  [`@Cel("self.exists_one(x, x.matches('^[a-z]+$'))") e4!: string[];`, "cost"],
  [`@Cel("self.map(x, x + x).size() > 1") e5!: string[];`, "cost"],
  [`items!: Item[];`, "oldSelf"],
  [`@Cel("self == 'a'", { optionalOldSelf: true }) f2!: string;`, "oldSelf"],
  [`@Cel("self != ''", { messageExpression: "size(self)" }) f3!: string;`, "string"],
  [`@Cel("self != ''", { messageExpression: "self +" }) f4!: string;`, "messageExpression"],
  [`@Cel("self.min < self.max", { fieldPath: ".middle" }) f5!: Range;`, "valid path"],
  [`@Cel("self !=\\n''") f6!: string;`, "message must be specified"],
  [`@Cel("") f7!: string;`, "rule"],
  [`@Cel("self.matches('(')") f8!: string;`, "invalid matches argument"],
];

/** Slips of people who know other languages, and what they are told. */
const SLIPS: readonly (readonly [field: string, fix: string])[] = [
  [`@Cel("self.mni <= self.max") a1!: Range;`, "Did you mean min?"],
  [`@Cel("self.starsWith('a')") a2!: string;`, "Did you mean startsWith?"],
  [`@Cel("sie(self) > 1") a3!: string;`, "Did you mean size?"],
  [`@Cel("isURl(self)") a4!: string;`, "Did you mean isURL?"],
  [`@Cel("self.exits(x, x == 'a')") a5!: Bounded;`, "Did you mean exists?"],
  [`@Cel("self.length > 1") a6!: string;`, "A string has no fields. For its length, use size()."],
  [`@Cel("self.includes('a')") a7!: string;`, "Use contains() for a string, or `value in list`."],
  [`@Cel("self.every(x, x != '')") a8!: Bounded;`, "Write all() in place of every()."],
  [
    `@Cel("self.toLowerCase() == 'a'") a9!: string;`,
    "Write lowerAscii() in place of toLowerCase().",
  ],
  [`@Cel("self === 'a'") b1!: string;`, "Use == to compare. CEL has no assignment."],
  [`@Cel("self.min =< 3") b2!: Range;`, "Write <= in place of =<."],
  [`@Cel("self.min > 1 and true") b3!: Range;`, "Write && in place of and."],
  [
    `@Cel("self.min > 'a'") b4!: Range;`,
    "One side is int and the other string: convert one with int(...) or string(...).",
  ],
  [`@Cel("self.opt != null") b5!: Opt;`, "Check with has(self.field) whether a field is set."],
  [`@Cel("old != self") b6!: string;`, "The value before an update is called oldSelf."],
  [
    `@Cel("self != oldSelf", { optionalOldSelf: true }) b7!: string;`,
    "With optionalOldSelf, write oldSelf.orValue(self), or ask oldSelf.hasValue() first.",
  ],
  [
    `@Cel("self.metadata.name == 'a'") b8!: Range;`,
    "self is the value that the rule is on; put the rule on the class of the kind to see metadata.",
  ],
  [`@Cel("self.min < self.max", { fieldPath: ".mni" }) b9!: Range;`, "Did you mean min?"],
  [
    `@Cel("self.startsWith(1)") c1!: string;`,
    "It is called as string.startsWith(string), not string.(int).",
  ],
  [
    `@Cel("self.matches('(?=a)')") c2!: string;`,
    "Write the pattern in RE2's syntax: https://github.com/google/re2/wiki/Syntax.",
  ],
];

const SOURCE = [
  `import { Cel, CustomResource, MaxItems, MaxProperties, Resource, type Int32, type Str, type With } from "tsop";`,
  "export class Range { min!: Int32; max!: Int32; }",
  `export class Item { @Cel("self == oldSelf") name!: string; }`,
  "type Bounded = With<Str<{ maxLength: 8 }>[], { maxItems: 8 }>;",
  "export class Spec {",
  ...MISTAKES.map(([field]) => `  ${field}`),
  `  @Cel("self.all(n, n.startsWith('a'))") ${BOUNDED}`,
  `  @Cel("self == oldSelf") fixed!: string;`,
  `  @Cel("self.min <= self.max", { fieldPath: ".min", message: "min is above max" }) range!: Range;`,
  "}",
  `@Resource({ group: "cel.example.com", version: "v1" })`,
  "export class Rules extends CustomResource<Spec> {}",
].join("\n");

describe("rules in CEL", () => {
  let root: string;
  let found: readonly Diagnostic[];
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), "tsop-cel-"));
    mkdirSync(join(root, "src"));
    writeFileSync(join(root, "src/rules.ts"), SOURCE);
    found = (await generate({ root, cache: false })).diagnostics;
  });
  afterAll(() => rmSync(root, { recursive: true, force: true }));

  for (const [index, [field, said]] of MISTAKES.entries()) {
    it(`are checked before they reach a cluster: ${field}`, () => {
      const line = field.startsWith("items") ? 3 : index + 6;
      const here = found.filter((finding) => finding.line === line);
      const texts = here.map(({ code, message }) => `${code}: ${message}`).join("\n");
      expect(texts.toLowerCase()).toContain(said.toLowerCase());
      expect(here.every(({ severity }) => severity === "error")).toBe(true);
    });
  }

  it.each(SLIPS)("say what was meant: %s", async (field, fix) => {
    const file = join(root, "src/rules.ts");
    const opt = "export class Opt { opt?: Int32; }";
    const lines = [...SOURCE.split("\n").slice(0, 4), opt, "export class Spec {", field, "}"];
    writeFileSync(file, [...lines, ...SOURCE.split("\n").slice(-2)].join("\n"));
    const { diagnostics } = await generate({ root, cache: false });
    expect(diagnostics.map((one) => one.fix)).toContain(fix);
    expect(diagnostics.every(({ line }) => line === 7)).toBe(true);
  });

  it.each([
    [`@Cel("self.opt > 1") a1!: Opt;`, ["self.opt"]],
    [`@Cel("self.low == 1 || self.opt > 1") a1!: Opt;`, ["self.opt"]],
    [`@Cel("!has(self.opt) || self.opt > 1") a1!: Opt;`, []],
    [`@Cel("has(self.opt) && self.opt > self.low") a1!: Opt;`, []],
    [`@Cel("self.?opt.orValue(1) > self.usual") a1!: Opt;`, []],
  ])(
    "that read what may not be there are told apart from those that ask: %s",
    async (field, paths) => {
      const opt = "export class Opt { opt?: Int32; low!: Int32; usual: Int32 = 1; }";
      const lines = [...SOURCE.split("\n").slice(0, 4), opt, "export class Spec {", field, "}"];
      writeFileSync(
        join(root, "src/rules.ts"),
        [...lines, ...SOURCE.split("\n").slice(-2)].join("\n"),
      );
      const { diagnostics } = await generate({ root, cache: false });
      expect(
        diagnostics.map(({ severity, code, message, line }) => [severity, code, message, line]),
      ).toEqual(
        paths.map((path) => [
          "warning",
          "rule-without-has",
          `The rule reads ${path}, which is optional. It fails for objects without the field and rejects them.`,
          7,
        ]),
      );
    },
  );

  it("that are right are left alone", () => {
    const first = MISTAKES.length + 6;
    // What is said of the kind itself is the sum of the costs above.
    expect(found.filter(({ line }) => line >= first && line < first + 3)).toEqual([]);
  });

  it("come with what to do about each, other than a look into the manual", () => {
    const errors = found.filter(({ line, code }) => line < MISTAKES.length + 6 && code !== "");
    expect(errors.length).toBeGreaterThanOrEqual(MISTAKES.length);
    expect(errors.filter(({ fix }) => fix.startsWith("Fix the rule"))).toEqual([]);
  });
});
