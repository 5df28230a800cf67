import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
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

const CRD = "config/crd/bases/web.example.com_pages.yaml";

let cache = "";
beforeEach(() => {
  cache = emptyFolder();
  vi.stubEnv("TSOP_CACHE_DIR", cache);
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const stampOf = (root: string): string =>
  join(cache, "manifests", `${encodeURIComponent(root)}.stamp`);

/** Changes what the stamp says, with the contents behind its first line as they were. */
function forge(root: string, edit: (index: Record<string, unknown>) => void, to = root): void {
  const bytes = readFileSync(stampOf(root));
  const end = bytes.indexOf("\n");
  const index = JSON.parse(bytes.toString("utf8", 0, end)) as Record<string, unknown>;
  edit(index);
  const head = Buffer.from(`${JSON.stringify(index)}\n`);
  writeFileSync(stampOf(to), Buffer.concat([head, bytes.subarray(end + 1)]));
}

describe("tsop manifests and what an earlier run left behind", () => {
  it("keeps nothing in the project, and believes no stamp that came with it", async () => {
    const root = await project();
    expect(existsSync(join(root, ".tsop"))).toBe(false);
    mkdirSync(join(root, ".tsop"));
    writeFileSync(join(root, ".tsop/stamp"), readFileSync(stampOf(root)));
    rmSync(stampOf(root));
    expect(await saidUnchanged(testContext(root))).toBe(false);
  });

  it("is not led to a path that it does not generate", async () => {
    const root = await project();
    const outside = join(root, "../outside.bashrc");
    forge(root, (index) => {
      const [[, length] = ["", 0]] = index["made"] as [string, number][];
      index["made"] = [["../outside.bashrc", length]];
    });
    expect((await runCli(root, ["manifests"])).code).toBe(0);
    expect(existsSync(outside)).toBe(false);
  });

  it("is not led by the stamp of another project", async () => {
    const [root, other] = [await project(), await project()];
    forge(root, () => undefined, other);
    expect(await saidUnchanged(testContext(other))).toBe(false);
  });

  it("checks against the code, whatever the stamp says", async () => {
    const root = await project();
    const role = "# Written by `tsop manifests`; changes by hand are lost.\n*/*/*\n";
    appendFileSync(join(root, CRD), role);
    forge(root, (index) => {
      const bytes = readFileSync(join(root, CRD)).length;
      index["made"] = (index["made"] as [string, number][]).map(([path, length]) =>
        path === CRD ? [path, bytes] : [path, length],
      );
    });
    expect((await runCli(root, ["manifests", "--check"])).code).toBe(3);
  });

  it("works where nothing can be kept", async () => {
    const file = join(cache, "file");
    writeFileSync(file, "");
    vi.stubEnv("TSOP_CACHE_DIR", join(file, "below"));
    const root = await project();
    for (const argv of [["manifests", "--check"], ["manifests", "--dry-run"], ["manifests"]]) {
      expect(await runCli(root, argv)).toMatchObject({ code: 0 });
    }
  });

  for (const [title, link, target] of [
    ["a folder", "config/crd/bases", "."],
    ["a file", CRD, "victim.yaml"],
    ["a file that is not there", CRD, "missing.yaml"],
  ] as const) {
    it(`writes and deletes nothing where ${title} is a link out of the project`, async () => {
      const root = await project();
      const outside = emptyFolder();
      const victim = "# Written by `tsop manifests`; of another project\n";
      writeFileSync(join(outside, "victim.yaml"), victim);
      rmSync(join(root, link), { recursive: true });
      symlinkSync(join(outside, target), join(root, link));
      const { code, err } = await runCli(root, ["manifests"]);
      expect([code, err]).toEqual([1, expect.stringContaining("outside-project")]);
      expect(readFileSync(join(outside, "victim.yaml"), "utf8")).toBe(victim);
      expect(existsSync(join(outside, "missing.yaml"))).toBe(false);
    });
  }

  it("follows a link that stays in the project", async () => {
    const root = await project();
    rmSync(join(root, "config/crd/bases"), { recursive: true });
    mkdirSync(join(root, "generated"));
    symlinkSync("../../generated", join(root, "config/crd/bases"));
    expect((await runCli(root, ["manifests"])).code).toBe(0);
    expect(existsSync(join(root, "generated/web.example.com_pages.yaml"))).toBe(true);
  });
});

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
    ["a stamp that cannot be read", (root: string) => writeFileSync(stampOf(root), "{")],
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
