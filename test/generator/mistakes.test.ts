import { mkdtempSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { generate } from "../../src/generator/generate.ts";
import { describeShared, sharedPath } from "../support/shared.ts";

const HEAD = `import * as tsop from "tsop";
import { AcceptNumber, Embed, Cel, CustomResource, Default, ListMap, ListSet, MaxLength, Maximum, Minimum, MutatingWebhook, Pattern, PrintColumn, Rbac, Resource, ValidatingWebhook, type Int32 } from "tsop";
`;

/** A kind with these members of its spec; the first of them stands on line 6. */
const kind = (members: string, before = "", options = ""): string => `${HEAD}
${before}
export class BadSpec {
${members}
}
@Resource({ group: "atlas.example.com", version: "v1"${options} })
export class Bad extends CustomResource<BadSpec> {}
`;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "tsop-mistakes-"));
  mkdirSync(join(root, "src"));
  mkdirSync(join(root, "node_modules"));
  symlinkSync(resolve("."), join(root, "node_modules/tsop"));
  symlinkSync(resolve("node_modules/typescript"), join(root, "node_modules/typescript"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function findings(source: string): Promise<string[]> {
  writeFileSync(join(root, "src/bad.ts"), source);
  const { files, diagnostics } = await generate({ root, cache: false });
  expect(files.size === 0).toBe(diagnostics.some(({ severity }) => severity === "error"));
  expect(diagnostics.every(({ fix }) => fix.endsWith(".") || fix.endsWith("?"))).toBe(true);
  return diagnostics.map(({ line, column, code, fix }) => `${line}:${column} ${code}; ${fix}`);
}

/** Each mistake of `mistakes.jsonl` in the goldens that TypeScript can express, and some of its own. */
const MISTAKES: readonly (readonly [title: string, source: string, finding: string])[] = [
  [
    "bad-argument",
    kind(`  @Minimum("abc") a!: Int32;`),
    "6:4 wrong-argument; Give @Minimum a number.",
  ],
  ["bad-pattern", kind(`  @Pattern("^(") a!: string;`), "6:4 wrong-pattern;"],
  ["bounds-crossed", kind(`  @Minimum(5) @Maximum(1) a!: Int32;`), "6:16 bounds-crossed;"],
  ["cel-syntax", kind(`  @Cel("self >") a!: Int32;`), "6:4 wrong-cel-rule; Look for a bracket"],
  ["chan", kind(`  a!: () => void;`), "6:7 type-without-schema;"],
  ["default-of-wrong-type", kind(`  a: Int32 = "abc";`), "6:14 wrong-default;"],
  [
    "a default that JavaScript cannot hold exactly",
    kind(`  a: tsop.Int64 = 9007199254740993;`),
    "6:19 wrong-default; Use a smaller number",
  ],
  ["a default out of bounds", kind(`  @Maximum(3) a: Int32 = 4;`), "6:26 wrong-default;"],
  ["enum-of-wrong-type", kind(`  @tsop.Enum("a", "b") a!: Int32;`), "6:4 enum-of-wrong-type;"],
  ["float", kind(`  a!: number;`), "6:7 number-needs-format; Write Int32,"],
  ["interface", kind(`  a!: unknown;`), "6:3 type-unknown;"],
  ["listmapkey-without-map", kind(`  @ListMap("name") a!: string[];`), "6:4 wrong-list-map;"],
  [
    "a list-map key that may be absent",
    kind(`  @ListMap("name") a!: { name?: string }[];`),
    "6:4 wrong-list-map;",
  ],
  [
    "listtype-on-string",
    kind(`  @ListSet() a!: string;`),
    "6:4 marker-needs-list; Remove it, or make the field a list.",
  ],
  ["map-int-key", kind(`  a!: Record<Int32, string>;`), "6:7 key-needs-string;"],
  [
    "maxlength-on-int",
    kind(`  @MaxLength(1) a!: Int32;`),
    "6:4 marker-needs-string; Use @Maximum, or",
  ],
  [
    "minimum-on-string",
    kind(`  @Minimum(1) a!: string;`),
    "6:4 marker-needs-number; Use @MinLength, or",
  ],
  [
    "recursive",
    kind(`  a!: Node;`, "export class Node { children?: Node[] }"),
    "4:32 recursive-type;",
  ],
  [
    "resource-unknown-argument",
    kind(`  a!: string;`, "", `, scop: "Cluster"`),
    "8:56 unknown-option; Did you mean scope?",
  ],
  ["unknown-marker", kind(`  @Minimun(1) a!: Int32;`), "6:4 unknown-marker; Did you mean Minimum?"],
  [
    "an unknown marker of a namespace",
    kind(`  @tsop.Maximun(1) a!: Int32;`),
    "6:4 unknown-marker; Did you mean Maximum?",
  ],
  [
    "a marker of controller-gen",
    kind(`  @tsop.ListType("set") a!: string[];`),
    "6:4 unknown-marker; @ListMap, @ListSet and @ListAtomic replace it.",
  ],
  [
    "a marker of controller-gen in its own case, not imported",
    kind(`  @listMapKey("a") a!: { a: string }[];`),
    '6:4 unknown-marker; @ListMap("name") replaces both.',
  ],
  ["unknown-type", kind(`  a!: Missing;`), "6:7 unknown-type;"],
  ["a misspelt type", kind(`  a!: Int23;`), "6:7 unknown-type; Did you mean Int32?"],
  ["any", kind(`  a!: any;`), "6:7 type-any;"],
  [
    "a union of objects",
    kind(`  a!: { b: string[]; c: string } | { b: string; d: string };`),
    "6:7 union-without-schema;",
  ],
  ["a default that is computed", kind(`  a = process.cwd();`), "6:7 default-not-constant;"],
  [
    "an argument that is computed",
    kind(`  @Minimum(Math.random()) a!: Int32;`),
    "6:12 argument-not-constant;",
  ],
  [
    "a marker without parentheses",
    kind(`  @ListSet a!: string[];`),
    "6:4 marker-not-called; Write @ListSet().",
  ],
  [
    "a group without a dot",
    kind(`  a!: string;`).replace("atlas.example.com", "atlas"),
    "8:13 wrong-group;",
  ],
  [
    "a group of Kubernetes",
    kind(`  a!: string;`).replace("atlas.example.com", "x.k8s.io"),
    "8:13 protected-group;",
  ],
  ["a name that is no label", kind(`  a!: string;`, "", `, plural: "Bad_s"`), "8:56 wrong-name;"],
  [
    "a wrong scope",
    kind(`  a!: string;`, "", `, scope: "Clustr"`),
    "8:56 wrong-option; Did you mean Cluster?",
  ],
  ["a rule without words", kind(`  @Cel(" ") a!: string;`), "6:4 wrong-cel-rule;"],
  [
    "a column of a field that is not there",
    kind(`  size!: Int32;`).replace(
      "@Resource",
      `@PrintColumn("S", (bad: Bad) => bad.spec.sise)\n@Resource`,
    ),
    "8:19 path-leads-nowhere; Did you mean size?",
  ],
  [
    "a kind without a base",
    `${HEAD}@Resource({ group: "a.b", version: "v1" })\nexport class Bad {}`,
    "4:14 resource-needs-base;",
  ],
  [
    "a right on a class that is no kind",
    `${HEAD}class Other {}\n@Rbac(Other, ["get"])\nexport class C {}`,
    "4:7 not-a-token;",
  ],
  [
    "a verb that is none",
    `${HEAD}@Rbac({ groups: [""], resources: ["pods"], verbs: ["wach"] })\nexport class C {}`,
    "3:2 unknown-verb; Did you mean watch?",
  ],
  [
    "an option of a webhook that is none",
    `${kind("  a!: string;")}@ValidatingWebhook(Bad, { reinvocationPolicy: "Never" })\nexport class Hook { handle() {} }`,
    "10:27 unknown-option; It takes name,",
  ],
  [
    "a policy of a webhook that is none",
    `${kind("  a!: string;")}@MutatingWebhook(Bad, { failurePolicy: "Fial" })\nexport class Hook { handle() {} }`,
    "10:25 wrong-option; Did you mean Fail?",
  ],
  [
    "a webhook of nothing",
    `${HEAD}@MutatingWebhook({ name: "a.b.c", path: "/a" })\nexport class Hook { handle() {} }`,
    "3:2 missing-option; Add groups, versions, resources,",
  ],
  [
    "a webhook with an address and a path",
    `${kind("  a!: string;")}@MutatingWebhook(Bad, { url: "https://a.b", path: "/a" })\nexport class Hook { handle() {} }`,
    "10:2 wrong-webhook;",
  ],
  [
    "a webhook without encryption",
    `${kind("  a!: string;")}@MutatingWebhook(Bad, { url: "http://a.b" })\nexport class Hook { handle() {} }`,
    "10:25 wrong-webhook; Write https://HOST/PATH.",
  ],
  [
    "two webhooks of one name",
    `${kind("  a!: string;")}@MutatingWebhook(Bad)\n@MutatingWebhook(Bad, { path: "/b" })\nexport class Hook { handle() {} }`,
    "11:2 duplicate-webhook;",
  ],
  [
    "a webhook that waits too long",
    `${kind("  a!: string;")}@MutatingWebhook(Bad, { timeoutSeconds: 31 })\nexport class Hook { handle() {} }`,
    "10:25 wrong-webhook; Use 1 to 30.",
  ],
  [
    "a match condition that does not compile",
    `${kind("  a!: string;")}@MutatingWebhook(Bad, { matchConditions: [{ name: "a", expression: "objekt.a" }] })\nexport class Hook { handle() {} }`,
    "10:25 wrong-match-condition;",
  ],
  [
    "an embedded field that is not there",
    kind(`  @Embed({ omit: ["b.x"] }) a!: { b: { c: string } };`),
    "6:4 path-leads-nowhere; Did you mean c?",
  ],
  [
    "a file that does not parse",
    `${HEAD}export class Bad { @Minimum(1 a!: Int32 }`,
    "3:31 syntax-error;",
  ],
];

/** Mistakes that cannot be made in TypeScript. */
const ONLY_IN_GO: Readonly<Record<string, string>> = {
  "no-json-tag": "the name of a field is its name in JSON",
};

describeShared("goldens", "the mistakes of controller-gen's users", () => {
  it("are all among those that are told here", () => {
    const lines = readFileSync(sharedPath("goldens/atlas/mistakes.jsonl"), "utf8").trim();
    const names = lines.split("\n").map((line) => (JSON.parse(line) as { case: string }).case);
    const told = new Set(MISTAKES.map(([title]) => title));
    expect(names).toHaveLength(19);
    expect(names.filter((name) => !told.has(name) && !(name in ONLY_IN_GO))).toEqual([]);
  });
});

describe("mistakes", () => {
  for (const [title, source, finding] of MISTAKES) {
    it(`are told at their place with a fix: ${title}`, async () => {
      const found = await findings(source);
      expect(
        found.some((line) => line.startsWith(finding)),
        found.join("\n"),
      ).toBe(true);
      expect(found.length, found.join("\n")).toBeLessThanOrEqual(2);
    });
  }

  it("are all told in one run", async () => {
    const found = await findings(kind(`  @Minimum(1) a!: string;\n  b!: number;\n  d!: Missing;`));
    expect(found.map((line) => line.split(" ")[1])).toEqual([
      "marker-needs-number;",
      "number-needs-format;",
      "unknown-type;",
    ]);
  });

  it("include a kind that stands twice", async () => {
    const again = `\n@Resource({ group: "atlas.example.com", version: "v1", kind: "Bad" })\nexport class Bad2 extends CustomResource<BadSpec> {}\n`;
    const found = await findings(kind(`  a!: string;`) + again);
    expect(found).toEqual([expect.stringContaining("duplicate-kind")]);
  });
});
