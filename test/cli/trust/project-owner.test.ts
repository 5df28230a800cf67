/** All users can write to `/tmp`, and commands run the code of the project that they find above a folder. */
import { chownSync, lchownSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Owners, projectRootOf } from "../../../src/cli/project/project-root.ts";
import { emptyFolder, newProject, runCli } from "../support/run-cli.ts";

const ME = 1000;
const OTHER = 1001;

function nested(): { root: string; below: string; file: string } {
  const root = emptyFolder();
  const below = join(root, "a/b");
  const file = join(root, "PROJECT");
  mkdirSync(below, { recursive: true });
  writeFileSync(file, "");
  return { root, below, file };
}

const owners = (foreign: Readonly<Record<string, number>>, user: number | undefined): Owners => ({
  user,
  ownersOf: (path) => [foreign[path] ?? ME],
});

describe("the project of a folder", () => {
  it("is refused above the folder if its file or its folder belongs to another user", () => {
    const { root, below, file } = nested();
    for (const path of [root, file]) {
      const find = (): unknown => projectRootOf(below, owners({ [path]: OTHER }, ME));
      expect(find).toThrow(
        expect.objectContaining({
          code: "foreign-project",
          message: expect.stringContaining(`${path} belongs to the user with the ID 1001`),
          fix: expect.stringContaining(`chown 1000 ${path}`),
        }),
      );
    }
  });

  it("is accepted if it is root's or the user's, in the folder itself, and on Windows", () => {
    const { root, below, file } = nested();
    expect(projectRootOf(below, owners({}, ME))).toBe(root);
    expect(projectRootOf(below, owners({ [root]: 0, [file]: 0 }, ME))).toBe(root);
    expect(projectRootOf(root, owners({ [root]: OTHER, [file]: OTHER }, ME))).toBe(root);
    expect(projectRootOf(below, owners({ [root]: OTHER }, undefined))).toBe(root);
  });
});

describe.runIf(process.getuid?.() === 0)("a project of another user", () => {
  it.each(["run", "dev", "manifests", "build", "doctor", "list"])(
    "is refused by tsop %s in a folder below",
    async (command) => {
      const root = await newProject();
      const below = join(root, "src");
      chownSync(join(root, "PROJECT"), OTHER, OTHER);
      const { code, err } = await runCli(below, [command]);
      expect(code).not.toBe(0);
      expect(err).toContain("error foreign-project");
    },
  );

  it("is not hidden by a link to a file of the user", () => {
    const root = emptyFolder();
    const below = join(root, "a");
    mkdirSync(below);
    symlinkSync(nested().file, join(root, "PROJECT"));
    lchownSync(join(root, "PROJECT"), OTHER, OTHER);
    expect(() => projectRootOf(below)).toThrow(
      expect.objectContaining({ code: "foreign-project" }),
    );
  });
});
