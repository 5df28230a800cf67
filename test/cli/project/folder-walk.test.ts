import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { walkFolder } from "../../../src/cli/project/folder-walk.ts";
import { yamlFilesAt } from "../../../src/cli/project/yaml/yaml-files.ts";
import { emptyFolder, runCli } from "../support/run-cli.ts";

function folderOf(...paths: string[]): string {
  const folder = emptyFolder();
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), "a: 1\n");
  }
  return folder;
}

describe.skipIf(process.platform === "win32")("a folder with links", () => {
  it("gives each file once if links lead to folders above", async () => {
    const folder = folderOf("config/z.yaml", "config/b/c.yaml", "config/b-c.yaml");
    for (const name of ["a", "d", "b/e", "b/f"]) {
      symlinkSync(join(folder, "config"), join(folder, "config", name));
    }
    const files = await yamlFilesAt(join(folder, "config"));
    expect(files?.map((path) => relative(folder, path))).toEqual([
      "config/b/c.yaml",
      "config/b-c.yaml",
      "config/z.yaml",
    ]);
    const { code, out } = await runCli(folder, ["doctor", "-o", "json"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({ found: [] });
  });

  it("gives regular files below it only, also those behind a link", async () => {
    const folder = folderOf("in/.hidden/a.yaml", "in/b.yaml", "out/c.yaml");
    symlinkSync("/dev/zero", join(folder, "in/zero.yaml"));
    symlinkSync("../out/c.yaml", join(folder, "in/c.yaml"));
    symlinkSync("../out", join(folder, "in/out"));
    symlinkSync("nowhere", join(folder, "in/broken.yaml"));
    symlinkSync("b.yaml", join(folder, "in/link.yaml"));
    symlinkSync(".hidden", join(folder, "in/shown"));
    const root = join(folder, "in");
    const files = await walkFolder(root, (name) => !name.startsWith("."));
    expect(files.map(({ path }) => relative(root, path))).toEqual([
      "b.yaml",
      "link.yaml",
      "shown/a.yaml",
    ]);
  });
});
