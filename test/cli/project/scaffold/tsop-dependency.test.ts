import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { tsopDependency } from "../../../../src/cli/project/scaffold/tsop-dependency.ts";
import { emptyFolder } from "../../support/run-cli.ts";

/** The dependency of a project at `project`, by a tsop that is installed below `folder`. */
function dependency(folder: string, manifest: unknown, project: string) {
  const root = join(folder, "node_modules/tsop");
  mkdirSync(root, { recursive: true });
  writeFileSync(
    join(folder, "package.json"),
    typeof manifest === "string" ? manifest : JSON.stringify(manifest),
  );
  return tsopDependency(project, { root, version: "1.2.3", isCheckout: false });
}

describe("the dependency of a new project on tsop", () => {
  it("is the file that tsop was installed from, as it is reached from the project", async () => {
    const folder = emptyFolder();
    const manifest = { dependencies: { tsop: "file:../packed/tsop-1.2.3.tgz" } };
    const file = join(dirname(folder), "packed/tsop-1.2.3.tgz");
    expect(await dependency(folder, manifest, folder)).toEqual({
      spec: "file:../packed/tsop-1.2.3.tgz",
      outside: file,
    });
    expect(await dependency(folder, manifest, join(folder, "x"))).toEqual({
      spec: "file:../../packed/tsop-1.2.3.tgz",
      outside: file,
    });
    const within = { devDependencies: { tsop: "./x/tsop.tgz" } };
    expect(await dependency(folder, within, join(folder, "x"))).toEqual({
      spec: "file:tsop.tgz",
      archive: "tsop.tgz",
    });
  });

  it.each([
    "1.2.3",
    "^1.0.0",
    "git+https://git.example.com/tsop.git#main",
    "https://example.com/tsop.tgz",
    "npm:@example/tsop@1",
  ])("is %s when that is what the installing project asked for", async (spec) => {
    const folder = emptyFolder();
    const manifest = { dependencies: { tsop: spec } };
    expect(await dependency(folder, manifest, join(folder, "x"))).toEqual({ spec });
  });

  it.each([
    ["nobody asked for tsop", {}],
    ["only another package manager knows the spec", { dependencies: { tsop: "workspace:*" } }],
    ["the package.json is broken", "{"],
    ["the package.json is no object", "null"],
  ])("is the range of the version that runs when %s", async (_, manifest) => {
    const folder = emptyFolder();
    expect(await dependency(folder, manifest, join(folder, "x"))).toEqual({ spec: "^1.2.3" });
  });
});
