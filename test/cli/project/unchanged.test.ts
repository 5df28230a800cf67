import { appendFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { saidUnchanged } from "../../../src/cli/project/unchanged.ts";
import { emptyFolder, runCli, testContext } from "../support/run-cli.ts";

const KIND = `import { CustomResource, Resource } from "tsop";
import type { Size } from "limits";
import type { Limit } from "../lib/limit.ts";
export class PageSpec {
  html!: string;
  limit?: Limit;
  size?: Size;
}
@Resource({ group: "web.example.com", version: "v1", served: false })
export class Page extends CustomResource<PageSpec> {}
`;

/** A project whose manifests are as its code says; some of what it reads is outside of its sources. */
async function project(): Promise<string> {
  const root = emptyFolder();
  mkdirSync(join(root, "src"));
  mkdirSync(join(root, "lib"));
  mkdirSync(join(root, "node_modules/house"), { recursive: true });
  mkdirSync(join(root, "node_modules/limits"));
  writeFileSync(
    join(root, "tsconfig.json"),
    '{ "extends": ["house/tsconfig.json", "./base.json"] }',
  );
  writeFileSync(join(root, "base.json"), "{}");
  writeFileSync(join(root, "node_modules/house/tsconfig.json"), "{}");
  writeFileSync(
    join(root, "node_modules/limits/package.json"),
    '{ "name": "limits", "version": "1.0.0", "types": "index.d.ts" }',
  );
  writeFileSync(join(root, "node_modules/limits/index.d.ts"), 'export type Size = "s" | "m";\n');
  writeFileSync(join(root, "PROJECT"), "layout: tsop/v1\nprojectName: web\ndomain: example.com\n");
  writeFileSync(join(root, "lib/limit.ts"), `export type Limit = "low" | "high";\n`);
  writeFileSync(join(root, "src/page.ts"), KIND);
  expect((await runCli(root, ["manifests"])).out).toContain("create config/crd/bases");
  return root;
}

describe("tsop manifests on what did not change", () => {
  it("says so, with the warnings of the run before, from any folder of the project", async () => {
    const root = await project();
    const again = await runCli(join(root, "src"), ["manifests"]);
    expect(again).toMatchObject({ code: 0, out: "  nothing to change" });
    expect(again.err).toContain("no-served-version");
    expect(await saidUnchanged(testContext(root))).toBe(true);
  });

  for (const [title, edit] of [
    ["a source", (root: string) => appendFileSync(join(root, "src/page.ts"), "// more\n")],
    ["a new source", (root: string) => writeFileSync(join(root, "src/other.ts"), "export {};\n")],
    ["an imported file", (root: string) => appendFileSync(join(root, "lib/limit.ts"), "\n")],
    ["tsconfig.json", (root: string) => writeFileSync(join(root, "tsconfig.json"), "{}")],
    ["what tsconfig.json extends", (root: string) => writeFileSync(join(root, "base.json"), "{ }")],
    [
      "what is extended of a package",
      (root: string) => writeFileSync(join(root, "node_modules/house/tsconfig.json"), "{ }"),
    ],
    [
      "a package's declarations",
      (root: string) => appendFileSync(join(root, "node_modules/limits/index.d.ts"), "\n"),
    ],
    [
      "a package's package.json",
      (root: string) => {
        const path = join(root, "node_modules/limits/package.json");
        writeFileSync(path, '{ "name": "limits", "version": "2.0.0", "types": "index.d.ts" }');
      },
    ],
    [
      "which of two packages is nearer",
      (root: string) => {
        mkdirSync(join(root, "src/node_modules/limits"), { recursive: true });
        writeFileSync(join(root, "src/node_modules/limits/index.d.ts"), "export type Size = 1;");
      },
    ],
    ["what was generated", (root: string) => appendFileSync(join(root, CRD), "# by hand\n")],
    ["a generated file that is gone", (root: string) => rmSync(join(root, CRD))],
    [
      "a generated file that is left over",
      (root: string) =>
        writeFileSync(join(root, `${CRD}-old.yaml`), "# Written by `tsop manifests`; x\n"),
    ],
    [
      "a stamp that cannot be read",
      (root: string) => writeFileSync(join(root, ".tsop/stamp"), "{"),
    ],
  ] as const) {
    it(`looks again after a change of ${title}`, async () => {
      const root = await project();
      expect(await saidUnchanged(testContext(root))).toBe(true);
      edit(root);
      expect(await saidUnchanged(testContext(root))).toBe(false);
      expect((await runCli(root, ["manifests"])).code).toBe(0);
      expect(await saidUnchanged(testContext(root))).toBe(true);
    });
  }

  it("does not say so of mistakes, or outside of a project", async () => {
    const root = await project();
    writeFileSync(join(root, "src/page.ts"), KIND.replace("html!: string", "html!: number"));
    expect((await runCli(root, ["manifests"])).code).toBe(1);
    expect((await runCli(root, ["manifests"])).code).toBe(1);
    expect(await saidUnchanged(testContext(emptyFolder()))).toBe(false);
  });
});

const CRD = "config/crd/bases/web.example.com_pages.yaml";
